"""Each figure of a handout as an SVG file of its own, for slides.

Programs that draw slides know neither the handout's style sheet nor variables in CSS. So the rules that apply
to an element become its presentation attributes (SVG 2, section 6.6), in the colours of the light theme.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ...core.messages import Messages

_STYLES = Path(__file__).parents[2] / "report" / "templates"
_NAMESPACE = "http://www.w3.org/2000/svg"
_FIGURE = re.compile(r'<figure id="([\w-]+)".*?(<svg\b.*?</svg>).*?</figure>', re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_AT_RULE = re.compile(r"@[^{]+\{(?:[^{}]|\{[^{}]*\})*\}")
_VARIABLE = re.compile(r"var\((--[\w-]+)\)")
_MARGIN = 12.0  # pixels around the drawing
_NOT_DRAWN = ("max-width", "height", "display")  # what a page needs to place the drawing


@dataclass(frozen=True)
class FigureFile:
    """`path`: <handout>/<figure>.svg. `number`: of the figure in its handout, from 1."""

    path: str
    number: int
    title: str
    text: str


@dataclass(frozen=True)
class Rule:
    """`steps`: the selector's compounds from left to right, each after its combinator, " " or "+"."""

    steps: tuple[tuple[str, str], ...]
    values: Mapping[str, str]


@dataclass(frozen=True)
class _StyledElement:
    """An element, and what selectors may ask about it: its parents, outermost first, and its neighbour."""

    element: ElementTree.Element
    parents: tuple[_StyledElement, ...] = ()
    previous: ElementTree.Element | None = None


def of_page(name: str, html: str, words: Messages) -> tuple[FigureFile, ...]:
    """The figures of one handout in their order, whose page is `html`."""
    rules = _rules()
    found = []
    for number, match in enumerate(_FIGURE.finditer(html), 1):
        drawing = ElementTree.fromstring(match[2])
        text = _standalone(drawing, rules, words.code)
        found.append(FigureFile(f"{name}/{match[1]}.svg", number, drawing.findtext("title") or "", text))
    return tuple(found)


def _standalone(drawing: ElementTree.Element, rules: Sequence[Rule], language: str) -> str:
    styled = dict(_styled(_StyledElement(drawing), rules))
    fonts = {values.pop("font-family", "") for values in styled.values()} - {""}
    for element, values in styled.items():
        _set(element, values)
    for parent in list(drawing.iter()):
        _split_outlines(parent)
    for element in drawing.iter():
        element.attrib.pop("class", None)
    _drop_unused(drawing)
    _frame(drawing, _variables()["--surface"])
    drawing.set("xmlns", _NAMESPACE)
    drawing.set("font-family", next(iter(fonts), "sans-serif").replace('"', "'"))
    drawing.set("xml:lang", language)
    ElementTree.indent(drawing, " ")
    return ElementTree.tostring(drawing, encoding="unicode") + "\n"


def _styled(
    place: _StyledElement, rules: Sequence[Rule]
) -> Iterator[tuple[ElementTree.Element, dict[str, str]]]:
    """Each element with its declarations: later rules win, as all of the sheets are about as specific."""
    values: dict[str, str] = {}
    for rule in rules:
        if _applies(rule.steps, place):
            values |= rule.values
    yield place.element, values
    previous = None
    for child in place.element:
        yield from _styled(_StyledElement(child, (*place.parents, place), previous), rules)
        previous = child


def _applies(steps: Sequence[tuple[str, str]], place: _StyledElement) -> bool:
    (combinator, compound), before = steps[-1], steps[:-1]
    if not _is(compound, place.element):
        return False
    if not before:
        return True
    if combinator == "+":
        neighbour = place.previous
        return neighbour is not None and _applies(before, _StyledElement(neighbour, place.parents))
    return any(_applies(before, parent) for parent in place.parents)


def _is(compound: str, element: ElementTree.Element) -> bool:
    """A compound selector is a tag, classes, or both."""
    tag, *classes = compound.split(".")
    return (not tag or tag == element.tag) and set(classes) <= set(element.get("class", "").split())


