import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from warpgrade.core import messages
from warpgrade.course import arithmetic
from warpgrade.drawing.pipeline import pipeline

TIMES = (3.0, 2.0, 3.0)


@pytest.mark.parametrize("slots", [0, 2])
def test_each_engine_does_each_piece_and_the_twin_says_when(slots: int) -> None:
    words = messages.load(Path(__file__).parents[4], "en")
    drawn = pipeline(words, pieces=4, times=TIMES, slots=slots, id="beside")
    svg = ElementTree.fromstring(str(drawn)).find(".//svg")
    assert svg is not None and "\n\n" not in drawn
    bars = [bar for bar in svg.iter("rect") if bar.get("class") in ("left", "result", "right")]
    assert len(bars) == 4 * 3
    ends = dict.fromkeys(("left", "result", "right"), 0.0)
    for bar in bars:  # of one engine, side by side
        assert float(bar.get("x", 0)) >= ends[bar.get("class", "")] - 0.1
        ends[bar.get("class", "")] = float(bar.get("x", 0)) + float(bar.get("width", 0))
    last = [
        float(cell) for cell in re.findall(r"<td>([\d.]+)</td>", re.findall(r"<tr>(.*?)</tr>", drawn)[-1])
    ]
    assert last == [3, *(arithmetic.pipeline(4, TIMES, slots)[3] if slots else [24, 27, 29])]
