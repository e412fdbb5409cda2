"""Memory by the name that the program's call gives it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.records import Finding, Memory, Place
from warpgrade.run import program_arrays

MEMORY = Memory("global", "0x0", 4, "allocation 3", 4000, 0, "after", words="past allocation 3")
FOUND = Finding(
    "c", "memory", "x", "WG101", "error", "past allocation 3, not allocation 31", Place(),
    memory=MEMORY, help="allocation 3 has 1000 elements",
)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("CHECK(cudaMalloc(&ring.frame[slot], pixels * sizeof(int)));", "ring.frame[slot]"),
        ("  cudaMalloc((void **)&sums, n * 4);", "sums"),
        ("if (cudaMalloc(reinterpret_cast<void**>(&part->sums), n)) return;", "part->sums"),
        ("cudaMallocAsync(&partial, bytes, stream);", "partial"),
        ("cudaHostAlloc(&pinned, bytes, 0);", "pinned"),
    ],
)
def test_a_name_stands_for_the_number(source: str, name: str) -> None:
    found = program_arrays.named(FOUND, source)
    assert found.message == f"past {name}, not allocation 31"
    assert found.help == f"{name} has 1000 elements"
    assert found.memory and (found.memory.allocation, found.memory.words) == (name, f"past {name}")


@pytest.mark.parametrize("source", ["", "float* const p = device<float>(n);", "cudaMalloc(where(), n);"])
def test_a_line_without_a_name_leaves_the_number(source: str) -> None:
    assert program_arrays.named(FOUND, source) == FOUND


def test_what_has_a_name_keeps_it() -> None:
    known = replace(FOUND, memory=replace(MEMORY, allocation="A"))
    assert program_arrays.named(known, "cudaMalloc(&b, n);") == known
