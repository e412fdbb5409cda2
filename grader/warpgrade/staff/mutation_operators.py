"""Systematic mutants of a solution: each one changes one place of one line. mutation_test.py grades them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..records import Lab

# Name of the rule, pattern, replacements, which may name groups of the pattern. Each match in code with each
# replacement is a mutant.
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
    ("barrier", r"__sync(?:threads|warp)\([^()]*\);", (";",)),
    ("atomic", r"\batomicAdd\(&([^,]+), ([^;]+)\);", (r"\1 += \2;",)),
    ("atomic", r"\batomicAdd\((\w+), ([^;]+)\);", (r"*\1 += \2;",)),
    ("narrower type", r"\bdouble\b", ("float",)),
    ("narrower type", r"\b(?:unsigned long long|size_t)\b", ("unsigned",)),
    ("narrower type", r"\blong long\b|\bstd::int64_t\b", ("int",)),
    ("narrower type", r"(?<=const )int(?= \w+ =)", ("short",)),
    ("swapped indices", r"\[([^\[\]]+)\]\[([^\[\]]+)\]", (r"[\2][\1]",)),
)
# Indices of array accesses only: the size in an array's declaration belongs to the operator "tile constant".
_INDEX: Rule = ("index off by one", r"\[([^\[\]]+)\]", (r"[\1 + 1]", r"[\1 - 1]"))
# Parts of names that are easily confused: `first_row` can become `first_column`.
_TWINS = {"row": "column", "rows": "columns", "ROWS": "COLUMNS", "ROW": "COLUMN", "tx": "ty", "AS": "BS"}
_TWINS |= dict(zip("XiAa", "YjBb", strict=True))  # neighbours in the alphabet
_TWINS |= {other: one for one, other in _TWINS.items()}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CONSTANT = re.compile(r"(?<![\w.])[A-Z][A-Z_0-9]{2,}\b(?!\()")
_STUB = ("/*> stub", "<*/")
_CHOICE = re.compile(r"^\s*constexpr int \w+ = \d+;")  # a size that the author is free to choose
_STORE = re.compile(r"^\s*[\w\[\]. +*/()-]+ [+]?= [^=].*;\s*$")
_DECLARES = re.compile(
    r"^\s*(?:(?:const\s+)?(?:int|float|bool|auto|unsigned|double|__shared__|constexpr)\b"
    r"|__(?:device|constant)__ [^()]*;)"
)
_IF = re.compile(r"\bif \(")


@dataclass(frozen=True)
class Mutant:
    """A solution with one change. `before` and `after`: the changed line, stripped. `text`: the whole file.

    `file`: its name, of the lab's files; empty for the first of them.
    """

    rule: str
    line: int
    before: str
    after: str
    text: str
    file: str = ""


def mutants(marked: str, lab: Lab, file: str = "") -> tuple[Mutant, ...]:
    """Every mutant of one marked file of the lab's solution. Markers stay."""
    lines = marked.split("\n")
    rules = (*_RULES, *_bounds(lab.parameter_names))
    signature = re.compile(rf"__global__|\bfloat\* ?{lab.covers}\b" if lab.covers else "__global__")
    names = frozenset(_NAME.findall(_code(lines)))
    found: dict[tuple[int, str], Mutant] = {}
    for number in _code_lines(lines, signature):
        for rule, changed in _of_line(lines[number], names, rules):
            text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            mutant = Mutant(rule, number + 1, lines[number].strip(), changed.strip(), text, file)
            found.setdefault((number, changed), mutant)
    return tuple(found.values())


def _code(lines: list[str]) -> str:
    """The lines without comments."""
    return "\n".join(line.partition("//")[0] for line in lines)


def _bounds(names: tuple[str, ...]) -> Iterator[Rule]:
    """Replacements of each parameter of the lab by each other parameter."""
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
    """Each rule that applies to the line, with the line after the change."""
    code, slashes, comment = line.partition("//")
    rest = slashes + comment
    is_declaration = _DECLARES.match(code) is not None and "=" not in code
    for rule, pattern, replacements in rules if is_declaration else (*rules, _INDEX):
        for match in re.finditer(pattern, code):
            for other in replacements:
                yield rule, code[: match.start()] + match.expand(other) + code[match.end() :] + rest
    for match in _NAME.finditer(code):
        for other in sorted(_twins(match[0], names)):
            yield "index term", code[: match.start()] + other + code[match.end() :] + rest
    for match in () if _DECLARES.match(code) and "[" in code else _CONSTANT.finditer(code):
        for other in (f"({match[0]} - 1)", f"({match[0]} + 1)"):
            yield "tile constant", code[: match.start()] + other + code[match.end() :] + rest
    for start, end in _conditions(code):
        for word in ("true", "false"):
            yield "guard", code[:start] + word + code[end:] + rest
    if _STORE.match(code) and not _DECLARES.match(code) and "for (" not in code:
        yield "store", ";"


def _twins(name: str, names: frozenset[str]) -> set[str]:
    """Names in the file that differ from each other in one part: "first_row" → "first_column", "row" →
    "column".

    Any one part of a longer name may differ. A name of one part can only become its twin in the table.
    """
    parts = name.split("_")
    known = {
        "_".join([*parts[:index], _TWINS[part], *parts[index + 1 :]])
        for index, part in enumerate(parts)
        if part in _TWINS
    }
    if len(parts) < 2:
        return known & names
    return (known & names) | {other for other in names if _parts_apart(parts, other.split("_")) == 1}


def _parts_apart(parts: list[str], others: list[str]) -> int:
    """The number of parts in which two names differ; if they have different numbers of
    parts, a large number.
    """
    if len(parts) != len(others):
        return len(parts) + len(others)
    return sum(one != other for one, other in zip(parts, others, strict=True))


def _conditions(code: str) -> Iterator[tuple[int, int]]:
    """Start and end of each if's condition in the line."""
    for match in _IF.finditer(code):
        depth = 1
        for place in range(match.end(), len(code)):
            depth += {"(": 1, ")": -1}.get(code[place], 0)
            if depth == 0:
                yield match.end(), place
                break
