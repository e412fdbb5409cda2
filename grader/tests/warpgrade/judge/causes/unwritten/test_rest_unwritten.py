"""Which part of a shared array the block has filled, where it reads another one."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.unwritten import rest_unwritten
from warpgrade.records import Finding, Memory, Place

TEXT = "__shared__ float sums[32];\n__shared__ float tile[4][8];"
READ = Place("kernel.cu", 9, source="v = sums[lane];", access="read")
FOUND = Finding("c", "init", "uninitialised-read", "WG121", "error", "m", READ, help="own")


def read_of(name: str, at: int, *written: tuple[int, int]) -> Finding:
    memory = Memory("shared", bytes=4, allocation=f"shared array {name}", allocation_bytes=128,
                    distance=4 * at, relation="inside", words=f"{name}[{at}]")  # fmt: skip
    return replace(FOUND, memory=memory, written=written)


def test_the_first_elements_alone() -> None:
    found = rest_unwritten.advised(read_of("sums", 8, (0, 32)), TEXT)
    assert found.cause == rest_unwritten.CAUSE
    assert "stored sums[0] to sums[7]" in found.help and "8 of its 32 elements" in found.help


def test_rows_and_columns_of_a_tile() -> None:
    rows = rest_unwritten.advised(read_of("tile", 8, (0, 32)), TEXT)
    assert "stored row 0 and nothing else" in rows.help
    inner = rest_unwritten.advised(read_of("tile", 0, (36, 8), (68, 8)), TEXT)
    assert "stored rows 1 to 2, columns 1 to 2 and" in inner.help
    columns = rest_unwritten.advised(read_of("tile", 7, (0, 28), (32, 28), (64, 28), (96, 28)), TEXT)
    assert "stored columns 0 to 6 and" in columns.help


def test_elements_that_form_no_box_are_not_told() -> None:
    scattered = read_of("sums", 8, (0, 4), (40, 4))
    assert rest_unwritten.advised(scattered, TEXT) == scattered
    filled_since = read_of("sums", 8, (0, 128))
    assert rest_unwritten.advised(filled_since, TEXT) == filled_since


def test_an_array_that_nobody_has_filled() -> None:
    empty = read_of("sums", 8)
    assert rest_unwritten.advised(empty, TEXT).cause == rest_unwritten.NOTHING
    atomic = replace(empty, place=replace(READ, access="atomic"))
    assert rest_unwritten.advised(atomic, TEXT) == atomic
    unknown = replace(empty, written=None)
    assert rest_unwritten.advised(unknown, TEXT) == unknown


def test_an_atomic_on_what_is_set_in_part() -> None:
    atomic = replace(read_of("sums", 20, (0, 64)), place=replace(READ, access="atomic"))
    assert "set all of them first" in rest_unwritten.advised(atomic, TEXT).help
