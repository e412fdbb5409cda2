import dataclasses

from warpgrade.drawing import element_map as maps
from warpgrade.records import Memory, Wrong

WRONG = Wrong(
    count=6,
    total=35,
    array="C",
    shape=(5, 7),
    index=(0, 5),
    expected=1.0,
    got=2.0,
    map=(".....##", ".....##", "......?", ".......", ".....##"),
)


def test_each_kind_of_element_has_its_own_shape() -> None:
    svg = str(maps.element_map(WRONG, (4, 4), "m").svg)
    assert svg.count('class="wrong"') == 3  # one path for each run of neighbours
    assert svg.count('class="unwritten"') == 1
    assert svg.count('class="right"') == 5


def test_tiles_are_drawn_where_they_begin() -> None:
    svg = str(maps.element_map(WRONG, (4, 2), "m").svg)
    assert 'd="M40.0 0V50"' in svg
    assert 'd="M0 20.0H70"' in svg and 'd="M0 40.0H70"' in svg


def test_no_grid_where_it_would_hide_the_squares() -> None:
    large = dataclasses.replace(WRONG, shape=(5000, 7000))
    assert 'class="tile"' not in maps.element_map(large, (16, 16), "m").svg


def test_title_and_description_are_tied_to_the_picture() -> None:
    svg = str(maps.element_map(WRONG, None, "m").svg)
    assert 'aria-labelledby="m-t m-d"' in svg
    assert '<title id="m-t">Elements of C, 5 rows × 7 columns</title>' in svg
    assert "6 of 35 elements are wrong; first at row 0, column 5." in svg


def test_the_twin_says_what_the_picture_shows() -> None:
    twin = maps.element_map(WRONG, None, "m").twin
    assert [(row.rows, row.columns) for row in twin] == [
        ("0–1", "0–4 right; 5–6 wrong"),
        ("2", "0–5 right; 6 never written"),
        ("3", "0–6 right"),
        ("4", "0–4 right; 5–6 wrong"),
    ]


def test_a_small_map_of_a_large_matrix_counts_in_elements() -> None:
    wrong = dataclasses.replace(WRONG, shape=(100, 64), map=("..", ".#"))
    twin = maps.element_map(wrong, None, "m").twin
    assert [(row.rows, row.columns) for row in twin] == [
        ("0–49", "0–63 right"),
        ("50–99", "0–31 right; 32–63 wrong"),
    ]


def test_the_first_wrong_element_is_ringed_inside_the_picture() -> None:
    wrong = dataclasses.replace(WRONG, shape=(100, 64), index=(99, 63), map=("..", ".#"))
    assert '<rect class="first" x="9" y="9"' in maps.element_map(wrong, None, "m").svg


def test_memory_in_words() -> None:
    after = Memory("global", "0x10", 4, "A", 6144, 64, "after")
    assert maps.memory_words(after) == (
        "The access of 4 bytes at 0x10 in global memory begins 64 bytes after the end of A, "
        "which holds 6,144 bytes."
    )
    before = dataclasses.replace(after, distance=-8, relation="before")
    assert "begins 8 bytes before A" in maps.memory_words(before)
    assert "belongs to no allocation" in maps.memory_words(dataclasses.replace(after, relation=""))


def test_an_access_inside_an_allocation_points_to_its_place() -> None:
    tile = Memory("shared", "0x0", 4, "shared array t", 4096, 0, "inside")
    assert "at 0x0" not in maps.memory_words(tile)
    for distance, left in ((0, 90), (2048, 170), (4096, 250)):
        strip = maps.allocation_strip(dataclasses.replace(tile, distance=distance), "s")
        assert f'class="access" d="M{left} 8' in strip


def test_an_allocations_name_is_escaped() -> None:
    nasty = Memory("shared", "0x10", 4, "<b>", 64, 0, "after")
    assert "<b>" not in maps.allocation_strip(nasty, "s")
    assert "&lt;b&gt;" in maps.allocation_strip(nasty, "s")


def test_of_three_dimensions_the_slice_of_the_first_wrong_element() -> None:
    wrong = dataclasses.replace(WRONG, array="V", shape=(4, 5, 7), index=(2, 0, 5))
    svg = str(maps.element_map(wrong, (4, 2, 1), "m").svg)
    assert '<title id="m-t">Elements of V[2], 5 rows × 7 columns</title>' in svg
    assert "first at layer 2, row 0, column 5. Shown is the slice V[2] of V." in svg
    assert 'd="M0 20.0H70"' in svg
