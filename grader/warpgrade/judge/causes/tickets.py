"""Words from which blocks draw their numbers by an atomic: something else was stored there, or the last block
is to have a number that no block draws.
"""

from __future__ import annotations

import re

from .source_text import arguments_of, functions

CAUSE, NEVER_LAST = "ticket-overwritten", "never-last"
# The array that is drawn from: tile = atomicAdd(words, 1), tile = int(atomicAdd(&words[0], 1ull)). A
# bracket that closes more than a type ends the head of a statement: for (…; i += N) atomicAdd(&bins[key], 1).
DRAWN = re.compile(r"=(?:[^=;{}()]|\((?:[\w\s:]*+\))?+){0,40}?\batomic(?:Add|Inc)\s*+\(\s*+&?+\s*+(\w++)")
# is_last = atomicAdd(&tickets, 1) == gridDim.x; or ticket = atomicAdd(&tickets, 1); … ticket == gridDim.x
_COMPARED = re.compile(r"\batomic(?:Add|Inc)\s*+\([^;{}=]{1,120}?\)\s*+==([^;{}?&|]{1,60})")
_NAMED = re.compile(r"\b(\w++)\s*+=[^=;{}]{0,20}?\batomic(?:Add|Inc)\s*+\([^;{}=]{1,120}?\)\s*+;")
_COUNT = re.compile(r"\s*+\(?+\s*+(gridDim\.x|[A-Z]\w*+)\s*+(?![-+*/%.(\[])")
_NUMBER = re.compile(r"\s*+\(?+\s*+(\d++)[uU]?+\s*+(?![-+*/%.(\[\w])")
_BLOCKS = re.compile(r"\bLAUNCH_BLOCKS(?:_OF)?+\s*+\((?:\s*+\w++\s*+,)?+\s*+(\d++)\s*+\)")
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


def never_last(text: str) -> str:
    """Advice where a ticket is compared with the number of blocks, which no block draws; else ""."""
    compared = _COMPARED.findall(text)
    for name in _NAMED.findall(text):
        compared += re.findall(rf"(?<![\w.]){name}\s*+==([^;{{}}?&|]{{1,60}})", text)
    blocks = set(_BLOCKS.findall(text))
    numbers = (found for words in compared if (found := _NUMBER.match(words)) and found[1] in blocks)
    names = (found for words in compared if (found := _COUNT.match(words)))
    count = next((found[1] for found in (*names, *numbers)), "")
    if not count:
        return ""
    return (
        f"An atomic returns what was there before: the first block draws 0, and the last of {count} blocks "
        f"{count} - 1. A ticket is compared with {count} here, which no block draws, so none is the last."
    )


def _drawn_from(text: str) -> set[str]:
    """Names of arrays whose words are drawn from, here or in a function that they are given to."""
    found = set(DRAWN.findall(text))
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
