"""What wrong elements depend on, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.wrong_answer import block_parts, footprints, influence, parts, weights
from warpgrade.records import (
    ElementFootprint,
    ElementInfluences,
    Influences,
    InputInfluence,
    LaunchShape,
    Operations,
    Partners,
    Touched,
    Weight,
    Wrong,
)

ALL = (0, 31)
INDICES = ((0, 1), (12, 15), (24, 21))


def acts(array: str, needs: tuple[object, ...], uses: tuple[object, ...], **more: object) -> InputInfluence:
    """An input of which these ranges, one for each dimension, are needed and used."""
    none: tuple[tuple[tuple[int, ...], ...], ...] = ((),) * len(needs)
    found = InputInfluence(array, (32,) * len(needs), True, True, False, _axes(needs), _axes(uses), none, ())
    return replace(found, **more)  # type: ignore[arg-type]


def _axes(ranges: tuple[object, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple((each,) if isinstance(each, tuple) else ((each, each),) for each in ranges)  # type: ignore[misc]


def same(array: str) -> InputInfluence:
    return InputInfluence(array, (32, 32), True, True, True, (), (), (), ())


def told(
    inputs: list[tuple[InputInfluence, ...]],
    values: tuple[tuple[float, float], ...] = ((1, 2), (3, 5), (4, 7)),
    indices: tuple[tuple[int, ...], ...] = INDICES,
    pattern: str = "all",
    shape: LaunchShape | None = None,
) -> tuple[str, str]:
    """Cause and words."""
    elements = [
        ElementInfluences(index, *value, each)
        for index, value, each in zip(indices, values, inputs, strict=False)
    ]
    wrong = Wrong(9, 9, "C", (32, 32), indices[0], 1, 2, pattern=pattern)
    wrong = replace(wrong, influences=Influences("small", tuple(elements)))
    found = list(influence.doubts(wrong, shape))
    return (found[0].cause, found[0].words) if found else ("", "")


def test_nothing_is_said_where_nothing_was_tried() -> None:
    assert list(influence.doubts(Wrong(9, 9, "C", (32, 32), (0, 1), 1, 2))) == []


def test_rows_in_place_of_columns() -> None:
    inputs = [(acts("A", (i, ALL), (j, ALL)), same("B")) for i, j in INDICES]
    cause, words = told(inputs)
    assert cause == parts.ELSEWHERE
    assert "C[i][j] needs A[i][0–31], and your kernel uses A[j][0–31] instead" in words
    assert "inputs of small, for C[0][1], C[12][15] and C[24][21]" in words


def test_one_element_alone_has_its_own_numbers() -> None:
    cause, words = told([(acts("A", (0, ALL), (1, ALL)),)])
    assert cause == parts.ELSEWHERE
    assert "C[0][1] needs A[0][0–31], and your kernel uses A[1][0–31] instead" in words


def test_the_last_is_left_out() -> None:
    inputs = [(acts("A", (i, ALL), (i, (0, 30)), alike=_axes((i, (0, 30)))),) for i, _ in INDICES]
    cause, words = told(inputs)
    assert cause == parts.LEFT_OUT
    assert "needs A[i][0–31], and your kernel leaves out A[i][31]" in words


def test_a_cross_fills_no_rectangle() -> None:
    corner = (Weight((0, 0), 0, 0),)
    inputs = [
        (acts("x", ((i, i + 2), (j, j + 2)), ((i, i + 2), (j, j + 3)), weights=corner),) for i, j in INDICES
    ]
    inputs[0] = (replace(inputs[0][0], weights=(Weight((0, 1), 0, 0),)),)
    assert "C[i][j] needs elements of x[i–i + 2][j–j + 2], and your kernel also uses" in told(inputs)[1]


def test_most_is_left_out() -> None:
    cause, words = told([(acts("A", (i, ALL), (i, 0)),) for i, _ in INDICES])
    assert cause == parts.LEFT_OUT
    assert "uses only A[i][0] of them" in words


def test_what_vanishes_in_rounding_is_not_left_out() -> None:
    counts = (Weight((0, 0), 7, 8135),)
    inputs = [(acts("A", (i, ALL), (i, (0, 30)), weights=counts),) for i, _ in INDICES]
    cause, words = told(inputs)
    assert cause == weights.COUNTED
    assert "If A[0][0] grows by 1, C[0][1] should grow by 7, and in your kernel by 8135" in words


def test_one_too_many() -> None:
    cause, words = told([(acts("A", (i, (0, 15)), (i, (0, 16))),) for i, _ in INDICES])
    assert cause == parts.TOO_MUCH
    assert "needs A[i][0–15], and your kernel also uses A[i][16]" in words


def test_factors_that_do_not_belong_together() -> None:
    inputs = [
        (acts("A", (i, ALL), (i, ALL), partners=Partners((i, 0), "B", (0, j), (15, j))),) for i, j in INDICES
    ]
    cause, words = told(inputs)
    assert cause == influence.JOINED
    assert "For C[i][j], your kernel joins A[i][0] with B[15][j], and B[0][j] belongs to it" in words


def test_elements_that_should_count_alike() -> None:
    counts = (Weight((0, 0), 1, -10), Weight((0, 31), 1, 14))
    cause, words = told([(acts("x", (i, ALL), (i, ALL), weights=counts),) for i, _ in INDICES])
    assert cause == weights.COUNTED
    assert (
        "All elements of x should count alike for C[0][1]. In your kernel it changes by -10 if x[0][0]"
        in words
    )


@pytest.mark.parametrize(
    ("ratio", "words"), [(-1, "with the wrong sign"), (2, "changes 2 times as much with A")]
)
def test_all_count_for_more(ratio: float, words: str) -> None:
    counts = (Weight((0, 0), 3, 3 * ratio), Weight((0, 31), 5, 5 * ratio))
    cause, found = told([(acts("A", (i, ALL), (i, ALL), weights=counts),) for i, _ in INDICES])
    assert cause == weights.TIMES
    assert words in found


def test_nothing_is_used() -> None:
    nothing = [(acts("A", (i, ALL), (i, ALL), is_used=False),) for i, _ in INDICES]
    cause, words = told(nothing)
    assert cause == influence.CONSTANT
    assert "C[i][j] comes out the same whatever A holds" in words


def test_one_input_is_not_used_or_not_needed() -> None:
    cause, words = told([(same("A"), acts("B", (i, ALL), (i, ALL), is_used=False)) for i, _ in INDICES])
    assert (cause, "should change with B, and in your kernel it does not" in words) == (
        influence.UNUSED,
        True,
    )
    cause, words = told([(same("A"), acts("B", (i, ALL), (i, ALL), is_needed=False)) for i, _ in INDICES])
    assert (cause, "changes with B in your kernel, and should not" in words) == (influence.NOT_NEEDED, True)


def test_what_is_added_that_is_no_input() -> None:
    inputs = [(same("A"), same("B")) for _ in INDICES]
    cause, words = told(inputs, values=((1, 2), (3, 18), (4, 25)))
    assert cause == influence.ADDED
    assert "C[i][j] is off by j, whatever they hold" in words
    cause, words = told(inputs, values=((1, 2.5), (3, 4.75), (4, 4)))
    assert "C[0][1] is off by 1.5, whatever they hold" in words


def test_nothing_is_said_that_the_pattern_says() -> None:
    assert told([(same("A"), same("B")) for _ in INDICES], pattern="same-difference") == ("", "")
    unused = [(same("A"), acts("B", (i, ALL), (i, ALL), is_used=False)) for i, _ in INDICES]
    assert told(unused, pattern="unchanged") == ("", "")


def test_all_that_is_used_is_a_part_of_what_is_needed() -> None:
    inputs = [(acts("x", ((i, i + 2), (j, j + 2)), (i + 1, j + 1)),) for i, j in INDICES]
    cause, words = told(inputs)
    assert cause == parts.LEFT_OUT
    assert "needs x[i–i + 2][j–j + 2], and your kernel uses only x[i + 1][j + 1] of them" in words


def test_what_lies_beside_the_block_is_left_out() -> None:
    indices = ((7, 1), (15, 12), (23, 21))  # the last rows of blocks of 8
    own = [((i - 1, i), (j, j)) for i, j in indices]
    inputs = [
        (acts("x", ((i - 1, i + 1), (j, j)), uses, alike=_axes(uses)),)
        for (i, j), uses in zip(indices, own, strict=True)
    ]
    cause, words = told(inputs, indices=indices, shape=LaunchShape((32, 8), (32, 8)))
    assert cause == block_parts.CAUSE
    assert "leaves out x[i + 1][j]" in words and "beside the 32 × 8 elements" in words
    assert told(inputs, indices=indices)[0] == parts.LEFT_OUT
    assert told(inputs, indices=indices, shape=LaunchShape((32, 16), (32, 16)))[0] == parts.LEFT_OUT


def test_the_smallest_in_place_of_the_largest() -> None:
    operations = Operations(("largest",), ("smallest",))
    inputs = [(acts("x", (i, ALL), (i, ALL), operations=operations),) for i, _ in INDICES]
    cause, words = told(inputs)
    assert cause == influence.OPERATION
    assert "C[i][j] should be the largest of x[i][0–31], and in your kernel it is the smallest" in words
    assert told(inputs[:1])[0] != influence.OPERATION  # one element alone may be it by chance


def test_a_corner_that_is_left_out() -> None:
    inputs = [
        (
            acts(
                "x",
                ((i, i + 2), (j, j + 2)),
                ((i, i + 2), (j, j + 2)),
                weights=(Weight((i, j), 1, 0, is_steady=False), Weight((i + 1, j), 1, 1, is_steady=False)),
                selects=True,
            ),
        )
        for i, j in INDICES
    ]
    cause, words = told(inputs)
    assert cause == parts.LEFT_OUT
    assert "C[i][j] needs x[i][j], and your kernel leaves it out" in words


def test_terms_that_should_be_factors() -> None:
    ones = (Weight((0, 0), 7, 1), Weight((0, 31), -3, 1))
    inputs = [tuple(acts(name, (i, ALL), (i, ALL), weights=ones) for name in ("A", "B")) for i, _ in INDICES]
    cause, words = told(inputs)
    assert cause == weights.NOT_MULTIPLIED
    assert "an element of A or of B" in words and "multiply the two" in words


def test_numbers_of_what_does_not_change_in_proportion_are_not_told() -> None:
    counts = (Weight((0, 0), 3, 8, is_steady=False), Weight((0, 31), 5, 2, is_steady=False))
    assert told([(acts("A", (i, ALL), (i, ALL), weights=counts),) for i, _ in INDICES]) == ("", "")


def footprint(at: int, right: list[tuple[int, float]], got: list[tuple[int, float]]) -> ElementFootprint:
    of_oracle, of_kernel = ([Touched((place,), by) for place, by in each] for each in (right, got))
    return ElementFootprint("marks", (at,), tuple(of_oracle), tuple(of_kernel))


def found_by(*steps: ElementFootprint, elements: tuple[ElementInfluences, ...] = ()) -> tuple[str, str]:
    wrong = replace(Wrong(9, 9, "counts", (16,), (0,), 1, 2), influences=Influences("small", elements, steps))
    found = list(influence.doubts(wrong))
    return (found[0].cause, found[0].words) if found else ("", "")


def test_a_count_that_grows_by_the_value() -> None:
    cause, words = found_by(
        footprint(0, [(1, -1), (7, 1)], [(1, -1), (7, 7)]), footprint(8, [(3, -1), (4, 1)], [(3, -3), (4, 4)])
    )
    assert cause == footprints.AMOUNT
    assert "If marks[0] is another one, counts[7] should change by 1" in words and "by 7" in words


def test_the_count_beside_the_right_one() -> None:
    cause, words = found_by(
        footprint(0, [(1, -1), (7, 1)], [(2, -1), (8, 1)]), footprint(8, [(3, -1), (4, 1)], [(4, -1), (5, 1)])
    )
    assert cause == footprints.PLACE
    assert "Where counts[i] should change, your kernel changes counts[i + 1]" in words


def test_right_steps_show_nothing() -> None:
    right = [(1, -1.0), (7, 1.0)]
    assert found_by(footprint(0, right, right), footprint(3, right, right)) == ("", "")
    assert found_by(footprint(0, right, [(2, -1), (8, 1)])) == ("", "")  # one alone


def test_part_of_the_input_of_a_histogram_is_left_out() -> None:
    marks = acts("marks", ((0, 4095),), (0,))
    quarters = tuple((first, first + 255) for first in range(0, 4096, 1024))
    used = replace(marks, shape=(4096,), uses=(quarters,), alike=(quarters,))
    cause, words = found_by(elements=(ElementInfluences((), 0, 7, (used,)),))
    assert cause == parts.LEFT_OUT
    assert "counts needs marks[0–4,095], and your kernel uses only marks[0–255 of every 1,024]" in words


def test_one_element_that_counts_otherwise() -> None:
    inputs = [
        (
            acts(
                "x",
                ((i, i + 1), j),
                ((i, i + 1), j),
                weights=(Weight((i, j), 0.25, 0.25), Weight((i + 1, j), 0.5, 0.25)),
            ),
        )
        for i, j in INDICES
    ]
    cause, words = told(inputs)
    assert cause == weights.COUNTED
    assert "x[i + 1][j] should count 0.5 times for C[i][j], and in your kernel it counts 0.25 times" in words
