"""The small map of wrong elements."""

from dataclasses import replace

import pytest

from warpgrade.drawing import element_map_text
from warpgrade.records import Wrong

PLAIN = Wrong(1, 16, "C", (4, 4), (0, 0), 1.0, 2.0)


def wrong(*rows: str, size: tuple[int, int] | None = None) -> Wrong:
    return replace(PLAIN, map=rows, shape=size or (len(rows), len(rows[0])))


def test_tiles_are_a_grid() -> None:
    found = wrong("..##", "..##", "....", "..??")
    assert element_map_text.drawn(found, (2, 2)) == [
        "· · │ ■ ■",
        "· · │ ■ ■",
        "────┼────",
        "· · │ · ·",
        "· · │ □ □",
    ]
    assert element_map_text.legend(found, (2, 2)) == (
        "· right   ■ wrong   □ never written   lines: tiles of 2 columns × 2 rows"
    )


@pytest.mark.parametrize("mark", [".", "#", "?"])
def test_a_map_of_one_kind_says_nothing(mark: str) -> None:
    assert element_map_text.drawn(wrong(mark * 4, mark * 4), None) == []


def test_a_square_shows_the_worst_of_what_it_stands_for() -> None:
    rows = ["." * 32] * 31 + ["." * 31 + "#"]
    lines = element_map_text.drawn(wrong(*rows), None)
    assert len(lines) == element_map_text.MOST and lines[-1].endswith("■")
    assert sum(line.count("■") for line in lines) == 1


def test_no_grid_where_it_would_hide_the_squares() -> None:
    rows = ("." * 32,) * 31 + ("#" * 32,)
    assert not any("│" in line for line in element_map_text.drawn(wrong(*rows, size=(320, 320)), (16, 16)))


def test_every_map_fits_a_narrow_terminal() -> None:
    rows = ("." * 31 + "#",) * 32
    assert max(map(len, element_map_text.drawn(wrong(*rows), (8, 8)))) < 60


def test_a_sign_for_several_elements_is_said_to_be_one() -> None:
    large = wrong(*["." * 33] * 30, "." * 32 + "?", size=(31, 33))
    assert "C is 31 × 33: a sign stands for up to 2 × 3 elements" in element_map_text.legend(large, None)
    assert "stands for" not in element_map_text.legend(wrong(".?", ".."), None)


def test_of_three_dimensions_the_slice_of_the_first_wrong_element() -> None:
    volume = replace(wrong(".#", ".."), array="V", shape=(3, 2, 2), index=(1, 0, 1))
    assert element_map_text.drawn(volume, None) == ["· ■", "· ·"]
    assert "this is V[1], the slice of the first wrong element" in element_map_text.legend(volume, None)
