"""Memory that is as large as a pointer."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.out_of_bounds import pointer_size
from warpgrade.records import Finding, Memory, Place


def cause(text: str, bytes: int = 8) -> str | None:
    memory = Memory("global", "0x0", 4, "z", bytes, 0, "after")
    found = Finding("c", "memory", "x", "WG102", "error", "m", Place("p.cu", 3), memory=memory, help="own")
    return pointer_size.advised(found, text).cause


def test_the_size_of_the_pointer_itself() -> None:
    assert cause("cudaMalloc(&z, sizeof(z));") == cause("size_t bytes = sizeof z;") == pointer_size.CAUSE


@pytest.mark.parametrize("text", ["cudaMalloc(&z, n * sizeof(*z));", "cudaMalloc(&z, sizeof(zs));", ""])
def test_other_sizes(text: str) -> None:
    assert cause(text) is None


def test_memory_of_another_size() -> None:
    assert cause("cudaMalloc(&z, sizeof(z));", 16) is None
