"""Unicode forms of names, in linear time."""

from __future__ import annotations

import unicodedata
from typing import Literal

_LONGEST = (
    1000  # characters of a name that count: marks on one letter are sorted in time quadratic in their number
)


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], name: str) -> str:
    """The name's first thousand characters in that Unicode form."""
    return unicodedata.normalize(form, name[:_LONGEST])
