"""What a student asks the course staff: a comment `// regrade: …` (`# regrade: …` in a file of answers).

A hand-in that differs from an earlier one by such comments alone is the same work: it keeps the time of the
earlier one. One pass over each line, and a bound on what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.paths import text_hash
from ..records import SourceFile
from .collection import plain

_SIGNS = ("//", "#")
_WORD = "regrade:"
_MOST_LINES = 5


def request(files: Sequence[SourceFile]) -> str:
    """The student's words, in one line; empty if nothing is asked."""
    asked = [words for file in files for line in file.text.split("\n") if (words := _words(line))]
    return " ".join(map(plain, asked[:_MOST_LINES]))


def work_hash(files: Sequence[SourceFile]) -> str:
    """sha256 over the files without requests and without empty lines."""
    return text_hash(*(part for file in files for part in (file.name, "\n".join(_rest(file)))))


def _rest(file: SourceFile) -> Iterator[str]:
    return (line for line in file.text.split("\n") if line.strip() and _words(line) is None)


def _words(line: str) -> str | None:
    """What stands after the word; None if the line is no request."""
    text = line.strip()
    sign = next((sign for sign in _SIGNS if text.startswith(sign)), None)
    if sign is None:
        return None
    said = text[len(sign) :].lstrip()
    return said[len(_WORD) :].strip() if said[: len(_WORD)].lower() == _WORD else None
