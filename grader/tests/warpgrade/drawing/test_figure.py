import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.pages.figure_tables import rows
from warpgrade.core import messages
from warpgrade.course.arithmetic import RegisterTile
from warpgrade.drawing import figure as figures

WORDS = messages.load(Path(__file__).parents[4], "en")
TILE = RegisterTile(outputs=(4, 4), lanes=(8, 4), warps=(2, 2), k_tile=16)
NAMES = ("A", "B", "C")
ALL = {
    "phases": figures.tile_phases(
        WORDS, names=NAMES, rows=64, columns=64, depth=64, tile=16, block=(2, 1), id="phases"
    ),
    "border": figures.tile_phases(
        WORDS, names=NAMES, rows=20, columns=28, depth=40, tile=16, block=(1, 1), id="border"
    ),
    "cover": figures.block_cover(WORDS, name="C", rows=20, columns=28, block=8, id="cover"),
    "levels": figures.register_tile(WORDS, TILE, "levels", names=NAMES),
    "banks": figures.banks(WORDS, columns=8, stride=128, id="banks"),
}
EACH = pytest.mark.parametrize("name", ALL)


@EACH
def test_a_figure_is_well_formed_named_and_has_a_twin(name: str) -> None:
    root = ElementTree.fromstring(str(ALL[name]))
    svg = root.find(".//svg")
    assert svg is not None and svg.get("role") == "img"
    assert svg.get("aria-labelledby") == f"{name}-t {name}-d"
    assert svg.findtext("title") and svg.findtext("desc")
    assert rows(ALL[name])


@EACH
def test_markdown_takes_a_figure_whole(name: str) -> None:
    assert "\n\n" not in ALL[name]


@EACH
def test_nothing_is_drawn_outside_the_picture(name: str) -> None:
    root = ElementTree.fromstring(str(ALL[name]))
    svg = root.find(".//svg")
    assert svg is not None
    width, height = (float(svg.get(side, "0")) for side in ("width", "height"))
    for rectangle in svg.iter("rect"):
        x, y, w, h = (float(rectangle.get(side, "0")) for side in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + w <= width and y + h <= height


def test_phases_follow_k() -> None:
    assert len(rows(ALL["phases"])) == 4
    assert rows(ALL["phases"])[3] == ["3", "16–31", "48–63", "48–63", "32–47"]
    assert "outside" not in re.findall(r'class="(\w+)"', ALL["phases"])


def test_what_lies_outside_is_hatched_and_said() -> None:
    assert rows(ALL["border"])[2] == [
        "2", "16–19, then zeros", "32–39, then zeros", "32–39, then zeros", "16–27, then zeros",
    ]  # fmt: skip
    assert ALL["border"].count("url(#border-hatch)") == 3 + 1 + 3 + 1 + 2  # A, B and C: below and beside


def test_threads_of_each_block_are_counted() -> None:
    counted = rows(ALL["cover"])
    assert len(counted) == 4 * 3
    assert sum(int(row[1]) for row in counted) == 20 * 28
    assert all(int(row[1]) + int(row[2]) == 64 for row in counted)


@pytest.mark.parametrize(
    ("columns", "stride", "used", "passes"),
    [
        (32, 1, 32, 1),
        (32, 2, 16, 2),
        (32, 33, 32, 1),
        (32, 32, 1, 32),
        (8, 128, 4, 8),
        (8, 132, 32, 1),
        (32, 0, 1, 1),
    ],
)
def test_banks(columns: int, stride: int, used: int, passes: int) -> None:
    figure = figures.banks(WORDS, columns=columns, stride=stride, id="b")
    assert rows(figure) == [[str(stride), str(used), str(passes)]]


def test_the_phases_fit_a_phone() -> None:
    """375 px, less the margins of page and figure."""
    for name in ("phases", "border"):
        least = re.search(r"min-width:min\(([\d.]+)px", str(ALL[name]))
        assert least and float(least[1]) <= 310
