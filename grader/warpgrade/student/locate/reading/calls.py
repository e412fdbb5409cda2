"""Which functions of a file may run where some of its kernels are launched."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ....core.source_tokens import tokens
from .source import KernelSource

_WORD = re.compile(r"[A-Za-z_]\w*+")
Braces = tuple[int, int]  # around a function's body, by their numbers among the tokens


def reached(source: KernelSource, kernels: Collection[str]) -> Iterator[Braces]:
    """The bodies of these kernels and of all that they may call. All bodies where a kernel is not found, and
    always those of functions without a name, of which nobody knows who calls them.
    """
    named: dict[str, list[Braces]] = {}
    for body in source.bodies:
        named.setdefault(_name(source, body[0]), []).append(body)
    if not kernels or not set(kernels) <= set(named):
        yield from source.bodies
        return
    begun = {"", *kernels, *(_in_directives(source) & named.keys())}
    found, waiting = begun, list(begun)
    while waiting:
        for first, last in named.get(waiting.pop(), ()):
            called = {source.word(at) for at in range(first, last)} & named.keys() - found
            found |= called
            waiting += called
    yield from (body for body in source.bodies if _name(source, body[0]) in found)


def _in_directives(source: KernelSource) -> set[str]:
    """What a macro may call."""
    lines = (token.text for token in tokens(source.text) if token.kind == "line")
    return {word for line in lines for word in _WORD.findall(line)}


def _name(source: KernelSource, first: int) -> str:
    """Of the function whose body begins at that token: the word before the brackets of its parameters."""
    at = first - 1
    while at >= 0 and source.word(at) != ")":
        at -= 1
    opened = source.partner.get(at, 0)
    return source.word(opened - 1) if opened and source.tokens[opened - 1].kind == "word" else ""
