"""Loads that a warp issues together before it waits for the first one.

It waits until all of them have come. If each misses L1 or L2 now and then, one of them nearly always does: of
eight neighbouring bytes, one load brings the sector and seven hit it, but not before it is there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping

from ...build.sass import Code

_ENDS = ("branch", "barrier", "exit", "return")


def issued_together(code: Code, lines: Container[int]) -> Iterator[Counter[int]]:
    """The loads of each batch: how many of each line of PTX, of these `lines`."""
    waiting: list[tuple[int, int]] = []  # line and scoreboard
    for each in code.instructions:
        if each.kind in _ENDS or any(board >= 0 and each.waits >> board & 1 for _, board in waiting):
            yield Counter(line for line, _ in waiting)
            waiting = []
        if each.kind == "global load" and each.line in lines:
            waiting.append((each.line, each.sets))


def repeated(code: Code) -> set[int]:
    """Lines of PTX that are in a loop of the machine code, at least in part."""
    return {each.line for home, each in zip(code.homes(), code.instructions, strict=True) if home >= 0}


def batches(code: Code, allocations: Mapping[int, int]) -> dict[int, int]:
    """How many loads of the same allocation are in a load's batch, by line of PTX.

    `allocations`: that of each load, by line. Loads in loops are left out: those that hit what an earlier
    iteration loaded do so together.
    """
    found: dict[int, int] = {}
    for batch in issued_together(code, allocations.keys() - repeated(code)):
        alike = Counter(allocations[line] for line in batch.elements())
        for line in batch:
            found[line] = max(found.get(line, 1), alike[allocations[line]])
    return found


def missing_together(
    code: Code, allocations: Mapping[int, int], alone: Mapping[int, float]
) -> dict[int, float]:
    """Share of a line's loads that wait for a miss of their batch, in the same allocation.

    `alone`: the share that misses by itself, by line. Of the copies that ptxas makes of a line in a loop, one
    misses after the other: of eight neighbouring words, the first. Unlike lines of a loop miss together, as
    rows of a stencil do; those outside of loops by chance.
    """
    in_loops, found = repeated(code), dict(alone)
    for batch in issued_together(code, alone):
        shares = {line: min(1.0, alone[line] * copies) for line, copies in batch.items()}
        for line in batch:
            alike = [shares[other] for other in batch if allocations[other] == allocations[line]]
            share = max(alike) if line in in_loops else 1 - math.prod(1 - each for each in alike)
            found[line] = max(found[line], share)
    return found
