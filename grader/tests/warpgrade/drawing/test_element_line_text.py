"""A wrong one-dimensional array in a terminal."""

from warpgrade.drawing import element_map_text
from warpgrade.records import Wrong


def wrong(cells: str, count: int | None = None) -> Wrong:
    count = count or len(cells)
    rows = tuple(cells[at : at + 32] for at in range(0, len(cells), 32))
    return Wrong(cells.count("#"), count, "y", (count,), (cells.index("#"),), 1.0, 2.0, map=rows)


def test_rows_of_signs_begin_with_an_index() -> None:
    assert element_map_text.drawn(wrong("." * 16 + "...##?"), (8,)) == [
        " 0  · · · · · · · ·│· · · · · · · ·",
        "16 │· · · ■ ■ □",
    ]
    assert element_map_text.legend(wrong("." * 16 + "...##?"), (8,)) == (
        "· right   ■ wrong   □ never written   │ a block begins, of 8 elements"
    )


def test_a_large_array_fits_a_terminal() -> None:
    large = wrong("." * 1000 + "#" * 24, 100_000)
    lines = element_map_text.drawn(large, (256,))
    assert len(lines) == 16 and max(map(len, lines)) < 60
    assert lines[-1].startswith("93750 ") and lines[-1].endswith("· ■ ■ ■ ■ ■ ■")
    assert "y has 100,000 elements: a sign stands for up to 391" in element_map_text.legend(large, None)


def test_a_map_of_one_kind_says_nothing() -> None:
    assert element_map_text.drawn(wrong("#" * 40), None) == []
