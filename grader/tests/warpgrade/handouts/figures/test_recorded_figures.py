from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.pages.figure_tables import rows
from warpgrade.core import messages
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.handouts.figures import recorded_figures

ROOT = Path(__file__).resolve().parents[5]
REPOSITORY = Repository(ROOT)
WORDS = messages.load(ROOT, "en")
UNPADDED = ("constexpr int PADDING = 4;", "constexpr int PADDING = 0;")

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


def check_form(figure: str) -> None:
    """Well formed, named, described, nothing outside, no blank line."""
    svg = ElementTree.fromstring(figure).find(".//svg")
    assert svg is not None and svg.findtext("title") and svg.findtext("desc") and rows(figure)
    width, height = float(svg.get("width", "0")), float(svg.get("height", "0"))
    for rectangle in svg.iter("rect"):
        x, y, w, h = (float(rectangle.get(side, "0")) for side in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + w <= width + 0.1 and y + h <= height + 0.1
    assert "\n\n" not in figure


def test_coalesced_loads_share_sectors() -> None:
    figure = recorded_figures.elements(
        WORDS, REPOSITORY, lab="02-tiled", case="32x32x32-integers", array="A", id="a"
    )
    check_form(figure)
    assert "4 sectors, 128 bytes, of which 128 bytes are used" in figure
    assert rows(figure) == [["0", "0–15", "0–15"], ["1", "0–15", "16–31"]]
    assert figure.count('class="sector"') == 4


def test_a_column_takes_a_sector_for_each_element() -> None:
    swapped = (
        "const int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  const int column = blockIdx.x * blockDim.x + threadIdx.x;",
        "const int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  const int column = blockIdx.y * blockDim.y + threadIdx.y;",
    )
    figure = recorded_figures.elements(
        WORDS, REPOSITORY, lab="01-basic", case="16x16x16-integers", array="A", at=3, id="a", replace=swapped
    )
    check_form(figure)
    assert "16 sectors, 512 bytes, of which 64 bytes are used" in figure
    assert rows(figure)[5] == ["5", "3", "5, 21"]


def test_padding_shows() -> None:
    about = {"lab": "04-register-tiled", "case": "64x64x16-integers", "id": "b"}
    padded = recorded_figures.bank_use(WORDS, REPOSITORY, **about)  # type: ignore[arg-type]
    bare = recorded_figures.bank_use(WORDS, REPOSITORY, **about, replace=UNPADDED)  # type: ignore[arg-type]
    for figure in (padded, bare):
        check_form(figure)
    assert "in 32 of 32 banks, and the access takes one pass" in padded
    assert "in 4 of 32 banks, and the access takes 8 passes" in bare
    assert rows(padded)[0] == ["0–7", "0, 4, 8, 12, 16, 20, 24, 28"]
    assert rows(bare)[1] == ["8–15", "1, 1, 1, 1, 1, 1, 1, 1"]


def test_a_wide_load_is_served_in_parts() -> None:
    figure = recorded_figures.bank_use(
        WORDS, REPOSITORY, lab="04-register-tiled", case="64x64x16-integers", kind="shared load", id="b"
    )
    check_form(figure)
    assert "passes" in figure


def test_who_waits_at_a_barrier() -> None:
    figure = recorded_figures.timeline(
        WORDS, REPOSITORY, lab="03-tiled-bounded", case="285x235x7-integers", block=(0, 17), phases=1, id="t"
    )
    check_form(figure)
    # Rows 272–284 of A and rows 0–6 of B are left: warps 0–3 load both, 4–6 of A only, 7 nothing.
    assert rows(figure)[:3] == [
        ["1", "0–3", "2 global loads, 2 shared stores", "0"],
        ["1", "4–6", "1 global loads, 2 shared stores", "1"],
        ["1", "7", "2 shared stores", "2"],
    ]
    assert "hatched: 5 accesses" in figure


def test_equal_work_is_described_as_equal() -> None:
    figure = recorded_figures.timeline(WORDS, REPOSITORY, lab="02-tiled", case="32x32x32-integers", id="t")
    check_form(figure)
    assert "here all have the same work" in figure and 'class="outside"' not in figure


def test_text_that_is_not_there_is_named() -> None:
    with pytest.raises(InstructorError, match="occurs 0 times"):
        recorded_figures.bank_use(
            WORDS, REPOSITORY, lab="02-tiled", case="32x32x32-integers", id="b", replace=("nothing", "x")
        )
    with pytest.raises(ValueError, match="needs access 99 of the kind"):
        recorded_figures.bank_use(WORDS, REPOSITORY, lab="02-tiled", case="32x32x32-integers", id="b", at=99)
