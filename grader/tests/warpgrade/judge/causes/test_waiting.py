"""Advice on what a thread waits for in vain, by the fields of its finding."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes import waiting
from warpgrade.records import Finding, Place

FOUND = Finding("c", "barrier", "barrier-deadlock", "WG132", "error", "m", Place("kernel.cu", 7), help="own")
LIMIT = replace(FOUND, check="limit", kind="step-limit", code="WG141")


@pytest.mark.parametrize(
    ("access", "other", "cause", "word"),
    [
        ("atomic", Place("kernel.cu", 5), "lock-held", "give it back"),
        ("atomic", None, "lock-never-free", "before the launch"),
        ("read", None, "value-not-sent", "who should"),
        ("exchange", None, "lanes-missing", "outside of the branch"),
    ],
)
def test_what_is_waited_for(access: str, other: Place | None, cause: str, word: str) -> None:
    found = waiting.advised(replace(FOUND, place=replace(FOUND.place, access=access), other=other))
    assert found.cause == cause and word in found.help


def test_barriers_keep_their_advice() -> None:
    at_barrier = replace(FOUND, place=replace(FOUND.place, access="barrier"))
    assert waiting.advised(at_barrier) == at_barrier and waiting.advised(LIMIT) == LIMIT


def test_for_a_loop_that_reads_nothing_the_advice_is_volatile() -> None:
    assert "volatile" in waiting.advised(replace(LIMIT, cause="idle-loop")).help


def test_for_a_block_that_waits_for_a_smaller_index_the_advice_is_a_drawn_number() -> None:
    for access in ("atomic", "read"):
        place = replace(FOUND.place, access=access)
        found = waiting.advised(replace(FOUND, place=place, cause="block-order"))
        assert found.cause == "block-order" and "atomicAdd" in found.help


def test_a_swap_that_compares_with_the_same_value_again() -> None:
    for source, cause in (
        ("const int found = atomicCAS(bits, seen, wanted);", "swap-repeated"),
        ("while (atomicCAS(lock, 0u, 1u) != 0) {}", "lock-never-free"),
        ("while (atomicCAS(lock, FREE, 1 + threadIdx.x) != FREE) {}", "lock-never-free"),
        ("while (atomicCAS(p, bits(seen), bits(seen + value)) != bits(seen)) {}", "swap-repeated"),
    ):
        place = replace(FOUND.place, access="atomic", source=source)
        assert waiting.advised(replace(FOUND, place=place)).cause == cause


def test_a_barrier_of_a_warp_stands_outside_of_the_branch() -> None:
    past = Place("kernel.cu", 7)
    mask = replace(FOUND, kind="warp-mask", code="WG134", other=past)
    for source, cause in (("if (i < n) __syncwarp();", "lanes-missing"), ("__shfl_sync(mask, x, 0);", "")):
        found = waiting.advised(replace(mask, place=replace(mask.place, source=source)))
        assert (found.cause or "") == cause
