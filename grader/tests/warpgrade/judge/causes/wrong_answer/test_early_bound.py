"""Advice on a condition whose constant is the place from which on all elements are wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.wrong_answer import early_bound
from warpgrade.records import Wrong

KERNEL = "if (threadIdx.x < WARP) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);"
TEXT = "constexpr int WARP = 32;\n" + KERNEL
REST = Wrong(224, 256, "counts", (256,), (32,), 9, 8, pattern="unchanged")


def test_a_condition_lets_only_the_first_threads_pass() -> None:
    assert "if (threadIdx.x < WARP) lets 32 pass" in early_bound.advice(REST, KERNEL, TEXT)


@pytest.mark.parametrize(
    "wrong",
    [
        replace(REST, index=(31,), count=225),
        replace(REST, count=200),  # some behind it are right
        replace(REST, pattern="too-small"),
        replace(REST, shape=(16, 16), index=(2, 0)),
    ],
)
def test_other_elements_are_wrong(wrong: Wrong) -> None:
    assert early_bound.advice(wrong, KERNEL, TEXT) == ""
