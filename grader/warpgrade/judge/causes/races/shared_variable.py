"""Advice on a race of threads that all update one shared variable: a count, a sum, a maximum."""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Finding, Memory
from . import lost_update

EXTREME = "lost-extreme"
_KINDS = ("race-read-write", "race-write-write")
_NEAR = 2  # lines from a comparison to the store that depends on it
_LONGEST = 4000  # characters of the lines
_CHOSEN = re.compile(r"=\s*+(?:\w{0,9}::)?f?(?:max|min)[fl]?\s*+\(")


def advised(finding: Finding, text: str) -> Finding:
    """The finding with advice; unchanged where it is another race. `text`: the file without comments."""
    place, other, memory = finding.place, finding.other, finding.memory
    if finding.kind not in _KINDS or finding.cause or other is None or memory is None:
        return finding
    first, last = sorted((place.line, other.line))
    if place.file != other.file or first < 1 or last - first > _NEAR or not (name := _name(memory)):
        return finding
    lines = "\n".join(text.split("\n")[first - 1 : last])[:_LONGEST]
    if found := _compared(name, lines):
        return replace(finding, cause=EXTREME, help=_of_extreme(found))
    changed = _changed(name, lines) if first == last else None
    # What else the line does with the variable, another thread may do.
    if changed is None or re.search(_element(name), lines[: changed.start()] + ";" + lines[changed.end() :]):
        return finding
    what = changed["after"] or changed["before"]
    if _CHOSEN.search(changed[0]) or _beside(name).search(changed[0]):
        return replace(finding, cause=EXTREME, help=_of_extreme(what))
    return replace(finding, cause=lost_update.CAUSE, help=lost_update.by_atomic(what, what))


def _name(memory: Memory) -> str:
    """The variable's name in the source; "" where it is not known."""
    return memory.array if memory.space == "shared" else ""


def _element(name: str) -> str:
    """A pattern of the variable, or of an element of it that a number names."""
    return rf"(?<![\w.])(?<!->){re.escape(name)}(?:\s*+\[\s*+\d++\s*+\])?+(?![\w\[])"


def _compared(name: str, lines: str) -> str:
    """The variable in if (x > n) n = x; "" without such a statement."""
    condition, value = r"\bif\s*+\(([^;{}]{1,200})\)\s*+\{?+\s*+", r"\s*+=(?!=)([^;{}]{1,80});"
    stores = re.finditer(rf"{condition}({_element(name)}){value}", lines)
    beside = _beside(name)
    return next(
        (each[2] for each in stores if beside.search(each[1]) and _packed(each[3]) in _packed(each[1])), ""
    )


def _packed(words: str) -> str:
    return "".join(words.split())


def _beside(name: str) -> re.Pattern[str]:
    """A comparison with the variable, and no shift: x > n, n <= x."""
    element = _element(name)
    return re.compile(rf"(?<![<>])[<>]=?+\s*+{element}|{element}\s*+[<>](?![<>])")


def _changed(name: str, lines: str) -> re.Match[str] | None:
    """An update of the variable: ++n, n--, n += x, n = n + x."""
    element = _element(name)
    updates = rf"\+\+|--|[-+*/|&^]=|=(?!=)[^;=]{{0,200}}?{element}[^;]{{0,200}}"
    return re.search(rf"(?:\+\+|--)\s*+(?P<after>{element})|(?P<before>{element})\s*+(?:{updates})", lines)


def _of_extreme(what: str) -> str:
    return (
        f"Many threads compare with {what} and then set it: what others store in between is lost. Let "
        f"atomicMax(&{what}, …), or atomicMin, do both in one step. Floats have neither: let each thread "
        "keep its own, and join these in a tree. A barrier does not help."
    )
