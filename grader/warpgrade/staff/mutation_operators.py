"""Systematic mutants of a solution: each changes one place of one line. mutation_test.py grades them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..records import Lab

# Name of the rule, pattern, replacements. Each match in code with each replacement is a mutant.
Rule = tuple[str, str, tuple[str, ...]]
_RULES: tuple[Rule, ...] = (
    ("comparison", r"(?<= )<(?= )", ("<=", "!=")),
    ("comparison", r"(?<= )<=(?= )", ("<",)),
    ("comparison", r"(?<= )>(?= )", (">=",)),
    ("comparison", r"(?<= )>=(?= )", (">",)),
    ("comparison", r"==", ("!=",)),
    ("guard", r"&&", ("||",)),
    ("arithmetic", r"(?<= )\+(?= )", ("-",)),
    ("arithmetic", r"(?<= )-(?= )", ("+",)),
    ("arithmetic", r"(?<= )\*(?= )", ("+",)),
    ("arithmetic", r"(?<= )/(?= )", ("*", "%")),
    ("arithmetic", r"(?<= )%(?= )", ("/",)),
    ("arithmetic", r"\+=", ("=", "-=")),
    ("index term", r"(?<=[xX])\.x\b", (".y",)),
    ("index term", r"(?<=[xX])\.y\b", (".x",)),
    ("initial value", r"(?<== )0\.0f", ("1.0f",)),
    ("initial value", r"(?<== )0(?=[;,])", ("1",)),
    ("step", r"(?<=[+-] )1\b", ("0",)),
    ("step", r"\+\+(?=\w)", ("++++",)),
    ("barrier", r"__syncthreads\(\);", (";",)),
)
# Parts of names that are easily confused: `first_row` can become `first_column`.
_TWINS = {"row": "column", "rows": "columns", "ROWS": "COLUMNS", "ROW": "COLUMN", "tx": "ty", "AS": "BS"}
_TWINS |= dict(zip("XiAa", "YjBb", strict=True))  # neighbours in the alphabet
_TWINS |= {other: one for one, other in _TWINS.items()}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CONSTANT = re.compile(r"(?<![\w.])[A-Z][A-Z_0-9]{2,}\b(?!\()")
_STUB = ("/*> stub", "<*/")
_CHOICE = re.compile(r"^\s*constexpr int \w+ = \d+;")  # a size that the author is free to choose
_STORE = re.compile(r"^\s*[\w\[\]. +*/()-]+ [+]?= [^=].*;\s*$")
_DECLARES = re.compile(r"^\s*(?:const\s+)?(?:int|float|bool|auto|unsigned|double|__shared__|constexpr)\b")
_IF = re.compile(r"\bif \(")


@dataclass(frozen=True)
class Mutant:
    """A solution with one change. `before` and `after`: the changed line, stripped. `text`: the file."""

    rule: str
    line: int
    before: str
    after: str
    text: str


def mutants(marked: str, lab: Lab) -> tuple[Mutant, ...]:
    """Every mutant of the marked solution of the lab. Markers stay."""
    lines = marked.split("\n")
    rules = (*_RULES, *_bounds(lab.parameter_names))
    signature = re.compile(rf"__global__|\bfloat\* ?{lab.covers}\b" if lab.covers else "__global__")
    names = frozenset(_NAME.findall(marked))
    found: dict[tuple[int, str], Mutant] = {}
    for number in _code_lines(lines, signature):
        for rule, changed in _of_line(lines[number], names, rules):
            text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            mutant = Mutant(rule, number + 1, lines[number].strip(), changed.strip(), text)
            found.setdefault((number, changed), mutant)
    return tuple(found.values())


def _bounds(names: tuple[str, ...]) -> Iterator[Rule]:
    """Each parameter of the lab can become each other one."""
    for name in names:
        others = tuple(other for other in names if other != name)
        yield "bound", rf"(?<![\w.]){name}(?![\w.])", others


def _code_lines(lines: list[str], signature: re.Pattern[str]) -> Iterator[int]:
    """Indices of the lines to mutate: no comments, stubs, directives, signatures, or sizes free to choose."""
    stub = False
    for number, line in enumerate(lines):
        code = line.strip()
        stub = (stub or code == _STUB[0]) and code != _STUB[1]
        free = _CHOICE.match(line) or signature.search(line)
        if code and not stub and not free and not code.startswith(("//", "#", "/*", "<*/")):
            yield number


def _of_line(line: str, names: frozenset[str], rules: tuple[Rule, ...]) -> Iterator[tuple[str, str]]:
    """Each rule that applies to the line, with the changed line."""
    code, slashes, comment = line.partition("//")
    rest = slashes + comment
    for rule, pattern, replacements in rules:
        for match in re.finditer(pattern, code):
            for other in replacements:
                yield rule, code[: match.start()] + other + code[match.end() :] + rest
    for match in _NAME.finditer(code):
        for other in _twins(match[0]) & names:
            yield "index term", code[: match.start()] + other + code[match.end() :] + rest
    for match in () if _DECLARES.match(code) and "[" in code else _CONSTANT.finditer(code):
        for other in (f"({match[0]} - 1)", f"({match[0]} + 1)"):
            yield "tile constant", code[: match.start()] + other + code[match.end() :] + rest
    for start, end in _conditions(code):
        for word in ("true", "false"):
            yield "guard", code[:start] + word + code[end:] + rest
    if _STORE.match(code) and not _DECLARES.match(code) and "for (" not in code:
        yield "store", ";"


def _twins(name: str) -> set[str]:
    """Names made by exchanging one part: "first_row" → "first_column"."""
    parts = name.split("_")
    return {
        "_".join([*parts[:index], _TWINS[part], *parts[index + 1 :]])
        for index, part in enumerate(parts)
        if part in _TWINS
    }


def _conditions(code: str) -> Iterator[tuple[int, int]]:
    """Start and end of each if's condition in the line."""
    for match in _IF.finditer(code):
        depth = 1
        for place in range(match.end(), len(code)):
            depth += {"(": 1, ")": -1}.get(code[place], 0)
            if depth == 0:
                yield match.end(), place
                break
