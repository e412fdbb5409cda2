"""Places in the program's terms: indices where a shape is known, nothing made up where it is not."""

from __future__ import annotations

import pytest

from support import sample_results
from warpgrade.judge.causes import places
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (32, 20, 10), "integers", 1.0, Visibility.VISIBLE)
SOURCE = """
#define ROWS 16
constexpr int TILE = ROWS;
constexpr int PAD = TILE / 16;
__shared__ float As[TILE][TILE + PAD], Bs[TILE][TILE];
__shared__ alignas(16) unsigned bins[256];
__device__ double totals[4 * TILE];
__shared__ Pair pairs[8];
__shared__ float odd[limit()];
"""


def memory(name: str, size: int, distance: int, relation: str = "inside") -> Memory:
    space = "shared" if name.startswith("shared") else "global"
    return Memory(space, "0x0", 4, name, size, distance, relation, words="there")


def words(memory: Memory, text: str = SOURCE) -> str:
    finding = Finding(
        "c", "init", "x", "WG121", "error", "thread (1,2,0) reads there", Place(), memory=memory
    )
    return places.in_program_terms(finding, text, sample_results.lab(), CASE).message


@pytest.mark.parametrize(
    ("at", "place"),
    [
        (memory("shared array As", 16 * 17 * 4, 4 * (14 * 17)), "As[14][0]"),
        (memory("shared array Bs", 1024, 900), "Bs[14][1]"),
        (memory("shared array Bs", 1024, 902), "Bs[14][1], byte 2"),
        (memory("shared array bins", 1024, 68), "bins[17]"),
        (memory("totals", 512, 16), "totals[2]"),
        (memory("A", 4 * 320, 4 * 25), "A[2][5]"),
        (memory("A", 4 * 320, 0, "after"), "A[32][0], row 32 of A, which has rows 0 to 31"),
        (memory("A", 4 * 320, 48, "after"), "A[33][2], row 33 of A, which has rows 0 to 31"),
        (memory("A", 4 * 320, -8, "before"), "element −2 of A, which has elements 0 to 319"),
        (memory("shared array bins", 1024, 0, "after"), "element 256 of bins, which has elements 0 to 255"),
    ],
)  # fmt: skip
def test_an_index_stands_for_the_bytes(at: Memory, place: str) -> None:
    assert words(at) == f"thread (1,2,0) reads {place}"


@pytest.mark.parametrize(
    "at",
    [
        memory("shared array pairs", 64, 8),  # a type that is not known
        memory("shared array odd", 64, 8),  # a bound that is no constant
        memory("shared array As", 1024, 8),  # another size than the declaration's
        memory("scratch", 1024, 8),
    ],
)
def test_what_is_not_known_stays(at: Memory) -> None:
    assert words(at) == "thread (1,2,0) reads there"


KERNEL = (
    SOURCE + "__global__ void one(const float4* __restrict__ x, volatile unsigned* const y, half *z, int n);"
)


def test_a_parameter_says_what_an_element_is() -> None:
    found = [words(memory(name, 64, 32), KERNEL) for name in "xyz"]
    assert [each.rpartition(" ")[2] for each in found] == ["x[2]", "y[8]", "z[16]"]
    assert words(memory("x", 60, 32), KERNEL).endswith(" there")  # not a multiple
    unlike = KERNEL + "__global__ void two(const float* x, int n);"
    assert words(memory("x", 64, 32), unlike).endswith(" there")


def test_columns_that_a_declaration_adds_to_a_row() -> None:
    at = [
        places.added_columns(memory("shared array As", 16 * 17 * 4, 4 * i), SOURCE) for i in (15, 16, 17, 33)
    ]
    assert at == [0, 16, 0, 16]
    assert places.added_columns(memory("shared array Bs", 1024, 60), SOURCE) == 0


def test_a_declaration_of_any_length_is_read_in_time() -> None:
    text = "__shared__ float " + "a[" * 20_000 + "\n" + "constexpr int " * 20_000 + "(" + "a * " * 20_000
    assert words(memory("shared array As", 1024, 8), text) == "thread (1,2,0) reads there"


def test_an_access_that_begins_in_its_array_and_ends_behind_it() -> None:
    at = Memory("global", "0x0", 16, "x", 44, -12, "after", words="there")
    text = "__global__ void k(const float* x, int n) {}"
    finding = Finding("c", "memory", "x", "WG101", "error", "reads there", Place(), memory=at)
    message = places.in_program_terms(finding, text).message
    assert message == "reads elements 8 to 11 of x, which has elements 0 to 10"


def test_a_name_has_the_value_of_its_own_file() -> None:
    files = [
        f"constexpr int SIDE = {side};\n__shared__ float {name}[SIDE];" for name, side in (("x", 8), ("y", 4))
    ]
    for name, elements in (("x", 8), ("y", 4)):
        memory = Memory("shared", "0x0", 4, f"shared array {name}", 4 * elements, 8, "inside", words="byte 8")
        found = places.place(memory, places.array_type(memory, "\n".join(files), None, None))
        assert found == f"{name}[2]"
