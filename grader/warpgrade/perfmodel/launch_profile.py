"""What a profiler shows of one launch: time, resources, what each line's accesses cost, counters.

`figures` gives all of it as numbers and texts by name, for the questions of a lab (docs/questions.md). A line
of the source that ends with a comment `// [name]` has its figures under that name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..course import evidence
from ..gpu.spec import GpuSpec
from ..records import CounterSite, Launch, LineShare, Occupancy
from . import line_shares
from .model import ModelledTime, busy_cycles

_MARK = re.compile(r"// \[([a-z][a-z0-9_]*)\]\s*$")
_NOT_WORTH = 0.005  # a resource with a smaller share of the time is left out
_UNITS = ("sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")


@dataclass(frozen=True)
class LineAccess:
    """The accesses of one kind at one line, of all warps together. Sectors are those of global memory,
    wavefronts those of shared memory. The ideal ones are the fewest for the bytes that the lanes access.
    """

    line: int
    source: str
    mark: str  # the name in its comment; empty where it has none
    kind: str  # "global load", "shared store", …
    requests: int  # instructions that warps executed
    lanes: int  # sum over requests
    sectors: int
    ideal_sectors: int
    wavefronts: int
    ideal_wavefronts: int


@dataclass(frozen=True)
class LaunchProfile:
    """`busy`: share of the time in which each resource of an SM works, the busiest first."""

    launch: Launch
    time: ModelledTime
    occupancy: Occupancy | None
    registers: int
    shared_bytes: int  # of a block
    busy: dict[str, float]
    shares: tuple[LineShare, ...]
    accesses: tuple[LineAccess, ...]

    @property
    def flops(self) -> int:
        """Operations of the launch in single precision; a fused multiply-add counts as two."""
        count = self.launch.counters.get
        return 2 * count(evidence.ALIASES["ffma"], 0) + sum(
            count(evidence.ALIASES[name], 0) for name in ("fadd", "fmul")
        )


def profile(
    launch: Launch,
    time: ModelledTime,
    gpu: GpuSpec,
    source: str,
    occupancy: Occupancy | None = None,
    registers: int = 0,
    shared_bytes: int = 0,
) -> LaunchProfile:
    """The profile of a launch with its modelled time. `source`: the text of the program's file."""
    total = time.milliseconds / 1e3 * gpu.clock_hz
    busy = {name: cycles / total for name, cycles in busy_cycles(time.cycles, launch, gpu).items()}
    worth = sorted(((share, name) for name, share in busy.items() if share >= _NOT_WORTH), reverse=True)
    return LaunchProfile(
        launch,
        time,
        occupancy,
        registers,
        shared_bytes,
        {name: share for share, name in worth},
        line_shares.shares(launch, time),
        tuple(_accesses(launch, source.split("\n"))),
    )


def _accesses(launch: Launch, lines: list[str]) -> Iterator[LineAccess]:
    """Accesses summed by line and kind, as an unrolled loop has a site for each of its iterations."""
    found: dict[tuple[int, str], list[CounterSite]] = {}
    for site in launch.sites:
        if 0 < site.line <= len(lines) and (site.sectors or site.wavefronts):
            found.setdefault((site.line, site.kind), []).append(site)
    for (line, kind), sites in sorted(found.items()):
        text = lines[line - 1]
        mark = _MARK.search(text)
        yield LineAccess(
            line,
            text.partition(" // ")[0].strip(),
            mark[1] if mark else "",
            kind,
            sum(site.executions for site in sites),
            sum(site.lanes for site in sites),
            *(sum(getattr(site, unit) for site in sites) for unit in _UNITS),
        )


def figures(found: LaunchProfile) -> dict[str, int | float | str]:
    """All figures by name: `threads`, `global_load_sectors`, `load.shared_load.wavefronts`."""
    launch = found.launch
    rows: dict[str, int | float | str] = {
        "blocks": math.prod(launch.grid),
        "threads": math.prod(launch.block),
        "registers": found.registers,
        "shared_bytes": found.shared_bytes,
        "milliseconds": found.time.milliseconds,
        "bound": found.time.bound,
        "flops": found.flops,
    }
    if found.occupancy:
        rows |= {
            "resident_blocks": found.occupancy.blocks,
            "resident_warps": found.occupancy.warps,
            "most_warps": found.occupancy.most_warps,
            "limiter": found.occupancy.limiter,
        }
    rows |= {f"busy.{name.replace(' ', '_')}": share for name, share in found.busy.items()}
    rows |= {name: launch.counters.get(metric, 0) for name, metric in evidence.ALIASES.items()}
    for access in found.accesses:
        if access.mark:
            kind = access.kind.replace(" ", "_")
            share = sum(row.share for row in found.shares if row.line == access.line)
            rows |= {f"{access.mark}.line": access.line, f"{access.mark}.source": access.source}
            rows[f"{access.mark}.share"] = share
            units = {name: getattr(access, name) for name in ("requests", "lanes", *_UNITS)}
            rows |= {f"{access.mark}.{kind}.{name}": value for name, value in units.items()}
    return rows
