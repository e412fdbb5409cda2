"""The picture of a warp's access to an array: its squares hold the numbers of lanes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.drawing import element_accesses
from warpgrade.run.trace import Access, GlobalArray, Recording

WORDS = messages.load(here().root, "en")
DIGIT, GAP = 7.0, 4.0  # widths in the drawing: of a digit, and between two numbers


def test_numbers_of_neighbouring_lanes_do_not_touch() -> None:
    """Lanes that begin one element behind a sector touch 5 sectors, which makes a row of 40 squares."""
    access = Access("global load", "kernel.cu", 2, 4, 0, tuple(0x1004 + 4 * lane for lane in range(32)))
    recording = Recording((GlobalArray("x", 0x1000, (64,)),), 2, (access,), ())
    svg = ElementTree.fromstring(element_accesses.elements(WORDS, recording, access, "x")).find(".//svg")
    assert svg is not None
    squares = [float(each.get("width", "0")) for each in svg.iter("rect") if each.get("class") == "left"]
    assert len(squares) == 32 and min(squares) >= 2 * DIGIT + GAP
