"""A word from which blocks draw their numbers by an atomic, and in which something else was stored."""

from __future__ import annotations

import re

from .source_text import arguments_of, functions

CAUSE = "ticket-overwritten"
# The array that is drawn from: tile = atomicAdd(words, 1), tile = int(atomicAdd(&words[0], 1ull)).
_DRAWN = re.compile(r"=[^=;{}]{0,40}?\batomic(?:Add|Inc)\s*+\(\s*+&?+\s*+(\w++)")
_FAR = 2  # times its elements: a number that was drawn as it should be leads less far beyond an array


def advice(array: str, index: int, count: int, text: str) -> str:
    """What to do if this index into an array can be no number that a block has drawn; else "".

    `text`: the source of all files, without comments.
    """
    if 0 <= index < _FAR * count:
        return ""
    drawn = _drawn_from(text)
    others = (name for name in sorted(drawn) if re.search(rf"\b{name}\s*+(?:\[|\+(?!=))", text))
    place = array if array in drawn else next(others, "")
    if not place:
        return ""
    return (
        f"Blocks draw their numbers by an atomic from an element of {place}. No such number leads to this "
        "index: has something else been stored in that element? Give the tickets one of their own, and let "
        "the others begin behind it."
    )


def _drawn_from(text: str) -> set[str]:
    """Names of arrays whose words are drawn from, here or in a function that they are given to."""
    found = set(_DRAWN.findall(text))
    for function in functions(text):
        names = [re.findall(r"\w+", parameter)[-1:] for parameter in function[2].split(",")]
        places = [at for at, name in enumerate(names) if found.intersection(name)]
        if places:
            found |= _given(function[1], places, text)
    return found


def _given(function: str, places: list[int], text: str) -> set[str]:
    """The first names of these arguments, in all calls of the function."""
    arguments = [each.split(",") for each in arguments_of(function, text)]
    parts = (each[at] for each in arguments for at in places if at < len(each))
    return {name for part in parts for name in re.findall(r"[^\W\d]\w*", part)[:1]}
