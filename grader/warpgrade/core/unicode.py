"""Unicode forms of names, in linear time."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

_LATIN = re.compile(r"LATIN (SMALL|CAPITAL) (?:LETTER|LIGATURE) (SHARP S|[A-Z]{1,2})(?: WITH .+)?")
_LONGEST = (
    1000  # characters of a name that count: marks on one letter are sorted in time quadratic in their number
)


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], name: str) -> str:
    """The name's first thousand characters in that Unicode form."""
    return unicodedata.normalize(form, name[:_LONGEST])


def ascii_letters(name: str) -> str:
    """The name in ASCII: ß becomes ss, ø o, æ ae; what has no such letters is left out."""
    return "".join(c if c.isascii() else _ascii_letter(c) for c in normalized("NFKD", name))


def _ascii_letter(letter: str) -> str:
    """The letters that the character's name in Unicode consists of."""
    match = _LATIN.fullmatch(unicodedata.name(letter, ""))
    if match is None:
        return ""
    letters = match[2].replace("SHARP S", "SS")
    return letters.lower() if match[1] == "SMALL" else letters
