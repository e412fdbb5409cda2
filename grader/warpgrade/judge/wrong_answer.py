"""Causes of a wrong answer beyond its pattern: the launch shape, and C that does not start at zero."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..records import LaunchShape, Submission, Wrong

# An unclosed comment extends to the end of the text: many of them take no more time than one.
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
# C[…] += …, and C[…] to the right of an = or an operator; C[…] = … does not match.
_READS_C = re.compile(r"\bC\s*\[[^;=]*\]\s*[-+*/]=|[=+*/(-]\s*C\s*\[")


def doubts(wrong: Wrong, shape: LaunchShape | None, submission: Submission | None) -> Iterator[str]:
    """Sentences for the student; usually empty."""
    text = code(submission)
    is_nan = str(wrong.got).lower().lstrip("-") == "nan"
    if is_nan and _READS_C.search(text) and not re.search(r"\bbeta\b", text):  # then C is an input, too
        yield "C does not begin as zero: sum in a variable of your own that begins as 0, and write C once."
    partly = wrong.pattern == "never-written" and wrong.count < wrong.total
    if partly and shape is not None and shape.threads_per_block < shape.outputs[0] * shape.outputs[1]:
        each = shape.outputs[0] * shape.outputs[1] / shape.threads_per_block
        yield (
            f"{called(shape)}: a block has {shape.threads_per_block:,} threads for "
            f"{shape.outputs[0] * shape.outputs[1]:,} elements of C. Does each thread write {each:g} of them?"
        )


def called(shape: LaunchShape) -> str:
    """The name that the student wrote."""
    return f"LAUNCH_SHAPE({', '.join(map(str, (*shape.threads, *shape.outputs)))})"


def code(submission: Submission | None) -> str:
    """The source of all files, without comments."""
    texts = (file.text for file in submission.files) if submission else ()
    return "\n".join(bare(text) for text in texts)


def bare(text: str) -> str:
    """The text without comments; each line keeps its number."""
    return _COMMENT.sub(_blank, text)


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")
