"""What wrong elements depend on, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.wrong_answer import influence
from warpgrade.records import ElementInfluences, Influences, InputInfluence, Partners, Weight, Wrong

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
) -> tuple[str, str]:
    """Cause and words."""
    elements = [
        ElementInfluences(index, *value, each)
        for index, value, each in zip(indices, values, inputs, strict=False)
    ]
    wrong = Wrong(9, 9, "C", (32, 32), indices[0], 1, 2, pattern=pattern)
    wrong = replace(wrong, influences=Influences("small", tuple(elements)))
    found = list(influence.doubts(wrong))
    return (found[0].cause, found[0].words) if found else ("", "")


def test_nothing_is_said_where_nothing_was_tried() -> None:
    assert list(influence.doubts(Wrong(9, 9, "C", (32, 32), (0, 1), 1, 2))) == []


def test_rows_in_place_of_columns() -> None:
    inputs = [(acts("A", (i, ALL), (j, ALL)), same("B")) for i, j in INDICES]
    cause, words = told(inputs)
    assert cause == influence.ELSEWHERE
    assert "C[i][j] needs A[i][0–31], and your kernel uses A[j][0–31] instead" in words
    assert "inputs of small, for C[0][1], C[12][15] and C[24][21]" in words


def test_one_element_alone_has_its_own_numbers() -> None:
    cause, words = told([(acts("A", (0, ALL), (1, ALL)),)])
    assert cause == influence.ELSEWHERE
    assert "C[0][1] needs A[0][0–31], and your kernel uses A[1][0–31] instead" in words


def test_the_last_is_left_out() -> None:
    inputs = [(acts("A", (i, ALL), (i, (0, 30)), alike=_axes((i, (0, 30)))),) for i, _ in INDICES]
    cause, words = told(inputs)
    assert cause == influence.LEFT_OUT
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
    assert cause == influence.LEFT_OUT
    assert "uses only A[i][0] of them" in words


def test_what_vanishes_in_rounding_is_not_left_out() -> None:
    weights = (Weight((0, 0), 7, 8135),)
    inputs = [(acts("A", (i, ALL), (i, (0, 30)), weights=weights),) for i, _ in INDICES]
    cause, words = told(inputs)
    assert cause == influence.COUNTED
    assert "If A[0][0] grows by 1, C[0][1] should grow by 7, and in your kernel by 8135" in words


def test_one_too_many() -> None:
    cause, words = told([(acts("A", (i, (0, 15)), (i, (0, 16))),) for i, _ in INDICES])
    assert cause == influence.TOO_MUCH
    assert "needs A[i][0–15], and your kernel also uses A[i][16]" in words


def test_factors_that_do_not_belong_together() -> None:
    inputs = [
        (acts("A", (i, ALL), (i, ALL), partners=Partners((i, 0), "B", (0, j), (15, j))),) for i, j in INDICES
    ]
    cause, words = told(inputs)
    assert cause == influence.JOINED
    assert "For C[i][j], your kernel joins A[i][0] with B[15][j], and B[0][j] belongs to it" in words


def test_elements_that_should_count_alike() -> None:
    weights = (Weight((0, 0), 1, -10), Weight((0, 31), 1, 14))
    cause, words = told([(acts("x", (i, ALL), (i, ALL), weights=weights),) for i, _ in INDICES])
    assert cause == influence.COUNTED
    assert (
        "All elements of x should count alike for C[0][1]. In your kernel it changes by -10 if x[0][0]"
        in words
    )


@pytest.mark.parametrize(
    ("ratio", "words"), [(-1, "with the wrong sign"), (2, "changes 2 times as much with A")]
)
def test_all_count_for_more(ratio: float, words: str) -> None:
    weights = (Weight((0, 0), 3, 3 * ratio), Weight((0, 31), 5, 5 * ratio))
    cause, found = told([(acts("A", (i, ALL), (i, ALL), weights=weights),) for i, _ in INDICES])
    assert cause == influence.TIMES
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
