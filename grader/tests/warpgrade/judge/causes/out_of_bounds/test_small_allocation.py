"""Arrays of a program that are smaller than another one of the same launch."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.out_of_bounds import small_allocation
from warpgrade.records import Case, Finding, Memory, Place, Visibility


def advised(memory: Memory, cause: str = "outside-the-array", case: Case | None = None) -> Finding:
    place = Place("p.cu", 3)
    found = Finding("c", "memory", "x", "WG102", "error", "m", place, memory=memory, help="own", cause=cause)
    return small_allocation.advised(found, case)


def z(bytes: int, larger: int | None, made_at: str | None = "p.cu:40", access: int = 4) -> Memory:
    return Memory(
        "global", "0x0", access, "z", bytes, 0, "after", made_at=made_at, larger_bytes=larger
    )  # fmt: skip


def test_as_many_bytes_as_elements() -> None:
    found = advised(z(1000, 4000))
    assert found.cause == small_allocation.ELEMENTS_FOR_BYTES
    assert "p.cu:40" in found.help and "count * sizeof(*z)" in found.help
    assert advised(z(1000, 8000, access=8)).cause == small_allocation.ELEMENTS_FOR_BYTES


def test_all_arrays_have_as_many_bytes_as_the_case_has_elements() -> None:
    case = Case("c", ("n",), (1000,), "zero-mean", 0, 10, Visibility.VISIBLE)
    found = advised(z(1000, None), case=case)
    assert found.cause == small_allocation.ELEMENTS_FOR_BYTES
    assert "n = 1,000 counts elements" in found.help and "n * sizeof(*z)" in found.help
    assert advised(z(1000, None, access=1), case=case).help == "own"  # an element has one byte
    assert advised(z(4000, None), case=case).help == "own"


def test_another_size() -> None:
    found = advised(z(2800, 4096))
    assert found.cause == small_allocation.TOO_SMALL
    assert "2,800" in found.help and "4,096" in found.help and "p.cu:40" in found.help


@pytest.mark.parametrize("memory", [z(1000, None), z(1000, 4000, made_at=None)])
def test_no_larger_array_or_none_of_the_program(memory: Memory) -> None:
    assert advised(memory).help == "own"


def test_a_better_cause_stays() -> None:
    assert advised(z(1000, 4000), "index-overflow").help == "own"
