"""Advice on an access outside a matrix fits who made it and how far it is off."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.course import arrays
from warpgrade.judge.causes.out_of_bounds.out_of_bounds import advised, by_pointer
from warpgrade.records import ArrayShape, Case, Finding, Lab, LaunchShape, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (15, 20, 10), "integers", 1.0, Visibility.VISIBLE)
LAB = sample_results.lab()
ONE_EACH, MANY = LaunchShape((16, 16), (16, 16)), LaunchShape((8, 8), (32, 32))
OWN = "the emulator's own"


def advice(name: str, distance: int, thread: tuple[int, int] = (0, 0), shape: LaunchShape | None = MANY,
         relation: str = "after", code: str = "WG101", text: str = "for (i = 0; i <= k; ++i)",
         case: Case = CASE, line: int = 7, source: str = "") -> str:  # fmt: skip
    count = math.prod(arrays.shapes(LAB, case).get(name, (150,)))
    memory = Memory("global", "0x0", 4, name, 4 * count, distance, relation)
    place = Place("kernel.cu", line, source=source, block=(0, 0, 0), thread=(*thread, 0))
    return advised(
        Finding("c", "memory", "x", code, "error", "m", place, memory=memory, help=OWN),
        LAB,
        case,
        shape,
        text,
    ).help


def test_the_first_element_behind_the_last() -> None:
    assert "says <=, it should say <" in advice("A", 0) and "A has 15 × 10 elements (m × k)" in advice("A", 0)


def test_behind_the_end_of_the_last_row() -> None:
    assert "3 behind the end of its last row: bound the column by k" in advice("A", 8)


@pytest.mark.parametrize(("name", "width", "sign"), [("A", 10, "m"), ("B", 20, "k"), ("C", 20, "m")])
def test_a_row_too_far(name: str, width: int, sign: str) -> None:
    assert f"a row too far: bound the row by {sign}" in advice(name, 4 * (width - 1))
    assert "3 rows too far" in advice(name, 4 * (3 * width + 2))


def test_a_negative_index() -> None:
    assert "negative" in advice("B", -80, relation="before")


def test_a_thread_that_stands_outside_an_input_reads_it() -> None:
    memory = Memory("global", "0x0", 4, "C", 4 * 15 * 20, 0, "after")
    place = Place("kernel.cu", 7, block=(0, 0, 0), thread=(3, 15, 0), access="read")
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
    assert "must not read there" in advised(found, LAB, CASE, ONE_EACH, "").help


def test_what_is_not_there_counts_as_zero_in_a_tile_only() -> None:
    tile = "__shared__ float tile[16];\nfor (i = 0; i < k; ++i)"
    assert "must not read there, and counts as 0" in advice("A", 40, (3, 15), ONE_EACH, text=tile)
    words = advice("A", 40, (3, 15), ONE_EACH, text="for (i = 0; i < k; ++i)")
    assert "must not read there." in words


def test_a_thread_that_stands_outside() -> None:
    """Whatever the distance: the first element behind A is where row m begins, too."""
    assert "its row 15 is not below m = 15: it must not read there" in advice("A", 0, (3, 15), ONE_EACH)
    assert "its row 15 is not below m = 15: it must not write" in advice("C", 0, (3, 15), ONE_EACH)
    assert "says <=" in advice("A", 0, (3, 14), ONE_EACH)
    assert "says <=" in advice("B", 0, (3, 15), ONE_EACH), "rows of B are not the thread's"


def test_what_is_not_known_stays() -> None:
    assert advice("scratch", 0) == advice("A", 0, relation="inside") == advice("A", 0, code="WG103") == OWN


def test_a_sign_that_is_not_there_is_not_blamed() -> None:
    words = advice("B", 0, text="for (i = 0; i < k; ++i)")
    assert "<=" not in words and "the width of a row in the index, which is n for B" in words


def test_a_sign_far_from_the_access_is_not_blamed() -> None:
    lines = [
        "bool is_near(int x, int n) { return x <= n; }",
        *[""] * 20,
        "for (int i = 0; i < k; ++i)",
        "sum += A[i];",
    ]
    far = "\n".join(lines)
    near = far.replace("i < k", "i <= k")
    source = "  sum += A[i];  // one more"
    assert "<=" not in advice("A", 0, text=far, line=len(lines), source=source)
    assert "says <=" in advice("A", 0, text=near, line=len(lines), source=source)


def test_where_every_tile_is_whole_no_bound_is_missing() -> None:
    whole = Case("c", ("m", "n", "k"), (32, 32, 32), "integers", 1.0, Visibility.VISIBLE)
    words = advice("B", 1024, shape=LaunchShape((16, 16), (16, 16)), case=whole)
    assert "257 behind its last: look at the condition of this access, and at how far each loop" in words
    assert "runs, and where a loop" in words
    assert "bound the row" not in words


def shared(code: str, threads: int) -> str:
    memory = Memory("shared", "0x400", 4, "shared array As", 1024, 0, "after")
    found = Finding("c", "memory", "x", code, "error", "m", Place("kernel.cu", 7), memory=memory, help=OWN)
    return advised(
        found, LAB, CASE, LaunchShape((threads, threads), (threads, threads)), "i <= TILE_WIDTH"
    ).help


def test_a_shared_array_has_the_tile_s_size() -> None:
    assert shared("WG101", 16) == (
        "As has room for 256 floats: keep each index below its dimension, and where a loop or a bound says "
        "<=, let it say <."
    )


def test_more_threads_than_a_tile_has_elements() -> None:
    for code in ("WG102", "WG111"):
        assert "LAUNCH_SHAPE(32, 32, 32, 32) gives a block 1,024 threads" in shared(code, 32)
    assert shared("WG111", 16) == OWN


def test_a_variable_that_all_threads_share_is_not_crowded() -> None:
    def advice_of(size: int, width: int) -> str:
        memory = Memory("shared", "0x400", width, "shared array is_last", size, 0, "inside")
        found = Finding("c", "race", "x", "WG111", "error", "m", Place("k.cu", 7), memory=memory, help=OWN)
        return advised(found, LAB, CASE, LaunchShape((256,), (256,))).help

    assert advice_of(1, 1) == OWN, "one flag"
    assert advice_of(32, 4) == OWN, "an element for each warp"
    assert "room for 128 elements" in advice_of(256, 2)


# --- other labs ---------------------------------------------------------------------------------

VECTORS = replace(sample_results.lab(), arrays=(ArrayShape("x", ("n",)), ArrayShape("y", ("n",))), covers="y")
LINE = Case("c", ("n",), (100,), "integers", 1.0, Visibility.VISIBLE)


def of_vector(name: str, distance: int, thread: int, shape: LaunchShape, element: int = 4) -> str:
    memory = Memory("global", "0x0", element, name, 100 * element, distance, "after")
    place = Place("kernel.cu", 7, block=(3, 0, 0), thread=(thread, 0, 0))
    finding = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
    return advised(finding, VECTORS, LINE, shape, "").help


def test_a_vector_has_an_index_and_no_rows() -> None:
    ones, fours = LaunchShape((32, 1), (32, 1)), LaunchShape((32, 1), (128, 1))
    outside = "This thread stands outside y, as its index 100 is not below n = 100: it must not"
    assert of_vector("y", 0, 4, ones) == f"{outside} write."
    assert of_vector("x", 0, 4, ones) == f"{outside} read there."
    words = of_vector("x", 12, 0, fours)
    assert words.startswith("x has 100 elements (n), and this is 4 behind its last: bound the index by n")


def test_a_part_of_a_struct_behind_the_last_one_is_no_matter_of_columns() -> None:
    """Thread 100 reads the second word of particle 100, of 100 particles of three words."""
    structs = replace(VECTORS, covers="", arrays=(ArrayShape("x", ("n", "3")),))
    memory = Memory("global", "0x0", 4, "x", 1200, 4, "after")
    place = Place("kernel.cu", 7, block=(3, 0, 0), thread=(4, 0, 0))
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
    words = advised(found, structs, LINE, LaunchShape((32,), (32,)), "").help
    assert "number in the launch is 100: let it read and write only where its number is below n" in words


def test_elements_have_the_size_of_their_array() -> None:
    assert "this is 4 behind its last" in of_vector("x", 24, 0, LaunchShape((32, 1), (128, 1)), 8)


def test_an_index_that_is_the_threads_number() -> None:
    line, part = LaunchShape((32,), (32,)), replace(VECTORS, covers="")
    bins = replace(part, arrays=(ArrayShape("x", ("100",)),))

    def advice_of(lab: Lab, thread: int, distance: int) -> str:
        memory = Memory("global", "0x0", 4, "x", 400, distance, "after")
        place = Place("kernel.cu", 7, block=(3, 0, 0), thread=(thread, 0, 0))
        found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
        return advised(found, lab, LINE, line, "i <= n").help

    assert "number in the launch is 104: let it read and write only where" in advice_of(part, 8, 16)
    assert "where a loop or a bound says <=" in advice_of(part, 8, 0), "another index than its number"
    assert advice_of(bins, 8, 16).endswith("this thread's number in the launch: is it meant to be?")
    # A lab that declares no arrays: elements are as wide as the access.
    bare = replace(part, arrays=())
    assert "x has 100 elements of 4 bytes" in advice_of(bare, 8, 16) and "below n = 100." in advice_of(
        bare, 8, 16
    )
    assert "says <=, it should say <" in advice_of(bare, 8, 0)
    assert "this is 4 behind its last: bound the index by 100 before" in advice_of(bare, 8, 12)


def test_a_bound_that_lets_one_thread_too_many_through() -> None:
    memory = Memory("global", "0x0", 4, "x", 400, 0, "after")
    place = Place("kernel.cu", 7, block=(3, 0, 0), thread=(4, 0, 0))
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
    lab = replace(VECTORS, covers="", arrays=())
    words = [advised(found, lab, LINE, LaunchShape((32,), (32,)), text).help for text in ("i <= n", "i < n")]
    assert words[0] == words[1] + " A <= lets one too many through."


def test_a_shared_element_of_the_threads_own_number() -> None:
    def found(thread: int, distance: int = 0) -> Finding:
        memory = Memory("shared", "0x0", 4, "shared array sums", 32, distance, "after")
        place = Place("kernel.cu", 7, block=(0, 0, 0), thread=(thread, 0, 0))
        return Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)

    line = LaunchShape((256,), (1,))
    own = advised(found(8), LAB, CASE, line)
    assert own.cause == "own-number" and "Only threads below 8 have one" in own.help
    assert advised(found(9, 4), LAB, CASE, line).cause == "own-number"
    for thread, shape in ((7, line), (8, LaunchShape((16, 16), (16, 16)))):
        assert "keep each index below its dimension" in advised(found(thread), LAB, CASE, shape).help


def swapped(name: str, distance: int, block: tuple[int, int], thread: tuple[int, int]) -> str | None:
    """Of a 32×64 result with blocks of 16×16: the cause."""
    case = Case("c", ("m", "n", "k"), (32, 64, 96), "integers", 1.0, Visibility.VISIBLE)
    count = math.prod(arrays.shapes(LAB, case)[name])
    memory = Memory("global", "0x0", 4, name, 4 * count, distance, "after")
    place = Place("kernel.cu", 7, block=(*block, 0), thread=(*thread, 0))
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory)
    return advised(found, LAB, case, ONE_EACH).cause


def test_swapped_block_indices_are_seen_from_where_the_access_lies() -> None:
    assert swapped("A", 4 * 3, (2, 0), (5, 0)) == "block-indices-swapped", "row 32 of A, column 3"
    assert swapped("C", 4 * 5, (2, 0), (5, 0)) == "block-indices-swapped", "row 32, column 5"
    assert swapped("A", 4 * 3, (2, 0), (5, 1)) == "outside-the-array", "its row would be 33"
    assert swapped("A", 4 * 3, (2, 2), (5, 0)) == "outside-the-array", "both indices are the same"


def test_an_access_is_reported_for_the_array_of_its_pointer() -> None:
    memory = Memory("global", "0x0", 4, "B", 800, 0, "after", "0 bytes past B", "C", 1200, -2_147_483_648)
    found = Finding("c", "memory", "x", "WG102", "error", "write, 0 bytes past B", Place(), memory=memory)
    shown = by_pointer(found)
    assert shown.memory is not None and shown.memory.allocation == "C" and shown.memory.relation == "before"
    assert shown.message == "write, 2,147,483,648 bytes before the start of C"
    advice = advised(shown, LAB, CASE, None)
    assert advice.cause == "index-overflow" and "−536,870,912" in advice.help


def test_an_index_from_a_counter_that_nobody_has_set() -> None:
    memory = Memory("global", "0x0", 4, "A", 600, -2_000_000_000, "before")
    found = Finding("c", "memory", "x", "WG102", "error", "m", Place("kernel.cu", 7), memory=memory, help=OWN)
    line = replace(found.place, source="  if (x > 0) A[atomicAdd(count, 1)] = x;")
    assert "its counter" in advised(replace(found, place=line), LAB, CASE, MANY).help
    other = replace(line, source="  count = atomicAdd(n, 1), A[row * k + column] = x;")
    assert "Compute large indices" in advised(replace(found, place=other), LAB, CASE, MANY).help


def test_a_group_of_which_only_the_first_elements_are_there() -> None:
    memory = Memory("global", "0x0", 16, "C", 4 * 15 * 20, -12, "after")
    place = Place("kernel.cu", 7, block=(0, 0, 0), thread=(0, 0, 0))
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
    advised_of = advised(found, LAB, CASE, MANY, "")
    assert advised_of.cause == "group-reaches-out"
    assert "takes 4 elements at once, and C has only 3 from there on" in advised_of.help
    negative = replace(found, memory=replace(memory, distance=-16))
    assert advised(negative, LAB, CASE, MANY, "").cause == "index-overflow", (
        "no byte of it lies behind the end"
    )


def test_a_shared_array_has_room_for_its_own_elements() -> None:
    memory = Memory("shared", "0x0", 4, "shared array counts", 1024, 180, "after")
    found = Finding("c", "memory", "x", "WG102", "error", "m", Place("k.cu", 2), memory=memory, help=OWN)

    def room(text: str) -> str:
        return advised(found, LAB, CASE, None, text).help

    assert "room for 256 elements" in room("__shared__ int counts[256];\ncounts[i] = 1;")
    assert "room for 256 floats" in room("__shared__ float other[1], counts[256];\ncounts[i] = 1;")


@pytest.mark.parametrize(("index", "step"), [(-1, "one element"), (-20, "one row"), (-2, ""), (-320, "")])
def test_a_neighbour_of_the_first_element(index: int, step: str) -> None:
    assert arrays.shapes(LAB, CASE)["B"] == (10, 20)
    memory = Memory("global", "0x0", 4, "B", 4 * 10 * 20, 4 * index, "before")
    place = Place("kernel.cu", 7, block=(0, 0, 0), thread=(0, 0, 0))
    found = Finding("c", "memory", "x", "WG101", "error", "m", place, memory=memory, help=OWN)
    advice = advised(found, LAB, CASE, MANY, "")
    assert (f"{step} before the first" in advice.help) == bool(step)
    assert advice.cause == ("outside-the-array" if step else "index-overflow")


def test_planes_that_are_too_far_are_counted_as_planes() -> None:
    lab = replace(LAB, arrays=(ArrayShape("x", ("k", "m", "n")),), covers="")
    beyond = 4 * (3 * 15 * 20 + 7)
    memory = Memory("global", "0x0", 4, "x", 4 * 10 * 15 * 20, beyond, "after")
    found = Finding("c", "memory", "x", "WG101", "error", "m", Place("kernel.cu", 7), memory=memory, help=OWN)
    assert "3 planes too far: bound the plane by k" in advised(found, lab, CASE, MANY, "").help


def test_a_lab_s_array_is_not_a_constant_array_of_its_name() -> None:
    memory = Memory("constant", "0x0", 4, "A", 900, 124, "after")
    found = Finding("c", "memory", "x", "WG101", "error", "m", Place("kernel.cu", 7), memory=memory, help=OWN)
    assert "A has 225 elements" in advised(found, LAB, CASE, MANY, "").help


@pytest.mark.parametrize("index", ["row * m + i", "static_cast<size_t>(row) * m + i", "m * row + i"])
def test_a_row_of_another_width(index: str) -> None:
    assert "a row of it has k elements, and this index multiplies by m" in advice(
        "A", 99, source=f"A[{index}]"
    )


@pytest.mark.parametrize("index", ["row * k + i", "row * width + i", "(row * m + i) * k", "row * 4 + i"])
def test_a_width_that_is_right_or_not_known_is_not_blamed(index: str) -> None:
    assert "multiplies" not in advice("A", 99, source=f"x = A[{index}] + B[i * m];")


OF_FUNCTION = """
__device__ float element(const float* matrix, int rows, int columns, int row, int column) {
  return row < rows ? matrix[row * WIDTH + column] : 0.0f;
}
__global__ void kernel(const float* A, int m, int n, int k) { use(element(A, m, k, 1, 2)); }
"""


@pytest.mark.parametrize(("width", "is_wrong"), [("rows", True), ("columns", False), ("other", False)])
def test_a_row_of_another_width_in_a_function_that_is_given_the_array(width: str, is_wrong: bool) -> None:
    text = OF_FUNCTION.replace("WIDTH", width)
    words = advice("A", 4 * 90, text=text, source=text.strip().split("\n")[1])
    shown = "this index multiplies by rows, which is m where A is given. Row r begins at r * k"
    assert (shown in words) == is_wrong


def test_an_index_before_the_first_shared_array_is_negative() -> None:
    memory = Memory("shared", "0xfffffff8", 4, "shared array sums", 1024, -8, "before")
    found = Finding("c", "memory", "x", "WG101", "error", "m", Place("kernel.cu", 7), memory=memory, help=OWN)
    shown = advised(found, LAB, CASE, MANY, "__shared__ float sums[256];")
    assert shown.cause == "outside-the-array" and "the index here is negative: −2" in shown.help


def test_a_launch_in_one_dimension_may_cover_rows_of_a_fixed_width() -> None:
    """Results of two words each, such as structs: the array has two dimensions, the launch one."""
    assert "first one behind its last" in advice("C", 0, shape=LaunchShape((128,), (128,)))


def test_a_race_that_has_a_cause_keeps_its_advice() -> None:
    memory = Memory("shared", "0x0", 4, "shared array tile", 4 * 32, 0, "inside")
    place = Place("kernel.cu", 7, block=(0, 0, 0), thread=(32, 0, 0), access="write")
    race = Finding("c", "race", "x", "WG111", "error", "m", place, memory=memory, help=OWN)
    assert "go together" in advised(race, LAB, CASE, LaunchShape((64,), (1,))).help
    known = replace(race, cause="lane-for-warp")
    assert advised(known, LAB, CASE, LaunchShape((64,), (1,))) == known
