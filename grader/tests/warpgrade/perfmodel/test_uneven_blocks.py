"""Launches of which some blocks leave at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.perfmodel import uneven_blocks
from warpgrade.records import Launch
from warpgrade.tables import nsight

H200 = spec.load(Repository(Path(__file__).resolve().parents[4]), "h200")


def launch(blocks: int, busiest: float) -> Launch:
    """`busiest`: its instructions, relative to the mean of all blocks."""
    counters = {
        nsight.WARP_INSTRUCTIONS: 1000 * blocks,
        nsight.BUSIEST_BLOCK_INSTRUCTIONS: round(1000 * busiest),
    }
    return Launch("", "k", (blocks, 1, 1), (128, 1, 1), counters)


@pytest.mark.parametrize(
    ("blocks", "busiest", "busy", "most"),
    [
        (1024, 1.0, 1024, 8),
        (1024, 1.4, 1024, 8),  # the border of a grid
        (1024, 2.0, 512, 7),  # half of them leave, and of the seven that start on an SM all may stay
        (132, 2.0, 66, 1),
        (132 * 100, 2.0, 66 * 100, 50),  # the others fill what has become free
        (1024, 40.0, 256, 5),  # what is beyond EVEN is imbalance()
    ],
)
def test_blocks_that_leave_at_once(blocks: int, busiest: float, busy: int, most: int) -> None:
    found = launch(blocks, busiest)
    assert uneven_blocks.busy_blocks(found) == busy
    assert uneven_blocks.most_blocks(found, H200, 7) == most
    assert uneven_blocks.tail(found, H200, 7) == pytest.approx(most * 132 / busy)


def test_a_launch_without_counters_is_even() -> None:
    found = replace(launch(1024, 3.0), counters={})
    assert uneven_blocks.unevenness(found) == 1.0
