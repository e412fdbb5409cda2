"""Launches with many more blocks than have anything to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from warpgrade.records import HostCall, ProgramRun
from warpgrade.run import idle_blocks
from warpgrade.tables import nsight

BLOCK = (256, 1, 1)  # 8 warps


def run(blocks: int, accesses: int) -> ProgramRun:
    """`accesses`: of warps to memory."""
    grid = (blocks, 1, 1)
    counters = {nsight.GLOBAL_LOAD_REQUESTS: accesses}
    row: dict[str, Any] = {"label": "", "launch": 1, "kernel": "k", "grid": [*grid], "block": [*BLOCK]}
    call = HostCall("cudaLaunchKernel", caller=7, kernel="k", grid=grid, block=BLOCK)
    return ProgramRun("a", exit_code=0, calls=(call, call), launches=({**row, "counters": counters},))


@pytest.mark.parametrize(
    ("blocks", "accesses", "is_idle"),
    [
        (1000, 8 * 1000 // 256, True),
        (1000, 8 * 1000 // 4, True),
        (1000, 8 * 1000 // 2, False),  # twice as many blocks as needed are none to speak of
        (1000, 3 * 8 * 1000, False),
        (31, 1, False),  # a small grid costs nothing
    ],
)
def test_a_launch_of_which_most_warps_access_no_memory(blocks: int, accesses: int, is_idle: bool) -> None:
    found = list(idle_blocks.found(run(blocks, accesses)))
    assert [call.caller for call, _ in found] == ([7] if is_idle else [])
    assert all(f"{blocks:,} blocks of 256 threads" in words for _, words in found)


def test_a_launch_that_failed_did_nothing() -> None:
    right = run(1000, 1)
    failed = tuple(HostCall(**{**vars(call), "code": 9}) for call in right.calls)
    assert not list(idle_blocks.found(ProgramRun("a", calls=failed, launches=right.launches)))


def test_a_launch_that_an_error_has_ended_says_nothing() -> None:
    begun = run(1000, 1)
    stray = {"launch": 1, "severity": "error"}
    assert not list(idle_blocks.found(replace(begun, findings=(stray,))))
    assert list(idle_blocks.found(replace(begun, findings=({**stray, "launch": 2},))))
    assert list(idle_blocks.found(replace(begun, findings=({**stray, "severity": "warning"},))))
