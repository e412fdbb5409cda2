"""Accesses that are not under the lock that their kernel takes."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.races import outside_lock
from warpgrade.records import Finding, Memory, Place, SourceFile, Submission

TEXT = """__global__ void largest(int* y, unsigned* lock) {
  if (y[0] > 3) return;
  while (atomicCAS(lock, 0u, 1u) != 0) {}
  y[0] = 1;
  atomicExch(lock, 0u);
  y[1] = 2;
}
__global__ void other(int* y) {
  y[1] = 2;
}
"""
HERE = Place("kernel.cu", 6, block=(1, 0, 0), access="write")
MEMORY = Memory("global", "0x0", 4, "y", 8, 4, "inside", words="y[1]")
RACE = Finding("c", "race", "global-race", "WG114", "error", "m", HERE, other=HERE, memory=MEMORY, help="own")


def advised(line: int, text: str = TEXT) -> Finding:
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    place = replace(HERE, line=line)
    return outside_lock.advised(replace(RACE, place=place, other=replace(HERE, line=4)), handed_in)


def test_a_line_before_or_behind_the_lock() -> None:
    for line in (2, 6):
        found = advised(line)
        assert found.cause == outside_lock.CAUSE
        assert f"Line {line} is not under the lock, which line 3 takes and line 5 gives back" in found.help


def test_one_under_the_lock_one_of_another_kernel_and_two_locks() -> None:
    assert advised(4).cause is None and advised(9).cause is None
    assert advised(6, TEXT.replace("lock, 0u)", "other, 0u)")).cause is None
    twice = TEXT.replace("  y[1] = 2;\n}\n__global__", "  y[1] = 2;\n  atomicExch(lock, 0u);\n}\n__global__")
    assert advised(6, twice).cause is None
