from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from support.pages import rendered
from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.drawing.figure import Table, figure, path, rectangle
from warpgrade.handouts.figures import figure_files
from warpgrade.handouts.figures.figure_files import FigureFile

WORDS = messages.load(here().root, "en")
SLIDE, LEAST = 1280, 11  # pixels: a slide's width, and the smallest text that can be read on one


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[FigureFile, ...]]:
    handouts = rendered.handouts(here())
    return {page.name: figure_files.of_page(page.name, page.html, WORDS) for page in handouts}


def test_every_figure_has_a_file_of_its_own(found: dict[str, tuple[FigureFile, ...]]) -> None:
    for page in rendered.handouts(here()):
        ids = re.findall(r'<figure id="([^"]+)"', page.html)
        assert [file.path for file in found[page.name]] == [f"{page.name}/{id}.svg" for id in ids]
        assert [file.number for file in found[page.name]] == list(range(1, len(ids) + 1))
    assert sum(map(len, found.values())) >= 30


def test_a_file_needs_nothing_beside_it(found: dict[str, tuple[FigureFile, ...]]) -> None:
    for file in (file for files in found.values() for file in files):
        assert not re.search(r"var\(|class=|style=|<style|href|@|--", file.text), file.path
        root = ElementTree.fromstring(file.text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("role") == "img"
        assert root.get("font-family", "").endswith("sans-serif")
        labels = root.get("aria-labelledby", "").split()
        named = {each.get("id"): each for each in root.iter() if each.get("id")}
        assert [named[id].tag.split("}")[1] for id in labels] == ["title", "desc"]
        assert all(named[id].text for id in labels) and file.title == named[labels[0]].text
        for id in re.findall(r"url\(#([^)]+)\)", file.text):
            assert id in named, file.path


def test_text_can_be_read_on_a_slide(found: dict[str, tuple[FigureFile, ...]]) -> None:
    for file in (file for files in found.values() for file in files):
        root = ElementTree.fromstring(file.text)
        scale = min(SLIDE / float(root.get("width", "")), 0.75 * SLIDE / float(root.get("height", "")))
        sizes = [float(each.get("font-size", "16")) for each in root.iter("{http://www.w3.org/2000/svg}text")]
        assert all(size * scale >= LEAST for size in sizes), (file.path, min(sizes) * scale)


def drawn(*shapes: Markup) -> ElementTree.Element:
    """The stand-alone drawing of a figure with these shapes."""
    table = Table("t", ("a",), (("1",),))
    html = figure(WORDS, "one", (100, 50), "A & B", "Both.", shapes, table)
    (file,) = figure_files.of_page("page", html, WORDS)
    return ElementTree.fromstring(re.sub(r' xmlns="[^"]+"', "", file.text))


def light(name: str) -> str:
    css = (Path(figure_files.__file__).parents[2] / "report/templates/base.css").read_text(encoding="utf-8")
    (value,) = re.findall(rf"--{name}: ([^;]+);", css.split("@media")[0])
    return str(value)


def test_rules_become_attributes_in_the_colours_of_the_light_theme() -> None:
    drawing = drawn(rectangle(0, 0, 9, 9, "hot"), path("addition", "M0 0V5"))
    ground, hot = drawing.findall("rect")
    assert ground.get("fill") == light("surface")
    assert hot.get("fill") == light("bad-ground") and hot.get("stroke") == light("bad")
    line = drawing.find("path")
    assert line is not None and line.get("fill") == "none" and line.get("stroke-width") == "1.4"


def test_a_rule_may_ask_for_the_element_before() -> None:
    for first, fill in (("thread-block", "none"), ("hot", light("surface"))):
        drawing = drawn(rectangle(0, 0, 9, 9, first), rectangle(0, 0, 9, 9, "matrix"))
        assert drawing.findall("rect")[-1].get("fill") == fill


def test_a_hatching_stays_where_something_is_filled_with_it() -> None:
    drawing = drawn(rectangle(0, 0, 9, 9, "outside"))
    assert drawing.findall("rect")[-1].get("fill") == "url(#one-hatch)"
    assert drawing.find("defs/pattern/path") is not None
    assert drawn(rectangle(0, 0, 9, 9, "hot")).find("defs") is None


def test_an_outline_of_text_is_a_text_below_it() -> None:
    below, text = drawn(Markup('<text class="phase" x="1" y="2">7</text>')).findall("text")
    assert (below.text, text.text) == ("7", "7") and below.get("aria-hidden") == "true"
    assert below.get("stroke") == light("surface") and text.get("stroke") is None


def test_a_margin_surrounds_the_drawing() -> None:
    drawing = drawn()
    assert drawing.get("viewBox") == "-12 -12 124 74" and drawing.get("width") == "124"
