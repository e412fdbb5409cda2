"""Which lines the modelled time of a launch goes to.

Each resource of an SM gets the share time^p / Σ time^p of the time: the norm of all times (model.together)
changes by so much with a small change of this one. A resource's share is divided among the lines whose
accesses it serves, in proportion to sectors, wavefronts or the like; in L2, atomics have a share of their
own. Work that no access causes, such as arithmetic, belongs to no line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..records import CounterSite, Launch, LineShare
from ..tables.hardware import LINE, SECTOR
from .model import ModelledTime
from .resources import LATENCY

L2 = "L2 cache"
_NOT_WORTH = 0.01  # share of the time below which a line is left out
_COPIES = ("global load", "global store", "generic load", "generic store")
_ATOMICS = ("global atomic", "generic atomic")
_GLOBAL = (*_COPIES, *_ATOMICS)


def _lines(site: CounterSite) -> float:
    return float(site.lines or max(site.executions, site.sectors / (LINE // SECTOR)))


def _waits(site: CounterSite) -> float:
    return float(site.executions) if "load" in site.kind else 0.0


def _wavefronts(site: CounterSite) -> float:
    return float(site.wavefronts) if site.kind.startswith("shared") else 0.0


def _sectors_of(kinds: Sequence[str]) -> Callable[[CounterSite], float]:
    return lambda site: float(site.sectors) if site.kind in kinds else 0.0


# The work that an access causes, by resource and by whether the row is about atomics.
_UNITS: Sequence[tuple[str, bool, Callable[[CounterSite], float]]] = (
    ("shared memory", False, _wavefronts),
    ("L1 cache", False, lambda site: _lines(site) if site.kind in _GLOBAL else 0.0),
    (L2, False, _sectors_of(_COPIES)),
    (L2, True, _sectors_of(_ATOMICS)),
    ("device memory", False, _sectors_of(_GLOBAL)),
    (LATENCY, False, lambda site: _waits(site) if site.kind in _GLOBAL else 0.0),
)


def shares(launch: Launch, time: ModelledTime) -> tuple[LineShare, ...]:
    """Lines by their share of the time, the largest first; together at most 1."""
    longest = max(time.cycles.values(), default=0.0) or 1.0
    weights = {name: (cycles / longest) ** time.overlap.power for name, cycles in time.cycles.items()}
    whole = sum(weights.values())
    found: dict[tuple[str, int], dict[str, float]] = {}
    for resource, is_atomic, unit in _UNITS:
        used = sum(unit(site) for site in launch.sites)
        for site in launch.sites if used and whole else ():
            of_line = found.setdefault((site.file, site.line), {})
            part = weights.get(resource, 0.0) / whole * unit(site) / used
            part *= _part_of_resource(time, resource, is_atomic)
            of_line[resource] = of_line.get(resource, 0.0) + part
    rows = (
        LineShare(file, line, round(sum(parts.values()), 3), max(parts, key=lambda name: parts[name]))
        for (file, line), parts in found.items()
        if line and sum(parts.values()) >= _NOT_WORTH
    )
    return tuple(sorted(rows, key=lambda row: (-row.share, row.file, row.line)))


def _part_of_resource(time: ModelledTime, resource: str, is_atomic: bool) -> float:
    cycles = time.cycles.get(L2, 0.0)
    if resource != L2 or not cycles:
        return 1.0
    of_atomics = time.atomics / cycles
    return of_atomics if is_atomic else 1 - of_atomics
