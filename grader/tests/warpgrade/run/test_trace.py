"""Recordings against what the arithmetic of the solutions says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.run import trace
from warpgrade.run.trace import BARRIER, Access, Recording
from warpgrade.solution import markers
from warpgrade.solution.markers import View

ROOT = Path(__file__).resolve().parents[4]
REPOSITORY = Repository(ROOT)

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


def recorded(name: str, case: str, **more: object) -> Recording:
    item = lab.named(REPOSITORY, name)
    text = (REPOSITORY.solution(name) / "kernel.cu").read_text()
    source = markers.cut(text, "kernel.cu", View.STAFF)
    return trace.record(REPOSITORY, item, source, case, **more)  # type: ignore[arg-type]


def elements(made: Recording, access: Access) -> list[int]:
    array = made.touched(access)
    assert array is not None and array.element == 4
    return [(address - array.address) // 4 for address in access.lanes.values()]


def test_the_tiled_kernel_touches_what_its_indices_say() -> None:
    made = recorded("02-tiled", "32x32x32-integers", block=(1, 1))
    assert {each.name: each.shape for each in made.arrays} == dict.fromkeys("ABC", (32, 32))
    for warp in range(8):
        loads = {array: made.of(warp, "global load", array) for array in "AB"}
        for phase in range(2):
            rows = (2 * warp, 2 * warp + 1)
            columns = range(16)
            of_a = [(16 + row) * 32 + phase * 16 + column for row in rows for column in columns]
            of_b = [(phase * 16 + row) * 32 + 16 + column for row in rows for column in columns]
            assert elements(made, loads["A"][phase]) == of_a
            assert elements(made, loads["B"][phase]) == of_b


def test_each_phase_has_two_barriers_and_as_many_shared_loads_as_the_tile_needs() -> None:
    made = recorded("02-tiled", "32x32x32-integers")
    for warp in range(8):
        kinds = [access.kind for access in made.accesses if access.warp == warp]
        assert kinds.count("global load") == kinds.count("shared store") == 4
        assert kinds.count("shared load") == 2 * 2 * 16
        assert kinds.count("global store") == 1
    assert sum(access.kind == BARRIER for access in made.accesses) == 4
    assert made.warps == 8


def test_shared_arrays_have_their_names() -> None:
    made = recorded("02-tiled", "32x32x32-integers")
    stores = made.of(0, "shared store")
    assert [made.array(access) for access in stores] == ["A_tile", "B_tile"] * 2
    assert [(each.offset, each.bytes) for each in made.shared] == [(0, 1024), (1024, 1024)]


def test_lines_are_those_of_the_source() -> None:
    made = recorded("02-tiled", "32x32x32-integers")
    text = (REPOSITORY.solution("02-tiled") / "kernel.cu").read_text()
    lines = markers.cut(text, "kernel.cu", View.STAFF).splitlines()
    for access in made.accesses:
        if access.kind == BARRIER:
            assert "__syncthreads" in lines[access.line - 1]
        elif access.kind == "shared store":
            assert re.search(r"_tile\[ty\]\[tx\] =", lines[access.line - 1])


def test_lanes_outside_take_no_part() -> None:
    made = recorded("01-basic", "15x16x17-integers")
    last = [access for access in made.accesses if access.warp == 7]
    assert last and all(set(access.lanes) == set(range(16)) for access in last)
    assert all(len(access.lanes) == 32 for access in made.accesses if access.warp == 0)


def test_wide_loads_are_one_access() -> None:
    made = recorded("04-register-tiled", "64x64x16-integers")
    assert {access.bytes for access in made.of(0, "shared load")} == {16}


def test_padding_keeps_a_warps_stores_apart() -> None:
    made = recorded("04-register-tiled", "64x64x16-integers")
    first = made.of(0, "shared store")[0]
    assert len({address // 4 % 32 for address in first.lanes.values()}) == 32


def test_a_case_that_is_not_there_and_a_kernel_that_does_not_compile() -> None:
    item = lab.named(REPOSITORY, "01-basic")
    with pytest.raises(InstructorError, match="has no case 'none'"):
        trace.record(REPOSITORY, item, "", "none")
    with pytest.raises(InstructorError, match="cannot be recorded"):
        trace.record(REPOSITORY, item, "nonsense", "1x1x1-integers")
