"""Loads that a warp issues together before it waits for the first one.

It waits until all of them have come. If each misses L1 or L2 now and then, one of them nearly always does: of
eight neighbouring bytes, one load brings the sector and seven hit it, but not before it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ...build.sass import Code

_ENDS = ("branch", "barrier", "exit", "return")


def batches(code: Code, allocations: Mapping[int, int]) -> dict[int, int]:
    """How many loads of the same allocation are in a load's batch, by line of PTX.

    `allocations`: that of each load, by line. Loads in loops are left out: those that hit what an earlier
    iteration loaded do so together.
    """
    homes = code.homes()
    repeated = {each.line for home, each in zip(homes, code.instructions, strict=True) if home >= 0}
    found: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []  # line and scoreboard
    for each in code.instructions:
        if each.kind in _ENDS or any(board >= 0 and each.waits >> board & 1 for _, board in waiting):
            alike = Counter(allocations[line] for line, _ in waiting)
            for line, _ in waiting:
                found[line] = max(found.get(line, 1), alike[allocations[line]])
            waiting = []
        if each.kind == "global load" and each.line in allocations and each.line not in repeated:
            waiting.append((each.line, each.sets))
    return found
