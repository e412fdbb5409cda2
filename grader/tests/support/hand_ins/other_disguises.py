"""Disguises that the threshold of similarity was not calibrated with: they say whether it holds for others.

Each function takes a source and returns another one that computes the same; where nothing fits, the same.
"""

from __future__ import annotations

import random
import re

from . import disguises
from .disguises import Disguise


def with_index_macros(source: str) -> str:
    """Coordinates, barriers and elements of matrices behind macros."""
    names = {"threadIdx.x": "LX", "threadIdx.y": "LY", "blockIdx.x": "GX", "blockIdx.y": "GY",
             "blockDim.x": "DX", "__syncthreads()": "SYNC()"}  # fmt: skip
    body = source
    for words, macro in names.items():
        body = re.sub(rf"(?<![\w.]){re.escape(words)}(?!\w)", macro, body)
    body = re.sub(r"(?<![\w.>\]])(\w+)\[(\w+) \* (\w+) \+ (\w+)\]", r"AT(\1, \2, \3, \4)", body)
    head = "".join(f"#define {macro} {words}\n" for words, macro in names.items())
    head += "#define AT(p, r, w, c) p[(r) * (w) + (c)]\n"
    return disguises.below_includes(source, body, head) if body != source else source


def exchanged(source: str) -> str:
    """Operands of sums and products change places."""
    source = re.sub(r"\[(\w+) \* (\w+) \+ (\w+)\]", r"[\3 + \2 * \1]", source)
    source = re.sub(r"= (\w+\.\w+) \* (\w+) \+ (\w+\.\w+)([;,])", r"= \3 + \2 * \1\4", source)
    return re.sub(r"\+= (\w+(?:\[[^\[\]]+\])+) \* (\w+(?:\[[^\[\]]+\])+);", r"+= \2 * \1;", source)


def sums_written_out(source: str) -> str:
    pattern = r"^(\s*(?:for \([^;]*;[^;]*;[^)]*\) )?)(\w+(?:\[[^\]=]*\])*) \+= ([^;=]+);"
    return re.sub(pattern, r"\1\2 = (\3) + \2;", source, flags=re.M)


def unrolled_by_little(source: str) -> str:
    """Unrolls by two where a pragma asks for it, else the first two loops by three."""
    if "#pragma unroll" in source:
        return re.sub(r"#pragma unroll\b.*", "#pragma unroll 2", source)
    return re.sub(r"^(\s*)for \(", r"#pragma unroll 3\n\1for (", source, count=2, flags=re.M)


def unrolled_by_eight(source: str) -> str:
    text = re.sub(r"^ *#pragma unroll.*\n", "", source, flags=re.M)
    return re.sub(r"^( *)for \(", r"#pragma unroll 8\n\1for (", text, flags=re.M)


def steps_written_out(source: str) -> str:
    return re.sub(r"\+\+(\w+)\)", r"\1 = \1 + 1)", source)


def declarations_apart(source: str) -> str:
    """Sums in two statements; two constants that one declaration has in two, in the other order."""
    source = re.sub(r"^(\s*)const int (\w+) = ([\w.]+ \* [\w.]+) \+ ([\w.]+);",
                    r"\1int \2 = \4;\n\1\2 += \3;", source, flags=re.M)  # fmt: skip
    return re.sub(r"^( +)const int (\w+) = ([^,;=]+), (\w+) = ([^,;=]+);",
                  r"\1const int \4 = \5;\n\1const int \2 = \3;", source, flags=re.M)  # fmt: skip


def conditions_negated(source: str) -> str:
    return re.sub(r"if \((\w+(?:\.\w+)?) < (\w+)\)", r"if (!(\1 >= \2))", source)


def held_first(source: str) -> str:
    """What is stored in an array is a variable's before."""
    count = 0

    def two(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{match[1]}{{ auto held_{count} = {match[3]}; {match[2]} = held_{count}; }}"

    return re.sub(r"^( +)(\w+(?:\[[^=;\n\[\]]*\])+) = ([^;{}\n]+);", two, source, flags=re.M)


def unsigned_places(source: str) -> str:
    pattern = r"\bconst int (?=\w+ = (?:blockIdx|threadIdx)[^,;]*;)"
    return re.sub(pattern, "const unsigned ", source)


def endless_loops(source: str) -> str:
    """Loops without a condition, left by break."""
    pattern = r"^( *)for \(int (\w+) = ([\w.]+); \2 < ([\w /+*().-]+); \+\+\2\) ([^;{}\n]+;)$"
    turn = r"\1for (int \2 = \3;;) {\n\1  if (!(\2 < \4)) break;\n\1  \5\n\1  \2++;\n\1}"
    return re.sub(pattern, turn, source, flags=re.M)


def other_comments(source: str) -> str:
    return "// Exercise sheet 5\n" + re.sub(r"//[^\n>].*", "// see the lecture", source)


OTHERS: tuple[Disguise, ...] = (
    unsigned_places, declarations_apart, conditions_negated, held_first, exchanged, sums_written_out,
    endless_loops, steps_written_out, unrolled_by_little, unrolled_by_eight, with_index_macros,
    disguises.reordered, disguises.unrolled_by_hand, disguises.renamed, disguises.reformatted, other_comments,
)  # fmt: skip
_UNROLLING = (unrolled_by_little, unrolled_by_eight)


def some(source: str, chance: random.Random) -> tuple[str, str]:
    """Names and text of three to six at once, of those that change the source."""
    able = [each for each in OTHERS if each(source) != source]
    drawn = chance.sample(able, min(len(able), chance.randint(3, 6)))
    if all(each in drawn for each in _UNROLLING):
        drawn.remove(_UNROLLING[0])
    steps = tuple(sorted(drawn, key=OTHERS.index))
    return disguises.name(steps), disguises.disguised(source, steps)
