"""What a GPU does for one value of a warp's lanes after the other: matches, and constants that lanes read at
unlike places. In cycles of a scheduler."""

from __future__ import annotations

import math
from collections import defaultdict

from ...records import CounterSite, Launch

# Of an H200 with all schedulers at work, for each value or word.
_CYCLES = {"match": 8.0, "const load": 8.0}
_SERVED_AT_ONCE = 1.01  # words of a load: constants that all lanes read cost no turns


def lane_turns(launch: Launch) -> dict[int, float]:
    """Line of PTX → cycles of one execution, where there are any."""
    sites: defaultdict[int, list[CounterSite]] = defaultdict(list)
    for site in launch.sites:
        if _cycles(site) and site.ptx_line:
            sites[site.ptx_line].append(site)
    return {
        line: math.fsum(map(_cycles, of)) / sum(site.executions for site in of) for line, of in sites.items()
    }


def turn_cycles(launch: Launch) -> float:
    """Of all executions together."""
    return math.fsum(map(_cycles, launch.sites))


def _cycles(site: CounterSite) -> float:
    if site.kind == "const load" and site.sectors < _SERVED_AT_ONCE * site.executions:
        return 0.0
    return _CYCLES.get(site.kind, 0.0) * site.sectors
