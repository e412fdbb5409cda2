"""The variables of a kernel's file: of which type each is, and where it can be used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....core.source_tokens import tokens
from .source import KernelSource
from .statements import TYPE_WORDS

_INTEGER_WORDS = """
auto char int long short signed unsigned size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
uint64_t
"""
_QUALIFIER_WORDS = """
const constexpr extern static volatile __shared__ __constant__ __restrict__ register
"""
_INTEGERS = frozenset(_INTEGER_WORDS.split())
_QUALIFIERS = frozenset(_QUALIFIER_WORDS.split())
INTEGER = "integer"  # the kind of whole numbers of any size
_FLOATING = ("float", "double")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*+")
_CONSTANT = re.compile(r"#[ \t]{0,9}define[ \t]{1,9}([A-Za-z_]\w{0,99})[ \t]{1,9}(\S{1,40})[ \t]{0,99}\Z")


@dataclass(frozen=True)
class Variable:
    """`kind`: variables of one kind may stand for each other: "integer", "const floating*", "integer[][]".

    It can be used behind token `at`, up to `end`. Macros have -1: they can be used everywhere.
    """

    name: str
    kind: str
    at: int
    end: int
    is_parameter: bool = False


def can_use(text: str, at: int, known: Sequence[Variable]) -> bool:
    """Whether all names of an expression or a statement can be used at that token. What no declaration of the
    file gives is a function's, a member's or the compiler's.
    """
    declared = {each.name for each in known}
    usable = {each.name for each in known if each.at < at <= each.end}
    return all(name in usable for name in _NAME.findall(text) if name in declared)


def variables(source: KernelSource) -> tuple[Variable, ...]:
    return (*_macros(source), *_declared(source))


def _macros(source: KernelSource) -> Iterator[Variable]:
    """Names that a directive gives to a number."""
    for token in tokens(source.text):
        match = _CONSTANT.match(token.text) if token.kind == "line" else None
        if match and match[2].strip("()")[:1].isdigit():
            kind = "floating" if "." in match[2] else INTEGER
            yield Variable(match[1], kind, -1, len(source.tokens))


def _declared(source: KernelSource) -> Iterator[Variable]:
    at = 0
    while at < len(source.tokens):
        if source.word(at) not in TYPE_WORDS or source.word(at - 1) in (".", "->", "<"):
            at += 1
            continue
        is_of_template = source.word(at - 1) == "," and _enclosing(source, at) < 0
        base, at = _type(source, at)
        if base and not is_of_template:
            yield from _declarators(source, base, at)


def _type(source: KernelSource, at: int) -> tuple[str, int]:
    """The kind of the type that begins here, and the token behind it."""
    base = ""
    is_const = False
    while source.word(at) in TYPE_WORDS:
        word = source.word(at)
        is_const = is_const or word == "const"
        if word not in _QUALIFIERS:
            base = INTEGER if word in _INTEGERS else "floating" if word in _FLOATING else word
        at += 1
    points = source.word(at) in ("*", "&") and is_const
    return f"const {base}" if base and points else base, at


def _declarators(source: KernelSource, base: str, at: int) -> Iterator[Variable]:
    """`a`, `*b`, `c[16][16]`, as far as commas go on; a parameter ends at its comma."""
    enclosing = _enclosing(source, at)
    is_parameter = enclosing >= 0 and source.word(enclosing) == "(" and source.word(enclosing - 1) != "for"
    while True:
        stars = 0
        while source.word(at) in ("*", "&", "const", "__restrict__"):
            stars += source.word(at) == "*"
            at += 1
        if at >= len(source.tokens) or source.tokens[at].kind != "word" or source.word(at + 1) == "(":
            return
        name, ranks = source.word(at), 0
        at += 1
        while source.word(at) == "[" and at in source.partner:
            ranks, at = ranks + 1, source.partner[at] + 1
        at = _next_declarator(source, at)
        kind = base + "*" * stars + "[]" * ranks
        yield Variable(name, kind, at, _last_use(source, enclosing), is_parameter)
        if is_parameter or source.word(at) != ",":
            return
        at += 1


def _next_declarator(source: KernelSource, at: int) -> int:
    """The comma behind an initialiser, or what ends the declaration."""
    while source.word(at) not in ("", ",", ";", ")", "}"):
        at = source.partner.get(at, at) if source.word(at) in ("(", "[", "{") else at
        at += 1
    return at


def _enclosing(source: KernelSource, at: int) -> int:
    """The bracket that is open there; -1 outside of all."""
    before = at - 1
    while before >= 0:
        if source.word(before) in (")", "]", "}") and before in source.partner:
            before = source.partner[before]
        elif source.word(before) in ("(", "[", "{"):
            return before
        before -= 1
    return -1


def _last_use(source: KernelSource, enclosing: int) -> int:
    """The last token at which a variable can be used that is declared in this bracket."""
    if enclosing < 0:
        return len(source.tokens)
    close = source.partner.get(enclosing, len(source.tokens))
    if source.word(enclosing) != "(":
        return close
    behind = close + 1  # of a function's parameters or of a loop's counter: to the end of what follows
    while source.word(behind) not in ("", "{", ";"):
        behind = source.partner.get(behind, behind) if source.word(behind) in ("(", "[") else behind
        behind += 1
    return source.partner.get(behind, behind)
