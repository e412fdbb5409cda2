"""The tokens of a CUDA source without everything that can be changed without thinking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..core.source_tokens import MOST_TOKENS, Token, tokens

# Words that mean something; every other name may be any name.
_WORDS = """
auto bool break case char class const constexpr continue default do double else enum extern false float for
goto if inline int long namespace operator return short signed sizeof static struct switch template true
typedef typename union unsigned using void volatile while __global__ __device__ __shared__ __constant__
__restrict__ __forceinline__ __launch_bounds__ threadIdx blockIdx blockDim gridDim __syncthreads
__syncwarp atomicAdd float2 float4 int2 int4 size_t
"""
KEYWORDS = frozenset(_WORDS.split())


def normalised(source: str) -> list[tuple[str, int]]:
    """The tokens that are left when everything is removed that can be changed without thinking.

    Macros are expanded; comments, directives, brackets, types, qualifiers and = are removed; a name or number
    becomes "i"; `x += y` becomes `x = x + y`, `++x` becomes `x = x + 1`, and > becomes <. Each token has its
    line.
    """
    plain: list[Token] = []
    macros: dict[str, _Macro] = {}
    for token in tokens(source):
        if token.kind == "line":
            _define(token.text, macros)
        elif token.kind != "comment":
            plain.append(token)
    return [row for token in _expanded(plain, macros) for row in _words(token)]


def without_comments(source: str) -> str:
    """The text's tokens, each behind one space."""
    return " ".join(token.text for token in tokens(source) if token.kind != "comment")


_NO_MEANING = """
const constexpr static inline volatile register __restrict__ ( ) { } ; =
int unsigned float double auto size_t long short char bool float4 float2
"""
_DROPPED = frozenset(_NO_MEANING.split())
_LONG = {"+=": "+", "-=": "-", "*=": "*", "/=": "/", "++": "+", "--": "-"}
_TURNED = {">": "<", ">=": "<="}


def _words(token: Token) -> Iterator[tuple[str, int]]:
    text = token.text
    if text in _DROPPED:
        return
    if text in _LONG:
        for word in ("i", _LONG[text], "i")[: 3 if text in ("++", "--") else 2]:
            yield word, token.line
    elif text in _TURNED:
        yield _TURNED[text], token.line
    elif token.kind == "number" or (token.kind == "word" and text not in KEYWORDS):
        yield "i", token.line
    else:
        yield text, token.line


# --- macros ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Macro:
    parameters: tuple[str, ...] | None  # None: it is used without brackets
    body: tuple[Token, ...]


_DEPTH = 4  # of macros in macros
_DEFINE = re.compile(r"#[ \t]{0,9}define[ \t]{1,9}([A-Za-z_]\w{0,99})(\(([^()\n]{0,400})\))?")


def _define(text: str, macros: dict[str, _Macro]) -> None:
    match = _DEFINE.match(text)
    if match:
        names = tuple(name.strip() for name in match[3].split(",")) if match[3] is not None else None
        macros[match[1]] = _Macro(names, tuple(tokens(text[match.end() : 4_000].replace("\\\n", " "))))


def _expanded(waiting: list[Token], macros: dict[str, _Macro]) -> Iterator[Token]:
    """The tokens with macros replaced by their bodies, at most MOST_TOKENS."""
    stack = [(token, 0) for token in reversed(waiting)]
    for _ in range(MOST_TOKENS):
        if not stack:
            return
        token, depth = stack.pop()
        macro = macros.get(token.text) if token.kind == "word" and depth < _DEPTH else None
        if macro is None:
            yield token
            continue
        values: dict[str, list[Token]] = {}
        if macro.parameters is not None:
            found = _arguments(stack)
            if found is None:
                yield token
                continue
            values = dict(zip(macro.parameters, found, strict=False))
        body = [each for part in macro.body for each in values.get(part.text, [part])]
        stack += [(Token(part.kind, part.text, token.line), depth + 1) for part in reversed(body[:_LONGEST])]


_LONGEST = 400  # tokens of an argument or of a macro's body


def _arguments(stack: list[tuple[Token, int]]) -> list[list[Token]] | None:
    """Removes a call's arguments from the stack and returns them. None, and the stack is unchanged, if no
    short call follows.
    """
    if not stack or stack[-1][0].text != "(":
        return None
    found: list[list[Token]] = [[]]
    level = 0
    for taken in range(1, min(len(stack), _LONGEST) + 1):
        token = stack[-taken][0]
        level += (token.text in "([{") - (token.text in ")]}")
        if level == 0:
            del stack[-taken:]
            return found
        if token.text == "," and level == 1:
            found.append([])
        elif taken > 1:
            found[-1].append(token)
    return None
