"""What people do to a copy before they hand it in. Each disguise changes text alone, never what is computed.

Every function takes a source and returns another one; where nothing fits, the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from warpgrade.core.source_tokens import Token, tokens
from warpgrade.similarity.tokens import KEYWORDS

_TYPES = {"int", "float", "unsigned", "auto", "size_t", "float4", "bool", "double", "long", "char"}
_AFTER = {"=", ";", ",", ")", "[", ":", "{", "("}


def renamed(source: str) -> str:
    """Every name that the file declares has another one."""
    found = [token for token in tokens(source) if token.kind in ("word", "sign")]
    own: dict[str, str] = {}
    for before, token, after in zip(found, found[1:], found[2:], strict=False):
        declared = before.text in _TYPES | {"*", "&", "__restrict__"} and after.text in _AFTER
        if declared and token.kind == "word" and token.text not in KEYWORDS and "matmul" not in token.text:
            own.setdefault(token.text, f"v{len(own)}_{token.text[::-1][:3]}")
    if not own:
        return source
    any_name = re.compile(r"(?<![\w.\"])(" + "|".join(map(re.escape, own)) + r")\b")
    return any_name.sub(lambda match: own[match[1]], source)


def reformatted(source: str) -> str:
    """Other line ends and spaces, other comments."""
    lines: list[str] = []
    words: list[str] = []
    for token in tokens(source):
        if token.kind == "line":
            lines += [" ".join(words), token.text]
            words = []
        elif token.kind != "comment":
            words.append(token.text)
            if token.text in (";", "{", "}") and len(words) > 12:
                lines += [" ".join(words), "  // and so on"]
                words = []
    text = "\n".join((*lines, " ".join(words), ""))
    return re.sub(r"(?<=[0-9]) \. (?=[0-9f])", ".", text).replace(" . ", ".").replace(":: ", "::")


_DECLARATION = re.compile(r"^ *(?:const |constexpr )*(?:int|float|unsigned|auto|size_t) (\w+) = [^;{}]*;$")


def reordered(source: str) -> str:
    """Neighbouring declarations that do not need one another change places."""
    lines = source.split("\n")
    at = 0
    while at + 1 < len(lines):
        one, other = _DECLARATION.match(lines[at]), _DECLARATION.match(lines[at + 1])
        if one and other and not re.search(rf"\b{one[1]}\b", lines[at + 1]):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
            at += 1
        at += 1
    return "\n".join(lines)


def with_macros(source: str) -> str:
    """Indices, barriers and loops behind macros."""
    names = {"threadIdx.x": "TX", "threadIdx.y": "TY", "blockIdx.x": "BX", "blockIdx.y": "BY",
             "__syncthreads()": "WAIT_ALL", "float": "REAL"}  # fmt: skip
    head = "".join(f"#define {macro} {words}\n" for words, macro in names.items())
    body = source
    for words, macro in names.items():
        body = re.sub(rf"(?<![\w.]){re.escape(words)}(?!\w)", macro, body)
    loop = re.compile(r"for \(int (\w+) = 0; \1 < ([\w /+*-]+); (?:\+\+\1|\1\+\+)\)")
    if loop.search(body):
        head += "#define REPEAT(i, n) for (int i = 0; i < (n); i++)\n"
        body = loop.sub(r"REPEAT(\1, \2)", body)
    return below_includes(source, body, head)


def below_includes(source: str, body: str, head: str) -> str:
    """The body with `head` behind its last #include."""
    includes = [m.end() for m in re.finditer(r"^#include.*\n", body, re.M)]
    at = includes[-1] if includes else 0
    return body[:at] + head + body[at:]


def unrolled(source: str) -> str:
    """Each loop is unrolled, by a number that the copyist chose."""
    text = re.sub(r"^ *#pragma unroll.*\n", "", source, flags=re.M)
    return re.sub(r"^( *)(for \()", r"#pragma unroll 4\n\1\2", text, flags=re.M)


_INNERMOST = re.compile(
    r"^( *)for \((?:int|unsigned) (\w+) = (\w+(?:\.\w)?); \2 < (\w+); (?:\+\+\2|\2\+\+)\)"
    r"(?!\s*(?:for|if|while)\b)\s*(\{[^{}]*\}|[^;{}]+;)",
    re.MULTILINE,
)
_SIZE = re.compile(r"\b([A-Z]\w+) = (\d+)(?=[,;])")
_ALL, _TOGETHER = 8, 4  # turns that are all written out, or else at a time


