"""Advice on a null pointer from in front of an array of pointers."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.out_of_bounds import negative_remainder
from warpgrade.records import Finding, Place

NULL = Finding("c", "memory", "null-pointer", "WG106", "error", "m", Place("p.cu", 20, access="read"))


def test_a_remainder_of_a_negative_number() -> None:
    found = negative_remainder.advised(NULL, "int before = (f - 1) % SLOTS;")
    assert found.cause == negative_remainder.CAUSE
    assert "(f - 1) % SLOTS is negative where f is 0" in found.help and "add SLOTS" in found.help


@pytest.mark.parametrize(
    "text", ["int before = f ? (f - 1) % SLOTS : 0;", "(f + SLOTS - 1) % SLOTS", "(f + 1) % SLOTS"]
)
def test_remainders_that_are_not_negative(text: str) -> None:
    assert negative_remainder.advised(NULL, text) == NULL
