"""Advice on races in global memory: by whose element it is, and by whether blocks hand something over."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.judge.causes.races import global_race
from warpgrade.records import Finding, LaunchShape, Memory, Place

LAB = lab.named(here(), "01-basic")
HERE = Place("kernel.cu", 25, block=(0, 0, 0), thread=(0, 1, 0), access="write")
THERE = replace(HERE, thread=(15, 0, 0))
MEMORY = Memory("global", "0x10", 4, "C", 960, 60, "inside", words="C[0][15]")
RACE = Finding(
    "case", "race", "global-race", "WG114", "error", "a race", HERE, other=THERE, memory=MEMORY, help="any"
)


def advised(finding: Finding, grows: bool = True) -> Finding:
    return global_race.advised(finding, grows, LAB)


def test_an_element_of_one_thread_that_two_write() -> None:
    for kind in ("global-race", "global-race-same-value"):
        found = advised(replace(RACE, kind=kind))
        assert found.cause == "shared-element"
        assert "Several threads write C[0][15]" in found.help and "which is n for C" in found.help


def test_an_index_that_multiplies_by_another_size_is_named_first() -> None:
    case = LAB.cases[0]
    wrong = replace(HERE, source="C[row * m + column] = sum;")
    found = global_race.advised(replace(RACE, place=wrong), True, LAB, case)
    assert found.cause == "shared-element" and "blockIdx" not in found.help
    assert "a row of it has n elements, and this index multiplies by m" in found.help
    right = replace(HERE, source="C[row * n + column] = sum;")
    assert "blockIdx" in global_race.advised(replace(RACE, place=right), True, LAB, case).help


def test_an_element_of_all_threads_is_another_mistake() -> None:
    assert advised(RACE, grows=False) == RACE
    other_line = replace(RACE, other=replace(THERE, line=30))
    assert advised(other_line) == other_line


def test_what_one_block_reads_of_another_is_handed_over() -> None:
    reads = replace(RACE, place=replace(HERE, access="read"), other=replace(THERE, block=(1, 0, 0)))
    assert "__threadfence()" in advised(reads).help and advised(reads).cause is None
    same_block = replace(reads, other=THERE)
    assert advised(same_block) == same_block


def test_the_first_lanes_of_two_warps() -> None:
    race = replace(RACE, place=replace(HERE, thread=(64, 0, 0)), other=replace(THERE, thread=(0, 0, 0)))
    line = LaunchShape((128,), (1,))
    found = global_race.advised(race, True, LAB, shape=line)
    assert found.cause == "result-of-each-warp" and "warp 2 and of warp 0 both write C[0][15]" in found.help
    assert global_race.advised(race, True, LAB, shape=LaunchShape((32, 4), (32, 4))).cause == "shared-element"
    second = replace(race, place=replace(HERE, thread=(65, 0, 0)))
    assert global_race.advised(second, True, LAB, shape=line).cause == "shared-element"


def test_a_known_cause_stays() -> None:
    known = replace(RACE, cause="lost-update")
    assert advised(known) == known


def test_a_plain_access_beside_a_volatile_one() -> None:
    plain = replace(HERE, access="read", source="word = words[other];")
    volatile = replace(THERE, block=(1, 0, 0), source="*static_cast<volatile unsigned*>(word) = 1;")
    found = advised(replace(RACE, place=plain, other=volatile))
    assert found.cause == "one-side-volatile" and "volatile pointer" in found.help
    both = replace(RACE, place=replace(plain, source="volatile int v = w[0];"), other=volatile)
    assert advised(both).cause is None


def test_two_words_that_one_load_reads_at_once() -> None:
    torn = replace(RACE, place=replace(HERE, access="read"), cause="torn-words")
    assert "into one word" in advised(torn).help and advised(torn).cause == "torn-words"


def test_data_that_are_read_before_the_flag() -> None:
    early = replace(RACE, place=replace(HERE, access="read"), cause="early-read")
    assert "behind the loop that waits" in advised(early).help and advised(early).cause == "early-read"


def test_one_element_that_each_block_writes() -> None:
    """An array that does not grow with the case: a count, say. Two lines, or one block, are others."""
    blocks = replace(RACE, other=replace(THERE, block=(1, 0, 0)))
    found = advised(blocks, grows=False)
    assert found.cause == "written-by-all-blocks" and "Each block writes C[0][15]" in found.help
    two_lines = replace(RACE, other=replace(THERE, block=(1, 0, 0), line=30))
    assert advised(two_lines, grows=False) == two_lines
    assert advised(RACE, grows=False) == RACE


def test_one_element_that_all_threads_of_a_block_write() -> None:
    """What one thread of the block should do says nothing where two blocks meet."""
    same, other = advised(RACE), advised(replace(RACE, other=replace(THERE, block=(1, 0, 0))))
    assert RACE.place.block == THERE.block
    assert "if (threadIdx.x == 0)" in same.help and "if (threadIdx.x == 0)" not in other.help


def test_two_parts_of_a_kernel_that_take_the_same_element() -> None:
    rest = replace(THERE, line=30, source="  if (rest < n) C[rest] += a * x[rest];")
    for access in ("read", "write"):
        found = advised(replace(RACE, place=replace(HERE, access=access), other=rest))
        assert found.cause == "parts-overlap" and "Lines 25 and 30 both take C[0][15]" in found.help
    assert advised(replace(RACE, other=rest), grows=False).cause is None
    spelled_out = replace(rest, source="  if (rest < n) C[rest] = a * x[rest] + C[rest];")
    assert advised(replace(RACE, other=spelled_out)).cause == "parts-overlap"
    for source in (
        "  D[rest] += C[rest];",
        "  D[rest] = C[rest] + D[rest];",
        "  if (C[rest] == C[i]) n = 0;",
    ):
        assert advised(replace(RACE, other=replace(rest, source=source))).cause is None


def test_a_plain_store_without_a_fence_that_is_read_by_a_volatile_pointer() -> None:
    volatile = replace(HERE, access="read", source="s += ((volatile float*)part)[b];")
    plain = replace(THERE, block=(1, 0, 0), source="part[blockIdx.x] = a[0];")
    race = replace(RACE, place=volatile, other=plain)
    assert "__threadfence() after its store" in global_race.advised(race, False, LAB).help
    fenced = global_race.advised(race, False, LAB, text="__threadfence();")
    assert fenced.cause == "one-side-volatile"