def _set(element: ElementTree.Element, values: Mapping[str, str]) -> None:
    """An attribute that the drawing itself gives, such as the fill with a pattern, yields to no class."""
    for name, value in values.items():
        if name not in _NOT_DRAWN and not (name == "fill" and "url(" in element.get("fill", "")):
            element.set(name, value.removesuffix("px") if name.endswith(("size", "width")) else value)
    element.attrib.pop("style", None)


def _split_outlines(parent: ElementTree.Element) -> None:
    """Draws the outline of a text below it as a text of its own: few programs know `paint-order`."""
    for at, child in reversed(list(enumerate(parent))):
        if child.attrib.pop("paint-order", "") != "stroke":
            continue
        outline = ElementTree.Element(child.tag, dict(child.attrib) | {"aria-hidden": "true"})
        outline.text = child.text
        outline.set("fill", child.get("stroke", "none"))
        for name in ("stroke", "stroke-width"):
            child.attrib.pop(name, None)
        parent.insert(at, outline)


def _drop_unused(drawing: ElementTree.Element) -> None:
    """Leaves out patterns that no element is filled with."""
    used = {element.get("fill", "") for element in drawing.iter()}
    for definitions in drawing.findall("defs"):
        for pattern in list(definitions):
            if f"url(#{pattern.get('id')})" not in used:
                definitions.remove(pattern)
        if not len(definitions):
            drawing.remove(definitions)


def _frame(drawing: ElementTree.Element, ground: str) -> None:
    """Adds a margin and a ground in the colour of the page, so that the drawing can stand on any slide."""
    x, y, width, height = (float(number) for number in drawing.get("viewBox", "").split())
    x, y, width, height = x - _MARGIN, y - _MARGIN, width + 2 * _MARGIN, height + 2 * _MARGIN
    box = {"x": x, "y": y, "width": width, "height": height}
    drawing.set("viewBox", " ".join(f"{number:g}" for number in box.values()))
    drawing.set("width", f"{width:g}")
    drawing.set("height", f"{height:g}")
    rectangle = ElementTree.Element(
        "rect", {name: f"{number:g}" for name, number in box.items()} | {"fill": ground}
    )
    last = max((at for at, child in enumerate(drawing) if child.tag in ("title", "desc")), default=-1)
    drawing.insert(last + 1, rectangle)


# --- style sheets ------------------------------------------------------------------------------


def _sheet(name: str) -> str:
    return _COMMENT.sub("", (_STYLES / name).read_text(encoding="utf-8"))


def _variables() -> dict[str, str]:
    """The variables of the light theme, which stands outside of media queries."""
    light = "".join(match[2] for match in _RULE.finditer(_AT_RULE.sub("", _sheet("base.css"))))
    return dict(re.findall(r"(--[\w-]+):\s*([^;]+);", light))


def _rules() -> tuple[Rule, ...]:
    """The rules for drawings; other rules of the sheets apply to no element of one."""
    variables = _variables()
    found = []
    for name in ("base.css", "drawings.css"):
        for selectors, declarations in _RULE.findall(_AT_RULE.sub("", _sheet(name))):
            values = {
                key.strip(): _VARIABLE.sub(lambda match: variables[match[1]], value).strip()
                for key, _, value in (each.partition(":") for each in declarations.split(";"))
                if value
            }
            found += [Rule(_steps(each), values) for each in selectors.split(",") if _known(each)]
    return tuple(found)


def _known(selector: str) -> bool:
    return bool(re.fullmatch(r"[\w\s.+-]+", selector)) and ("svg" in selector or ".drawing" in selector)


def _steps(selector: str) -> tuple[tuple[str, str], ...]:
    tokens = ["", *selector.split()]
    pairs = itertools.pairwise(tokens)
    return tuple((before if before == "+" else " ", token) for before, token in pairs if token != "+")
