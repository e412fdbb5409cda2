"""Which edits are tried before others: those of lines in which the mistake shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .edits.edit import Edit
from .reading.names import Variable, variables
from .reading.operands import ASSIGNING
from .reading.source import KernelSource, read

_TIMES_EARLIER = 6


def ordered(edits: Iterable[Edit], text: str, shown: Collection[int]) -> list[Edit]:
    """Edits of the lines `shown`, of those that write results, and of those that compute what stands in
    either come so many times earlier.
    """
    source = read(text)
    known = variables(source)
    near = {*shown, *_writing(source, known)}
    near |= _computing(source, known, near)
    ranked = (
        (place / _TIMES_EARLIER if edit.line in near else place, edit) for place, edit in enumerate(edits)
    )
    return [edit for _, edit in sorted(ranked, key=lambda each: each[0])]


def _writing(source: KernelSource, known: Iterable[Variable]) -> set[int]:
    """The lines with a parameter of a function that may be written."""
    results = [each for each in known if each.is_parameter and each.kind.endswith("*")]
    return {
        token.line
        for at, token in enumerate(source.tokens)
        for each in results
        if token.text == each.name and each.at < at <= each.end and not each.kind.startswith("const ")
    }


def _computing(source: KernelSource, known: Iterable[Variable], lines: Collection[int]) -> set[int]:
    """The lines that give a value to a variable of these lines."""
    declared = {each.name for each in known if not each.is_parameter}
    names = {token.text for token in source.tokens if token.line in lines} & declared
    return {
        token.line
        for at, token in enumerate(source.tokens)
        if token.text in names and source.word(at + 1) in ASSIGNING
    }
