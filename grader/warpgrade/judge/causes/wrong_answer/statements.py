"""Causes of a wrong answer that one statement of the kernel shows."""

from __future__ import annotations

import itertools
import re

from ..source_text import given

NOT_STORED, QUOTIENT, DRAWN, COMPARED = (
    "copy-not-stored", "quotient-of-integers", "place-drawn", "swap-compared-with-wanted",
)  # fmt: skip
_MOST = 50  # statements that are looked at
# A local copy of an element: `T name = reinterpret_cast<T*>(array)[index];`
_COPY = re.compile(
    r"\b(?!const\b)\w++\s++(\w++)\s*+=\s*+(?:reinterpret_cast\s*+<[^<>;]{1,60}>)?\s*+\(?\s*+(\w++)\s*+\)?\s*+"
    r"\[[^\[\];]{1,120}\]\s*+;"
)
_NUMBERS = re.compile(r"(?<![\w.])(\d{1,6})\s*+/\s*+(\d{1,6})(?![\w.])")
_DRAWN = re.compile(r"\b(\w++)\s*+=[^=;{}]{0,40}?\batomic(?:Add|Inc)\s*+\(")
# found = atomicCAS(place, seen, wanted)
_SWAP = re.compile(r"\b(\w++)\s*+=\s*+atomicCAS\s*+\([^,;]{1,80},[^,;]{1,80},\s*+(\w++)\s*+\)\s*+;")


def not_stored(array: str, text: str) -> str:
    """Advice where a copy of an element is changed and goes nowhere; else "". `text`: the kernel's."""
    for copy in itertools.islice(_COPY.finditer(text), _MOST):
        variable, source = copy.groups()
        if source != array:
            continue
        behind = text[copy.end() :].partition("__global__")[0]
        uses = [part for part in re.split(r"[;{}]", behind) if re.search(rf"\b{variable}\b", part)]
        changed = rf"\s*+{variable}\s*+(?:\.\s*+\w++)?\s*+[-+*/]?+=(?!=)"
        if uses and all(re.match(changed, part) for part in uses[:_MOST]):
            return (
                f"{variable} is a copy of an element of {array}. Changes of the copy do not reach the array: "
                f"store {variable} in the place that it comes from."
            )
    return ""


def quotient(text: str) -> str:
    """Advice on a quotient of two whole numbers that is 0; else ""."""
    for above, below in itertools.islice(_NUMBERS.findall(text), _MOST):
        if 0 < int(above) < int(below):
            return (
                f"{above} / {below} is 0: both are whole numbers, and the quotient loses its fraction. Write "
                f"{above}.0f / {below}."
            )
    return ""


def drawn(array: str, text: str, *, is_alone: bool = False) -> str:
    """Advice where an atomic says at which place of the array a value is stored; else "". `is_alone`: the
    place is what the atomic returns, and nothing else.
    """
    other = r"\s*+" if is_alone else r"[^\[\];]{0,60}"
    element = rf"\b{re.escape(array)}\s*+\[{other}"
    names = set(itertools.islice(_DRAWN.findall(text), _MOST))
    by_name = (re.search(rf"{element}\b{name}\b{other}\]\s*+=(?!=)", text) for name in sorted(names))
    if re.search(rf"{element}\batomic(?:Add|Inc)\s*+\(", text) or any(by_name):
        return (
            f"An atomic gives places of {array} to threads in the order in which they come, which is left to "
            "chance. Where an order is asked for, a place is how many come before it: count them by a scan."
        )
    return ""


def compared(array: str, text: str) -> str:
    """Advice where what atomicCAS returns is compared with what it was to write; else ""."""
    for found, wanted in itertools.islice(_SWAP.findall(text), _MOST):
        pair = rf"\b(?:{found}\s*+[!=]=\s*+{wanted}|{wanted}\s*+[!=]=\s*+{found})\b"
        if found != wanted and re.search(pair, text) and array in given("atomicCAS", text):
            return (
                "atomicCAS returns what stood there before. It has written if that is its second argument: "
                f"compare {found} with that one, not with {wanted}."
            )
    return ""
