"""Conditions that let a wrong access through: the extents of two indices exchanged, or || in place of &&."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....records import Finding, Lab, Place
from ..source_text import bare

CAUSE, PART, TURNED = "extents-exchanged", "part-compared", "guard-turned"
_RETURNS = re.compile(r"\bif\s*+\(\s*+(\w++)\s*+<\s*+(\w++)\s*+\)\s*+\{?\s*+return\b")
_TURNED = (
    "Line {} returns where {} is below {}, and lets just those threads go on that have no element: return "
    "where {} >= {}."
)
_CHECKS = ("memory", "init")
# Causes that say less than a wrong condition does.
_LESS = ("", "outside-the-array", "outside-the-result", "unwritten-by-one")
_MATRIX = 2  # dimensions
_NEAR = 10  # lines
_CONDITION = re.compile(r"\b(?:for|while|if|bool)\b|\?")
_PART = re.compile(r"&&|\|\||\?|[;={}]|\bif\b")  # what stands between the comparisons of a condition
_BELOW = re.compile(r"([\w\s+*.()]{1,80}+)<(?![<=])\s*+(\w++)")
# row < m || i < k; x < 0 || y < 0 is a condition of what lies outside
_EITHER = re.compile(r"\w\s*+<(?!<|=|\s*+0\b)[^<>=&|;?]{1,60}\|\|[^<>=&|;?]{1,60}<(?!<|=|\s*+0\b)\s*+\w")
_UP_TO = re.compile(r"([\w\s+*.()-]{1,80}+)<=")
# from -radius to radius: the bound is right
_SYMMETRIC = re.compile(r"(=\s*+-\s*+(\w++)\s*+;\s*+\w++\s*+<)=(?=\s*+\2\b)")
_INDEX = re.compile(r"\[([^\[\]]{1,120})\]")
_NAME = re.compile(r"[A-Za-z_]\w*+")
_CALL = re.compile(r"\w\s*+\(")
_VALUE = r"\b{}\s*+[-+*]?=(?!=)([^;{{}}]{{1,160}}+)"
_KEYWORDS = frozenset(("if", "for", "while", "return", "bool", "const", "int"))
_MOST_NAMES = 40
_BOTH = (
    "The condition in line {} holds where only one of its two parts does, and lets the access through there: "
    "write && in place of ||, as both must hold. "
)


@dataclass(frozen=True)
class _Guarded:
    """An access to a matrix of the lab by row and column. `before`: what stands before it."""

    line: int
    array: str
    row: str
    column: str
    before: str


def conditions(text: str, place: Place) -> str:
    """The access's line and the conditions shortly before it, which may bound its index. All of the text
    where that line is not in it.
    """
    lines = text.split("\n")
    if not 1 <= place.line <= len(lines) or bare(place.source).strip() not in lines[place.line - 1]:
        return text
    before = lines[max(place.line - 1 - _NEAR, 0) : place.line - 1]
    near = "\n".join([*filter(_CONDITION.search, before), lines[place.line - 1]])
    near = _SYMMETRIC.sub(r"\1", near)
    index = _names_of_index(place.source, text)

    def of_index(found: re.Match[str]) -> str:
        """The comparison; with < where it bounds something else than the index, as in i + length <= n."""
        is_about = not index or set(_NAME.findall(found[1])) - _KEYWORDS <= index
        return found[0] if is_about else f"{found[1]}<"

    return _UP_TO.sub(of_index, near)


def _names_of_index(source: str, text: str) -> set[str]:
    """The names in the indices of a line, and those that they are computed from without a call."""
    found: set[str] = set()
    new = {name for index in _INDEX.findall(source) for name in _NAME.findall(index)}
    while new and len(found) < _MOST_NAMES:
        found |= new
        values = (value for name in new for value in re.findall(_VALUE.format(name), text))
        new = {each for value in values if not _CALL.search(value) for each in _NAME.findall(value)} - found
    return found


def advised(finding: Finding, text: str, lab: Lab) -> Finding:
    """The finding with advice on the condition; unchanged where that is not the mistake. `text`: the source
    without comments.
    """
    memory = finding.memory
    if finding.check not in _CHECKS or (finding.cause or "") not in _LESS or memory is None:
        return finding
    name = memory.array
    for each in _guarded(text, lab):
        filled = each.before.rpartition("=")[0]
        if each.array == name or (
            memory.space == "shared" and re.search(rf"\b{re.escape(name)}\s*\[", filled)
        ):
            extents = next(array.extents for array in lab.arrays if array.name == each.array)
            if words := _exchanged(each, extents):
                return replace(finding, cause=CAUSE, help=words)
            if each.array == name and finding.check == "memory" and each.line == finding.place.line:
                if words := _part_alone(each, extents, text):
                    return replace(finding, cause=PART, help=words)
                finding = replace(finding, help=_one_alone(each, extents, text) or finding.help)
    if finding.check == "memory" and (words := _turned(text, finding.place)):
        return replace(finding, cause=TURNED, help=words)
    if finding.check == "memory" and (line := _line_of_either(text, finding.place)):
        return replace(finding, help=_BOTH.format(line) + finding.help)
    return finding


def _guarded(text: str, lab: Lab) -> Iterator[_Guarded]:
    """Elements of the lab's matrices whose index is made of a row and a column."""
    lines = ["", *text.split("\n")]
    for array in lab.arrays:
        if len(array.extents) != _MATRIX or array.extents[0] == array.extents[1]:
            continue
        element = re.compile(rf"\b{re.escape(array.name)}\s*+\[([^\[\];]{{1,200}})\]")
        for number, (above, line) in enumerate(itertools.pairwise(lines), 1):
            for found in element.finditer(line):
                parts = _parts(found[1], array.extents[1])
                if parts is not None:
                    yield _Guarded(number, array.name, *parts, f"{above} {line[: found.start()]}")


