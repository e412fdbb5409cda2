"""An index that is held to at most an array's extent, where the last element is one before."""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Case, Finding

CAUSE = "held-to-the-extent"
_LESS = ("", "outside-the-array")  # causes that say less
_CODES = ("WG101", "WG102")
_NAME = re.compile(r"[^\W\d]\w*+")
_LONGEST, _MOST_NAMES = 160, 20


def advised(finding: Finding, text: str, case: Case) -> Finding:
    """The finding with advice on `if (r > rows) r = rows` or `r = min(r, rows)`, where r is in the index that
    leaves the array; unchanged without such a line. `text`: the source without comments.
    """
    memory, lines = finding.memory, text.split("\n")
    number = finding.place.line
    if finding.code not in _CODES or (finding.cause or "") not in _LESS or memory is None:
        return finding
    if memory.relation != "after" or not memory.allocation or not 1 <= number <= len(lines):
        return finding
    name = re.escape(memory.array)
    element = re.search(rf"\b{name}\s*+\[([^;]{{1,{_LONGEST}}})", lines[number - 1])
    for index in dict.fromkeys(_NAME.findall(element[1])[:_MOST_NAMES] if element else ()):
        for extent in case.parameters:
            if index != extent and (line := _held(index, extent, lines[:number])):
                words = (
                    f"Line {line} holds {index} to at most {extent}, and the last of {extent} is "
                    f"{extent} - 1, as they begin at 0."
                )
                return replace(finding, cause=CAUSE, help=words)
    return finding


def _held(index: str, extent: str, lines: list[str]) -> int:
    """The last line that holds the index to at most the extent; 0 without one."""
    larger = rf"\b{index}\s*+>=?\s*+{extent}\s*+"
    forms = (  # all patterns of one of these
        (rf"{larger}[)&|]", rf"\b{index}\s*+=\s*+{extent}\s*+;"),
        (rf"{larger}\?\s*+{extent}\s*+:",),
        (rf"\b{index}\s*+=(?!=)", r"min\s*+\(", rf",\s*+{extent}\s*+\)"),
        (rf"\b{index}\s*+=(?!=)", rf"min\s*+\(\s*+{extent}\s*+,"),
    )
    for number in range(len(lines), 0, -1):
        line = lines[number - 1][:_LONGEST]
        if extent in line and any(all(re.search(each, line) for each in form) for form in forms):
            return number
    return 0
