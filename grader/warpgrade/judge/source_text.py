"""The text of a submission without its comments, which judges look for causes in."""

from __future__ import annotations

import functools
import re

from ..records import Submission

# An unclosed comment extends to the end of the text: many of them take no more time than one.
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def code(submission: Submission | None) -> str:
    """The source of all files, without comments."""
    texts = (file.text for file in submission.files) if submission else ()
    return "\n".join(bare(text) for text in texts)


@functools.lru_cache(maxsize=4)  # each finding of a submission asks for it
def bare(text: str) -> str:
    """The text without comments; each line keeps its number."""
    return _COMMENT.sub(_blank, text)


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")
