import re
import xml.etree.ElementTree as ElementTree
from itertools import accumulate
from pathlib import Path

import pytest

from warpgrade.core import messages
from warpgrade.course import arithmetic
from warpgrade.drawing.additions import additions, states

NUMBERS = [3, 1, 7, 0, 4, 1, 6, 3]
SCANS = {"kogge-stone": arithmetic.doubling_scan(8), "brent-kung": arithmetic.tree_scan(8)}
EACH = pytest.mark.parametrize("name", SCANS)


@EACH
def test_the_last_row_holds_the_sums(name: str) -> None:
    assert states(NUMBERS, SCANS[name])[-1] == list(accumulate(NUMBERS))


def test_one_takes_fewer_steps_and_the_other_fewer_additions() -> None:
    counts = {name: (len(steps), sum(map(len, steps))) for name, steps in SCANS.items()}
    assert counts == {"kogge-stone": (3, 8 * 3 - 7), "brent-kung": (5, 2 * 8 - 2 - 3)}


@EACH
def test_an_arrow_for_each_addition_and_a_twin(name: str) -> None:
    words = messages.load(Path(__file__).parents[4], "en")
    drawn = additions(words, numbers=NUMBERS, steps=SCANS[name], id="scan")
    svg = ElementTree.fromstring(str(drawn)).find(".//svg")
    assert svg is not None and "\n\n" not in drawn
    assert sum(path.get("class") == "addition" for path in svg.iter("path")) == sum(map(len, SCANS[name]))
    last = re.findall(r"<tr>(.*?)</tr>", drawn)[-1]
    assert [int(cell) for cell in re.findall(r"<td>(\d+)</td>", last)][1:] == list(accumulate(NUMBERS))