def unrolled_by_hand(source: str) -> str:
    """Each innermost loop has its body written out, with a loop for the rest where a rest may be left."""
    sizes = {name: int(value) for name, value in _SIZE.findall(source)}

    def out(match: re.Match[str]) -> str:
        indent, name, first, bound, body = match.groups()
        if body.startswith("{") and re.search(r"\b(?:break|continue)\b", body):
            return match[0]
        count = sizes.get(bound, int(bound) if bound.isdecimal() else 0)

        def turn(value: str) -> str:
            return f"{indent}  " + re.sub(rf"(?<![\w.]){name}\b", value, body)

        if first == "0" and 0 < count <= _ALL:
            return "\n".join([f"{indent}{{", *(turn(str(i)) for i in range(count)), f"{indent}}}"])
        turns = [turn(f"({name} + {i})" if i else name) for i in range(_TOGETHER)]
        if first == "0" and count and count % _TOGETHER == 0:
            head = f"{indent}for (int {name} = 0; {name} < {bound}; {name} += {_TOGETHER}) {{"
            return "\n".join([head, *turns, f"{indent}}}"])
        head = f"{indent}{{ int {name} = {first}; for (; {name} + 3 < {bound}; {name} += {_TOGETHER}) {{"
        rest = f"{indent}}} for (; {name} < {bound}; ++{name})"
        return "\n".join([head, *turns, rest, turn(name), f"{indent}}}"])

    text = re.sub(r"^ *#pragma unroll.*\n", "", source, flags=re.M)
    changed = _INNERMOST.sub(out, text)
    return changed if changed != text else source


def rolled(source: str) -> str:
    """No loop is unrolled."""
    text = re.sub(r"^ *#pragma unroll.*\n", "", source, flags=re.M)
    return re.sub(r"^( *)(for \()", r"#pragma unroll 1\n\1\2", text, flags=re.M)


def split(source: str) -> str:
    """Sums of products in two statements, assignments through a name of their own."""
    count = 0

    def two(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{match[1]}{{ const float part{count} = {match[3]}; {match[2]} += part{count}; }}"

    text = re.sub(
        r"^( *(?:for \([^\n]*\) )?)([\w\[\]\. +*]+?) \+= ([^;\n]+\*[^;\n]+);", two, source, flags=re.M
    )

    def stored(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{match[1]}{{ const float held{count} = {match[3]}; {match[2]} = held{count}; }}"

    return re.sub(r"^( *)((?:As|Bs|C|tile\w*|\w+_s)\[[^=;\n]*\]) = ([^;{}\n]+);", stored, text, flags=re.M)


def spelled_otherwise(source: str) -> str:
    """Operators in their long forms, factors in the other order, a test turned round."""
    text = re.sub(r"(?<=[;(] )\+\+(\w+)\)", r"\1 += 1)", source)
    text = re.sub(r"^( *)(\w+) \+= ([^;\n]+);", r"\1\2 = \2 + (\3);", text, flags=re.M)
    text = re.sub(r"\b(\w+) \* (\w+) \+ (\w+)\b", r"\3 + \2 * \1", text)
    return re.sub(r"\b(\w+) < (\w+) && (\w+) < (\w+)\b", r"\4 > \3 && \2 > \1", text)


def with_while(source: str) -> str:
    """Plain loops over one statement become while loops."""
    pattern = re.compile(r"^( *)for \(int (\w+) = (\w+); \2 < ([\w /+*-]+); \+\+\2\) ([^;{}\n]+;)$", re.M)
    return pattern.sub(r"\1{ int \2 = \3; while (\2 < \4) { \5 ++\2; } }", source)


def padded(source: str) -> str:
    """Variables and comments that do nothing."""
    text = source.replace("{\n", "{\n  int unused_counter = 0;\n  unused_counter += 3;\n", 1)
    return "// My own solution, written on a Sunday.\n" + text


Disguise = Callable[[str], str]
SIMPLE: tuple[Disguise, ...] = (
    renamed, reformatted, reordered, with_macros, unrolled, unrolled_by_hand, rolled, split,
    spelled_otherwise, with_while, padded,
)  # fmt: skip
COMBINED: tuple[tuple[Disguise, ...], ...] = (
    (reordered, split, renamed, reformatted),
    (unrolled, spelled_otherwise, renamed, padded),
    (with_while, with_macros, renamed),
    (unrolled_by_hand, unrolled_by_hand, renamed, padded),
    (reordered, spelled_otherwise, unrolled_by_hand, split, renamed, padded),
    (reordered, rolled, split, spelled_otherwise, padded, with_macros),
    (reordered, unrolled, with_while, split, spelled_otherwise, renamed, reformatted),
)


def name(steps: Disguise | tuple[Disguise, ...]) -> str:
    return "+".join(step.__name__ for step in (steps if isinstance(steps, tuple) else (steps,)))


def disguised(source: str, steps: Disguise | tuple[Disguise, ...]) -> str:
    for step in steps if isinstance(steps, tuple) else (steps,):
        source = step(source)
    return source


def every(source: str) -> Iterable[tuple[str, str]]:
    """Name and text of each disguise that changes anything."""
    for steps in (*SIMPLE, *COMBINED):
        text = disguised(source, steps)
        if text != source:
            yield name(steps), text


__all__ = ["COMBINED", "SIMPLE", "Token", "disguised", "every", "name"]
