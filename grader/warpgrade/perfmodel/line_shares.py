"""Which lines the modelled time of a launch goes to.

Each resource of an SM gets a share of the time: of a norm of times (model.together), a small change of one
counts as its power, time^p / Σ time^p. A resource's share goes to the lines whose accesses it serves, by the
unit that it works in. What no access causes, such as arithmetic, is of no line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..records import CounterSite, Launch, LineShare
from ..tables.hardware import LINE, SECTOR
from .model import LATENCY, ModelledTime

_NOT_WORTH = 0.01  # share of the time below which a line is left out
_GLOBAL = ("global load", "global store", "global atomic", "generic load", "generic store", "generic atomic")


def _lines(site: CounterSite) -> float:
    return float(site.lines or max(site.executions, site.sectors / (LINE // SECTOR)))


def _waits(site: CounterSite) -> float:
    return float(site.executions) if "load" in site.kind else 0.0


def _wavefronts(site: CounterSite) -> float:
    return float(site.wavefronts) if site.kind.startswith("shared") else 0.0


def _sectors(site: CounterSite) -> float:
    return float(site.sectors) if site.kind in _GLOBAL else 0.0


# What a line's accesses count as, by resource.
_UNITS: Mapping[str, Callable[[CounterSite], float]] = {
    "shared memory": _wavefronts,
    "L1 cache": lambda site: _lines(site) if site.kind in _GLOBAL else 0.0,
    "L2 cache": _sectors,
    "device memory": _sectors,
    LATENCY: lambda site: _waits(site) if site.kind in _GLOBAL else 0.0,
}


def shares(launch: Launch, time: ModelledTime) -> tuple[LineShare, ...]:
    """Lines by their share of the time, the largest first; together at most 1."""
    longest = max(time.cycles.values(), default=0.0) or 1.0
    weights = {name: (cycles / longest) ** time.overlap.power for name, cycles in time.cycles.items()}
    whole = sum(weights.values())
    found: dict[tuple[str, int], dict[str, float]] = {}
    for resource, unit in _UNITS.items():
        used = sum(unit(site) for site in launch.sites)
        for site in launch.sites if used and whole else ():
            of_line = found.setdefault((site.file, site.line), {})
            part = weights.get(resource, 0.0) / whole * unit(site) / used
            of_line[resource] = of_line.get(resource, 0.0) + part
    rows = (
        LineShare(file, line, round(sum(parts.values()), 3), max(parts, key=lambda name: parts[name]))
        for (file, line), parts in found.items()
        if line and sum(parts.values()) >= _NOT_WORTH
    )
    return tuple(sorted(rows, key=lambda row: (-row.share, row.file, row.line)))
