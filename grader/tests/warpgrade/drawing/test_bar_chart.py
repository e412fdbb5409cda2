"""The bar chart: lengths are shares of the axis, groups do not overlap."""

import itertools
import re

import pytest

from warpgrade.drawing.bar_chart import Bar, BarChart, BarGroup

GROUPS = (
    BarGroup("01-basic", (Bar("outside", 0.02, "1,200"), Bar("left", 0.08, "5,451"))),
    BarGroup("04-register-tiled", (Bar("outside", 1.0, "66,908"), Bar("left", 0.5, "35,388"))),
    BarGroup("alone", (Bar("left", 0.0, "0.2"),)),
)
CHART = BarChart(GROUPS, "roof")


def rectangles(text: str) -> list[tuple[float, ...]]:
    number = r"([\d.]+)"
    found = re.findall(
        rf'<rect class="\w+" x="{number}" y="{number}" width="{number}" height="{number}"', text
    )
    return [tuple(map(float, row)) for row in found]


def test_bars_are_as_long_as_their_shares() -> None:
    small, basic, full, half, none = (row[2] for row in rectangles("".join(CHART.drawn())))
    assert half == pytest.approx(full / 2) and basic == pytest.approx(0.08 * full, abs=0.1)
    assert small == pytest.approx(0.02 * full, abs=0.1) and none == 1, "the shortest can still be seen"


def test_bars_stand_below_each_other_and_inside() -> None:
    rows = rectangles("".join(CHART.drawn()))
    assert all(above[1] + above[3] < below[1] for above, below in itertools.pairwise(rows))
    width, height = CHART.size
    assert all(x + wide < width and y + high < height for x, y, wide, high in rows)


def test_labels_and_numbers_are_written() -> None:
    text = "".join(CHART.drawn())
    for word in ("01-basic", "04-register-tiled", "alone", "66,908", "0.2", "roof"):
        assert f">{word}<" in text
    assert 'class="roof"' in text and 'fill="url(#hatch)"' in text


def test_without_groups_there_is_no_axis() -> None:
    empty = BarChart((), "roof")
    assert not list(empty.drawn()) and empty.size[1] > 0
