"""Advice on a pointer that walks through a matrix by steps that do not fit it: by rows, or by other rows."""

from __future__ import annotations

import re
from dataclasses import replace

from ....records import Case, Finding, Lab

CAUSE = "step-of-pointer"
_LESS = ("", "outside-the-array")  # causes that say less
_MATRIX = 2  # dimensions
_USED = re.compile(r"(?<![\w.)\]])\*\s*+([^\W\d]\w*+)|\b([^\W\d]\w*+)\s*+\[")
_STEP = r"\b{}\s*+\+=\s*+([^;{{}}]{{1,60}});"
_BEGIN = r"\*\s*+(?:const\s++)?+{}\s*+=\s*+&?\s*+(\w++)\b"


def advised(finding: Finding, text: str, lab: Lab, case: Case) -> Finding:
    """The finding with advice; unchanged where another mistake is known. `text`: without comments."""
    memory = finding.memory
    if finding.check != "memory" or (finding.cause or "") not in _LESS or memory is None:
        return finding
    extents = next((each.extents for each in lab.arrays if each.name == memory.allocation), ())
    if len(extents) != _MATRIX:
        return finding
    for names in _USED.findall(finding.place.source):
        pointer = names[0] or names[1]
        begin = re.findall(_BEGIN.format(re.escape(pointer)), text)
        steps = re.findall(_STEP.format(re.escape(pointer)), text)
        if begin == [memory.allocation] and len(steps) == 1:
            words = _words(pointer, steps[0].strip(), memory.allocation, extents, case)
            return replace(finding, cause=CAUSE, help=words) if words else finding
    return finding


def _words(pointer: str, step: str, array: str, extents: tuple[str, ...], case: Case) -> str:
    sizes = set(re.findall(r"[^\W\d]\w*", step)) & set(case.names)
    rows, width = extents
    if width in sizes:
        return (
            f"{pointer} moves on by {step}, which is down by whole rows of {array}, and comes behind the "
            f"last of its {rows} rows. Along a row it would move on by elements."
        )
    if sizes:
        return (
            f"{pointer} moves on by {step}, and a row of {array} has {width} elements: down by rows, it "
            f"moves on by multiples of {width}."
        )
    return ""
