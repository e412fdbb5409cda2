"""PTX as a set of terms: what each instruction computes, by what its operands were computed from.

A term is an instruction with the instructions that made its operands, to a small depth. It holds no
register's name, no place in the text and no offset of an address. So names, the order of statements, macros
and layout leave the terms as they are; unrolling mostly repeats terms, and a set has each once.

The text comes from a compiler that read a student's file. One pass over its lines, each cut to a fixed
length; a term looks at a bounded number of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

_MOST_LINES = 200_000
_LINE = 400  # characters
_DEPTH = 2
_COMMUTES = ("add", "mul", "fma", "mad", "min", "max", "and", "or", "xor", "setp.eq", "setp.ne")
_SKIPPED = ("bra", "ret", "mov.u32", "mov.f32", "mov.u64", "mov.b32", "mov.b64", "cvta", "ld.param")
_WRITES_NOTHING = ("st.", "bar", "red.", "bra", "ret", "barrier", "membar", "fence", "call")
_OPERAND = re.compile(r"[%\w.$+-]+")
_FOLLOWED = ("mov", "cvta", "cvt.u64.u32", "cvt.s64.s32")  # copies: a term sees through them


@dataclass
class _Kernel:
    """What is known at a place of a function's text."""

    made: dict[str, str] = field(default_factory=dict)  # term of the instruction that wrote a register last
    terms: dict[str, set[int]] = field(default_factory=dict)  # with their lines of the source


def terms(ptx: str) -> dict[int, set[int]]:
    """Number of a term → lines of the source's main file that compute it."""
    kernel, line = _Kernel(), 0
    for text in _lines(ptx):
        if text.startswith(".loc"):
            line = _place(text)
        elif text.startswith((".visible .entry", ".entry", ".func", ".visible .func")):
            kernel.made.clear()
        elif text.endswith(";") and text[0] not in ".{}":
            _instruction(text, line, kernel)
    return {_number(term): lines for term, lines in kernel.terms.items()}


def _lines(ptx: str) -> Iterator[str]:
    at = 0
    for _ in range(_MOST_LINES):
        if at >= len(ptx):
            return
        end = ptx.find("\n", at)
        end = len(ptx) if end < 0 else end
        text = ptx[at : min(end, at + _LINE)].strip()
        at = end + 1
        if text and not text.startswith("//"):
            yield text


def _place(text: str) -> int:
    """The line in the main file; 0 for another file. Of inlined code the call's place is named last."""
    words = text.replace(",", " ").split()
    for at in range(len(words) - 2):
        if words[at] in (".loc", "inlined_at") and words[at + 1] == "1" and words[at + 2].isdecimal():
            return int(words[at + 2])
    return 0


def _instruction(text: str, line: int, kernel: _Kernel) -> None:
    guard = ""
    if text[0] == "@":
        first, _, text = text.partition(" ")
        guard = kernel.made.get(first.lstrip("@!").strip(), "")
        text = text.strip()
    opcode, _, rest = text.rstrip(";").partition("\t" if "\t" in text else " ")
    opcode, names = opcode.strip(), _OPERAND.findall(rest.replace("[", " ").replace("]", " "))
    nothing = opcode.startswith(_WRITES_NOTHING)
    vector = rest.lstrip().startswith("{")
    outputs = 0 if nothing else rest.partition("}")[0].count(",") + 1 if vector else 1
    operands = [_operand(name, kernel) for name in names[outputs:]]
    operands = [operand for operand in operands if operand]
    if opcode.startswith(_FOLLOWED) and len(operands) == 1:
        term = operands[0]
    else:
        if opcode.startswith(_COMMUTES):
            operands.sort()
        term = f"({opcode} {' '.join(operands)})"
    for name in names[:outputs]:
        kernel.made[name] = term
    shown = _cut(f"{term}{'?' + guard if nothing and guard else ''}")
    if not opcode.startswith(_SKIPPED):
        kernel.terms.setdefault(shown, set()).add(line)


def _operand(name: str, kernel: _Kernel) -> str:
    if name.startswith("%"):
        base = name.split("+")[0]
        made = kernel.made.get(base)
        return (
            _cut(made, _DEPTH - 1) if made else (base if "." in base or base.startswith("%laneid") else "r")
        )
    if name[0].isdigit() or name[0] == "-":
        return "n"
    return "" if name.startswith("+") else "p" if "_param_" in name else "s"


def _cut(term: str, depth: int = _DEPTH) -> str:
    """The term without what lies deeper."""
    level, kept = 0, []
    for letter in term:
        level += letter == "("
        if level <= depth:
            kept.append(letter)
        level -= letter == ")"
    return "".join(kept)


def _number(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big")
