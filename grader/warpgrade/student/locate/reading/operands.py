"""The operands of an operator in an expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .source import KernelSource
from .statements import TYPE_WORDS, Region

# How closely an operator binds (C++ standard, [expr]); those of one line alike.
_LEVELS = (("*", "/", "%"), ("+", "-"), ("<<", ">>"), ("<", "<=", ">", ">="), ("==", "!="), ("&",), ("^",),
           ("|",), ("&&",), ("||",))  # fmt: skip
_BINDS = {word: len(_LEVELS) - number for number, words in enumerate(_LEVELS) for word in words}
_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=")
ASSIGNING = (*_ASSIGNMENTS, "++", "--")
_DELIMITERS = (*_ASSIGNMENTS, "?", ":", ",", ";", "return")
_TEMPLATES = ("static_cast", "reinterpret_cast", "const_cast")
_NO_OPERANDS = (*_TEMPLATES, "return", "case", "sizeof")


@dataclass(frozen=True)
class Operation:
    """An operator between two operands, by its token and those with which the operands begin and end."""

    first: int
    operator: int
    last: int


def operations(source: KernelSource, region: Region) -> Iterator[Operation]:
    """Every operator with two operands in the region, also in its brackets."""
    for number in range(region.first + 1, region.last):
        if is_binary(source, number):
            low, high = _level(source, number, region)
            first = start_of(source, number, low, _BINDS[source.word(number)])
            yield Operation(first, number, _right(source, number, high))


def start_of(source: KernelSource, end: int, low: int, binds: int = 0) -> int:
    """The first token of the expression that ends before token `end`, at `low` or behind it. It holds no
    operator that binds less closely than `binds` says.
    """
    at = end
    while at > low:
        before = at - 1
        if source.word(before) in (")", "]", "}"):
            at = source.partner.get(before, before)
        elif source.word(before) in (*_DELIMITERS, "(", "[", "{") or (
            is_binary(source, before) and _BINDS[source.word(before)] < binds
        ):
            break
        else:
            at = before
    return at


def is_binary(source: KernelSource, number: int) -> bool:
    if source.word(number) not in _BINDS or source.tokens[number].kind != "sign":
        return False
    before = source.tokens[number - 1]
    if before.kind == "word":
        return before.text not in TYPE_WORDS and before.text not in _NO_OPERANDS
    if before.text == ")":
        return not _is_cast(source, number - 1)
    if before.kind == "number":  # 1e-5f is one number
        return not (before.text[-1:] in "eE" and before.text[:2].lower() != "0x")
    return before.text == "]"


def _is_cast(source: KernelSource, close: int) -> bool:
    open_ = source.partner.get(close, close)
    words = [source.word(number) for number in range(open_ + 1, close)]
    return bool(words) and all(word in TYPE_WORDS or word in ("*", "&") for word in words)


def _level(source: KernelSource, number: int, region: Region) -> tuple[int, int]:
    """The first and last token that are in the same brackets."""
    low = number
    while low > region.first:
        before = low - 1
        if source.word(before) in (")", "]", "}") and before in source.partner:
            low = source.partner[before]
        elif source.word(before) in ("(", "[", "{"):
            return low, source.partner.get(before, region.last + 1) - 1
        else:
            low = before
    return low, region.last


def _right(source: KernelSource, operator: int, high: int) -> int:
    own, at = _BINDS[source.word(operator)], operator + 1
    while at < high:
        behind = at + 1
        if source.word(at) in ("(", "[", "{") and at in source.partner:
            at = source.partner[at]
            behind = at + 1
            if at >= high:
                break
        if source.word(behind) in _DELIMITERS:
            break
        if is_binary(source, behind) and _BINDS[source.word(behind)] <= own:
            break
        at = behind
    return min(at, high)
