"""The roofline chart: the roof, the marks and the numbers stand where their values say."""

import math
import re

import pytest

from warpgrade.drawing.roofline import Roof, RooflineChart, RooflineMark

ROOF = Roof(peak=64_000.0, bandwidth=4_000.0)
MARKS = (
    RooflineMark("limit", "circle", 4.0, 16_000.0, ("02-tiled", "03-tiled-bounded")),
    RooflineMark("dot", "diamond", 4.0, 8_000.0),
)


def chart(*marks: RooflineMark, roof: Roof = ROOF) -> RooflineChart:
    return RooflineChart(roof, marks or MARKS, "operations a byte", "GFLOP/s", "{:g}".format)


def drawn(chart: RooflineChart) -> str:
    return "".join(chart.drawn())


def test_the_limit_is_the_smaller_of_memory_and_arithmetic() -> None:
    assert ROOF.ridge == 16 and ROOF.limit(1) == 4_000 and ROOF.limit(16) == ROOF.limit(99) == 64_000


def test_the_roof_bends_at_the_ridge() -> None:
    found = chart()
    path = re.search(r'class="roof" d="M(.*?)"', drawn(found))
    assert path
    corners = [tuple(map(float, corner.split())) for corner in path[1].split("L")]
    assert len(corners) == 3
    assert corners[1] == pytest.approx((found.x(16.0), found.y(64_000.0)), abs=0.1)
    assert corners[1][1] == corners[2][1] < corners[0][1]


def test_equal_ratios_are_equally_far_apart() -> None:
    found = chart()
    assert found.x(8) - found.x(4) == pytest.approx(found.x(2) - found.x(1))
    assert found.y(100) - found.y(1_000) == pytest.approx(found.y(1_000) - found.y(10_000))


def test_marks_have_their_shapes_and_labels() -> None:
    found = chart()
    text = drawn(found)
    circle = re.search(r'<circle class="limit" cx="([\d.]+)" cy="([\d.]+)"', text)
    assert circle and float(circle[1]) == pytest.approx(found.x(4.0), abs=0.1)
    assert float(circle[2]) == pytest.approx(found.y(16_000.0), abs=0.1)
    assert text.count('<path class="dot"') == 1
    assert text.index("02-tiled<") < text.index("03-tiled-bounded<")


@pytest.mark.parametrize("intensity", [0.07, 0.25, 3.0, 500.0])
@pytest.mark.parametrize("gflops", [0.02, 90.0, 64_000.0])
def test_everything_is_inside_the_picture(intensity: float, gflops: float) -> None:
    found = chart(RooflineMark("mine", "circle", intensity, gflops))
    width, height = found.size
    for x, y in re.findall(r'(?:x|cx)="([\d.-]+)" (?:y|cy)="([\d.-]+)"', drawn(found)):
        assert 0 < float(x) < width and 0 < float(y) < height


def test_each_line_of_the_scale_has_its_own_number() -> None:
    ends = re.findall(r'text-anchor="end">([\d.e+]+)<', drawn(chart()))
    numbers = list(map(float, ends))
    assert len(numbers) >= 2 and numbers == sorted(set(numbers))
    wide = re.findall(
        r'text-anchor="end">([\d.e+-]+)<', drawn(chart(RooflineMark("mine", "circle", 0.25, 1.0)))
    )
    assert all(math.log10(float(number)).is_integer() for number in wide), "powers of ten alone"


def test_a_chart_without_labels_is_narrower() -> None:
    assert chart(RooflineMark("mine", "circle", 1.0, 1.0)).size[0] < chart().size[0]
