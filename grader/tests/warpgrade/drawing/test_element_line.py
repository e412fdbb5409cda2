"""A wrong one-dimensional array on a page."""

from warpgrade.drawing import element_map
from warpgrade.records import Wrong

ROWS = ("." * 32, "." * 8 + "?" * 2 + "#" * 6)
WRONG = Wrong(8, 48, "y", (48,), (40,), 1.0, 2.0, map=ROWS)


def test_rows_of_squares_begin_with_an_index() -> None:
    svg = str(element_map.element_map(WRONG, (20,), "m").svg)
    assert '<title id="m-t">Elements of y, 48</title>' in svg
    assert "8 of 48 elements are wrong; first at index 40." in svg
    assert 'text-anchor="end">0<' in svg and 'text-anchor="end">32<' in svg
    assert '<rect class="first" x="79" y="9"' in svg
    assert 'd="M200 0v10"' in svg and 'd="M80 10v10"' in svg  # blocks begin at 20 and 40


def test_no_blocks_where_no_launch_covers_the_array() -> None:
    svg = str(element_map.element_map(WRONG, None, "m").svg)
    assert 'class="tile"' not in svg and "blocks" not in svg


def test_the_twin_counts_elements() -> None:
    picture = element_map.element_map(WRONG, (20,), "m")
    assert picture.heads == ("elements", "are")
    assert [(row.rows, row.columns) for row in picture.twin] == [
        ("0–39", "right"),
        ("40–41", "never written"),
        ("42–47", "wrong"),
    ]
