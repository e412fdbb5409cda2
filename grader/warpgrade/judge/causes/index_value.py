"""The value that an index has in one thread, as far as the kernel's text says how it is computed."""

from __future__ import annotations

import re

from ...records import Place
from . import places
from .source_text import assigned

_BUILT_IN = re.compile(r"\b(threadIdx|blockIdx)\s*+\.\s*+([xyz])\b")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*+(?!\s*+[.(\[])")
_STEPS = 4  # of variables that are computed from others
_LONGEST = 300  # characters of an expression


def value_in(place: Place, index: str, text: str) -> int | None:
    """The value of the expression in the thread of `place`; None where a variable gets several values, or one
    that the text does not tell. `text`: the program without comments.
    """
    for _ in range(_STEPS):
        index = _NAME.sub(lambda name: _given(name[0], text), index)
        if len(index) > _LONGEST:
            return None
    words = _BUILT_IN.sub(lambda word: str(_number(place, word[1], "xyz".index(word[2]))), index)
    return places.value_of(words, text, {})


def _given(name: str, text: str) -> str:
    """What a variable is computed as, in brackets; its name where it changes or is no variable."""
    if len(re.findall(assigned(name), text)) != 1:
        return name
    found = re.search(rf"\b{name}\s*+=(?!=)([^;,(){{}}=]{{1,120}})[;,]", text)
    return f"({found[1].strip()})" if found else name


def _number(place: Place, which: str, axis: int) -> int:
    numbers = place.thread if which == "threadIdx" else place.block
    return numbers[axis] if axis < len(numbers) else 0
