"""Advice where the index into a matrix multiplies by a parameter that is not the length of a row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ....records import Case
from ..source_text import arguments_of, block_end, functions

_MATRIX = 2  # dimensions
_BODY = 4000  # characters of a function that are looked at


def advice(source: str, text: str, name: str, size: str, signs: Sequence[str], case: Case) -> str:
    """Advice on the index into matrix `name` in this line, also in a function that is called with the matrix;
    else "". `text`: the kernel's source; `size`: the matrix in words; `signs`: the lab's words for its
    extents.
    """
    if len(signs) != _MATRIX:
        return ""
    itself = {sign: sign for sign in case.names}
    found = _wrong_factor(source, name, itself, signs[-1], case)
    if found is None:
        of_calls = (_wrong_factor(source, own, given, signs[-1], case)
                    for own, given in _calls(source, text, name))  # fmt: skip
        found = next(filter(None, of_calls), None)
    if found is None:
        return ""
    factor, sign = found
    where = "" if factor == sign else f", which is {sign} where {name} is given"
    return (
        f"{size}: a row of it has {signs[-1]} elements, and this index multiplies by {factor}{where}. Row r "
        f"begins at r * {signs[-1]}."
    )


def _wrong_factor(
    source: str, name: str, given: Mapping[str, str], width: str, case: Case
) -> tuple[str, str] | None:
    """The wrong factor in the index, and its value in the caller. `given`: parameter → argument."""
    index = re.search(rf"\b{re.escape(name)}\s*+\[([^\[\];]{{1,200}})\]", source)
    if index is None:
        return None
    factors = {*re.findall(r"\*\s*+(\w++)", index[1]), *re.findall(r"(\w++)\s*+\*", index[1])}
    values = {factor: given.get(factor, factor) for factor in factors}
    wrong = sorted(factor for factor, value in values.items() if factor in given and value in case.names)
    return (wrong[0], given[wrong[0]]) if wrong and width not in values.values() else None


def _calls(source: str, text: str, name: str) -> list[tuple[str, dict[str, str]]]:
    """Calls that pass the matrix to the function with this line. Of each, the parameter that the matrix is,
    and parameter → argument for all.
    """
    found = []
    for function in functions(text):
        body = text[function.end() : block_end(text, function.end(), _BODY)]
        if source.strip() not in body:
            continue
        parameters = [part.split()[-1].lstrip("*&") for part in function[2].split(",") if part.split()]
        for arguments in arguments_of(function[1], text):
            given = dict(zip(parameters, map(str.strip, arguments.split(",")), strict=False))
            found += [(own, given) for own, argument in given.items() if argument == name]
    return found
