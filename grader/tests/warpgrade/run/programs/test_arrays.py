"""Memory by the name that the program's call gives it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.records import Finding, HostCall, Memory, Place
from warpgrade.run.programs import arrays

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
    found = arrays.named(FOUND, source)
    assert found.message == f"past {name}, not allocation 31"
    assert found.help == f"{name} has 1000 elements"
    assert found.memory and (found.memory.allocation, found.memory.words) == (name, f"past {name}")


@pytest.mark.parametrize("source", ["", "float* const p = device<float>(n);", "cudaMalloc(where(), n);"])
def test_a_line_without_a_name_leaves_the_number(source: str) -> None:
    assert arrays.named(FOUND, source) == FOUND


def test_what_has_a_name_keeps_it() -> None:
    known = replace(FOUND, memory=replace(MEMORY, allocation="A"))
    assert arrays.named(known, "cudaMalloc(&b, n);") == known


THREE = "cudaMalloc(&d_a, n); cudaMalloc(&d_b, n); cudaMalloc((void**)&d_c, n);"
LINES = {0x10: ("p.cu", 5), 0x20: ("p.cu", 5), 0x30: ("p.cu", 5), 0x40: ("p.cu", 9)}


def makes(caller: int, memory: int) -> HostCall:
    return HostCall("cudaMalloc", caller=caller, memory=memory, bytes=4000)


def at(base: int) -> Finding:
    """A read of the first element, of memory of that address."""
    memory = replace(MEMORY, address=hex(base), relation="inside", made_at="p.cu:5")
    return replace(FOUND, memory=memory)


def name_of(found: Finding) -> tuple[str, str]:
    assert found.memory and found.memory.made_at
    return found.memory.allocation, found.memory.made_at


def test_several_calls_of_a_line_are_distinguished() -> None:
    calls = [makes(0x40, 0x1000), makes(0x30, 0x2000), makes(0x10, 0x3000), makes(0x20, 0x4000)]
    for caller, base, name in ((0x10, 0x3000, "d_a"), (0x20, 0x4000, "d_b"), (0x30, 0x2000, "d_c")):
        making = arrays.making_of(at(base).memory, caller, calls, LINES)
        assert name_of(arrays.named(at(base), THREE, making)) == (name, "p.cu:5")


def test_a_line_of_which_not_all_calls_were_made_leaves_the_number() -> None:
    making = arrays.making_of(at(0x3000).memory, 0x10, [makes(0x10, 0x3000), makes(0x30, 0x2000)], LINES)
    assert name_of(arrays.named(at(0x3000), THREE, making)) == ("allocation 3", "p.cu:5")


@pytest.mark.parametrize("callers", [(0x10, 0x10), (0x10, 0x20)], ids=["loop", "unrolled"])
def test_turns_of_a_loop_are_distinguished(callers: tuple[int, int]) -> None:
    calls = [makes(callers[0], 0x1000), makes(callers[1], 0x2000)]
    source = "for (float*& each : all) cudaMalloc(&each, n);"
    making = arrays.making_of(at(0x2000).memory, callers[1], calls, LINES)
    assert name_of(arrays.named(at(0x2000), source, making)) == ("each", "p.cu:5, in turn 2")
    behind = replace(MEMORY, address=hex(0x1000 + 4000 + 8), distance=8)
    assert arrays.making_of(behind, callers[0], calls, LINES).turn_of_line == 1