def _parts(index: str, width: str) -> tuple[str, str] | None:
    """Row and column of `row * width + column`, in either order."""
    terms, width = _terms(index), re.escape(re.sub(r"\s", "", width))
    of_row = [term for term in terms if re.search(rf"(?:\*{width}|^{width}\*.{{1,80}})$", term)]
    if len(of_row) != 1 or len(terms) < len(("row", "column")):
        return None
    row = re.sub(rf"\*{width}$|^{width}\*", "", of_row[0])
    return _plain(row), "+".join(term for term in terms if term != of_row[0])


def _terms(index: str) -> list[str]:
    """The terms of a sum, without spaces."""
    found, depth = [""], 0
    for letter in re.sub(r"\s", "", index):
        depth += (letter == "(") - (letter == ")")
        if letter == "+" and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found


def _plain(words: str) -> str:
    """The expression without spaces, without brackets around all of it or without a partner."""
    words = re.sub(r"\s", "", words)
    words = words[max(words.count("(") - words.count(")"), 0) :]
    return words[1:-1] if re.fullmatch(r"\([^()]*\)", words) else words


def _part_alone(guarded: _Guarded, extents: tuple[str, ...], text: str) -> str:
    """Advice where a part of an index alone is compared with the extent of all of it; else ""."""
    limits = _limits(guarded)
    for index, extent, what in zip((guarded.row, guarded.column), extents, ("row", "column"), strict=True):
        given = re.findall(_VALUE.format(re.escape(index)), text) if _NAME.fullmatch(index) else [index]
        terms = _terms(given[0]) if len(given) == 1 else []
        part = next((term for term in terms if len(terms) > 1 and limits.get(term) == extent), None)
        if part and limits.get(index) != extent:
            is_all = index if given[0] == index else f"{index} = {given[0].strip()}"
            return (
                f"The condition compares {part} with {extent}, and the {what} of {guarded.array} here is "
                f"{is_all}: all of it has to be below {extent}."
            )
    return ""


def _one_alone(guarded: _Guarded, extents: tuple[str, ...], text: str) -> str:
    """Advice where one index is compared with its extent, so that the other one goes too far; else ""."""
    if "||" in guarded.before:
        return ""
    limits, (rows, columns) = _limits(guarded), extents
    row, column = guarded.row, guarded.column
    bounded = limits.get(row) == rows, limits.get(column) == columns
    if bounded == (True, False):
        good, extent, what, index, wanted = row, rows, "column", column, columns
    elif bounded == (False, True):
        good, extent, what, index, wanted = column, columns, "row", row, rows
    else:
        return ""
    # Of a loop's variable, the loop has a bound.
    if "+" not in index and not re.search(rf"\b{re.escape(index)}\s*+=[^;=+]{{1,80}}\+[^;=]{{1,80}};", text):
        return ""
    return (
        f"{good} is compared with {extent} here, so that it is the {what} of {guarded.array}, {index}, that "
        f"goes too far: nothing lets this access happen only where {index} < {wanted}."
    )


def _limits(guarded: _Guarded) -> dict[str, str]:
    """What the condition compares by <, and with what."""
    found = filter(None, map(_BELOW.match, _PART.split(guarded.before)))
    return {_plain(each[1]): each[2] for each in found}


def _exchanged(guarded: _Guarded, extents: tuple[str, ...]) -> str:
    """Advice where each index is compared with the other's extent; else ""."""
    limits, (rows, columns) = _limits(guarded), extents
    row, column = guarded.row, guarded.column
    if (limits.get(row), limits.get(column)) != (columns, rows):
        return ""
    return (
        f"{row} is a row of {guarded.array} here and {column} a column, and the condition compares each "
        f"with the other's extent. {guarded.array} has {rows} rows and {columns} columns: {row} < {rows} && "
        f"{column} < {columns}."
    )


def _turned(text: str, place: Place) -> str:
    """Advice where a guard shortly before the access returns in the wrong one of two cases; else ""."""
    lines = text.split("\n")
    if not 1 <= place.line <= len(lines):
        return ""
    used = set(_NAME.findall(lines[place.line - 1]))
    for number in range(place.line, max(place.line - _NEAR, 0), -1):
        found = _RETURNS.search(lines[number - 1])
        if found and found[1] in used:
            return _TURNED.format(number, found[1], found[2], found[1], found[2])
        if "__global__" in lines[number - 1]:
            break
    return ""


def _line_of_either(text: str, place: Place) -> int:
    """The line of a condition with || that the access depends on; 0 without one."""
    lines = text.split("\n")
    if not 1 <= place.line <= len(lines):
        return 0
    for number in range(place.line, max(place.line - _NEAR, 0), -1):
        line = lines[number - 1]
        if _EITHER.search(line) and not re.search(r"\b(?:return|continue|break)\b", line):
            return number
    return 0
