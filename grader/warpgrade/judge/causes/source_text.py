"""The text of a submission without its comments, which judges look for causes in."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

from ...records import Place, Submission

# An unclosed comment extends to the end of the text: many of them take no more time than one.
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def code(submission: Submission | None) -> str:
    """The source of all files, without comments."""
    texts = (file.text for file in submission.files) if submission else ()
    return "\n".join(bare(text) for text in texts)


def beside(place: Place, submission: Submission | None) -> str:
    """The source of the place's file, without comments; each line keeps its number."""
    text = submission.source(place.file.rsplit("/", 1)[-1]) if submission else None
    return bare(text or "")


@functools.lru_cache(maxsize=4)  # each finding of a submission asks for it
def bare(text: str) -> str:
    """The text without comments; each line keeps its number."""
    return _COMMENT.sub(_blank, text)


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")


_FUNCTION = re.compile(r"\b(\w++)\s*+\(([^(){};]{0,300})\)\s*+\{")
_MOST = 50  # functions, and calls of each, that are looked at
_LONGEST = 4000  # characters of a function


def given(word: str, text: str) -> set[str]:
    """Names in functions that contain the word, and in the arguments of calls of these functions.

    `text` has no comments.
    """
    found: set[str] = set()
    for function in functions(text):
        body = text[function.end() : block_end(text, function.end(), _LONGEST)]
        if not re.search(rf"\b{word}\b", body):
            continue
        found.update(re.findall(r"[^\W\d]\w*", body))
        for arguments in arguments_of(function[1], text):
            found.update(re.findall(r"[^\W\d]\w*", arguments))
    return found


def assigned(name: str) -> str:
    """A pattern of what assigns to the variable of that name, or counts it up or down."""
    return rf"\b{name}\s*+(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*+{name}\b|\b{name}\s*+(?:\+\+|--)"


def functions(text: str) -> Iterator[re.Match[str]]:
    """The heads of functions, with their names and parameters."""
    return itertools.islice(_FUNCTION.finditer(text), _MOST)


def arguments_of(function: str, text: str) -> Iterator[str]:
    """The text between the brackets of each call of the function."""
    calls = re.finditer(rf"\b{re.escape(function)}\s*+\(([^();]{{1,200}})\)", text)
    return (call[1] for call in itertools.islice(calls, _MOST))


def split(arguments: str) -> list[str]:
    """The parts between the commas that stand in no bracket, up to a bracket that closes all."""
    found, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found


def block_end(text: str, begin: int, longest: int) -> int:
    """Place of the brace that closes the block around `begin`, or the end of what is searched."""
    depth = 1
    end = min(len(text), begin + longest)
    for at in range(begin, end):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return end
