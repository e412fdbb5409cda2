"""Pictures of a recording that is written here: no emulator is needed."""

from __future__ import annotations

import pytest

from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.course.lab import named
from warpgrade.drawing import source_lines
from warpgrade.records import LaunchShape
from warpgrade.run.trace import BARRIER, Access, GlobalArray, Recording, SharedArray

WORDS = messages.load(here().root, "en")
SOURCE = "line one\n  tile[y][x] = A[i];\n  sum += tile[x][y];\n"
A, C = 0x1000, 0x9000
ARRAYS = (GlobalArray("A", A, (64, 32)), GlobalArray("C", C, (64, 32)))


def access(kind: str, line: int, addresses: list[int], warp: int = 0, file: str = "kernel.cu") -> Access:
    return Access(kind, file, line, 4, warp, tuple(addresses))


def recorded(*accesses: Access) -> Recording:
    return Recording(ARRAYS, 2, accesses, (SharedArray("tile", 0, 4096),))


ROW = access("global load", 2, [A + 4 * lane for lane in range(32)])
STORE = access("shared store", 2, [4 * lane for lane in range(32)])
COLUMN = access("shared load", 3, [128 * lane for lane in range(32)])
MEET = Access(BARRIER, "kernel.cu", 2, 0, -1, ())


def drawn(*accesses: Access) -> tuple[source_lines.LinePicture, ...]:
    return source_lines.pictures(WORDS, recorded(*accesses), "kernel.cu", SOURCE, "x")


def test_each_line_has_its_pictures_and_barriers_their_time_line() -> None:
    barriers, two, three = drawn(ROW, STORE, MEET, COLUMN, MEET)
    assert (barriers.line, len(barriers.figures)) == (0, 1)
    assert (two.line, two.source, len(two.figures)) == (2, "tile[y][x] = A[i];", 2)
    assert "4 sectors, 128 bytes, of which 128 bytes are used" in two.figures[0]
    assert "tile: Where 32 lanes of a warp store to" in two.figures[1] and "one pass" in two.figures[1]
    assert (three.line, len(three.figures)) == (3, 1)
    assert "The words lie in 1 of 32 banks, and the access takes 32 passes" in three.figures[0]


def test_only_the_first_of_the_first_warps_accesses_to_an_array_is_shown() -> None:
    other = access("global load", 2, [A + 128 * lane for lane in range(32)])
    (only,) = drawn(ROW, other, access("shared load", 3, [0] * 32, warp=1))
    assert len(only.figures) == 1 and "4 sectors" in only.figures[0]


@pytest.mark.parametrize(
    "odd",
    [
        access("global load", 0, [A] * 32),  # the compiler merged two lines
        access("global load", 9, [A] * 32),
        access("global load", 2, [A] * 32, file="launch_shape.cuh"),
        access("global atomic", 2, [A] * 32),
        access("local load", 2, [0] * 32),
        access("global load", 2, [0x10] * 32),  # before every matrix
        access("global load", 2, [A + 128 * 40 * lane for lane in range(32)]),  # too tall for a picture
    ],
)
def test_what_cannot_be_drawn_is_left_out(odd: Access) -> None:
    assert drawn(odd) == ()


def test_the_case_is_small_visible_and_fills_a_block() -> None:
    tiled = named(here(), "02-tiled")
    small = source_lines.case_to_record(tiled, LaunchShape((16, 16), (16, 16)))
    large = source_lines.case_to_record(tiled, LaunchShape((32, 32), (64, 64)))
    none_fits = source_lines.case_to_record(tiled, LaunchShape((32, 32), (4096, 4096)))
    assert small is not None and small.name == "32x32x32-integers"
    assert large is not None and large.name == "64x96x32-zero-mean"
    assert none_fits is not None and none_fits.visibility == "visible"
