"""Systematic mutants of a solution: does the grader notice each small mistake?

A mutant differs from the solution in one place of one line. One that still gets full points is a
survivor: a case that is missing, or a change that changes nothing. A person reads survivors and
lists the latter in solutions/<lab>/equivalents.toml, each with its reason:

    [[equivalent]]
    line = "for (int i = 0; i < TILE_WIDTH; ++i) sum += a[i] * b[i];"   # the solution's, trimmed
    mutant = "for (int i = 0; i != TILE_WIDTH; ++i) sum += a[i] * b[i];"
    reason = "i goes up by one and meets the bound exactly"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from . import batch
from .build import FATBIN
from .errors import InstructorError
from .house import House, text_hash
from .records import BuildStatus, Result, SourceFile, Submission
from .workplace import workplace
from .workshop import Place, Workshop

MOST_UNEXPLAINED = 0.01  # of the mutants of a lab
_STEPS = 200_000  # warp instructions a block, ten times what a solution takes: many mutants never end
# What is replaced by what, in code; each match is a mutant. Source: the list of mistakes.
_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
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
    ("bound", r"(?<![\w.])m(?![\w.])", ("n", "k")),
    ("bound", r"(?<![\w.])n(?![\w.])", ("m", "k")),
    ("bound", r"(?<![\w.])k(?![\w.])", ("m", "n")),
    ("initial value", r"(?<== )0\.0f", ("1.0f",)),
    ("initial value", r"(?<== )0(?=[;,])", ("1",)),
    ("step", r"(?<=[+-] )1\b", ("0",)),
    ("step", r"\+\+(?=\w)", ("++++",)),
    ("barrier", r"__syncthreads\(\);", (";",)),
)
# Names that are taken for one another: what a part of one name becomes in the other's.
_TWINS = {"row": "column", "rows": "columns", "ROWS": "COLUMNS", "ROW": "COLUMN", "tx": "ty", "X": "Y",
          "i": "j", "A": "B", "a": "b", "AS": "BS"}  # fmt: skip
_TWINS |= {other: one for one, other in _TWINS.items()}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CONSTANT = re.compile(r"(?<![\w.])[A-Z][A-Z_0-9]{2,}\b(?!\()")
_STUB = ("/*> stub", "<*/")
_CHOICE = re.compile(r"^\s*constexpr int \w+ = \d+;")  # a size that the author is free to choose
_SIGNATURE = re.compile(r"__global__|\bfloat\* ?C\b")
_STORE = re.compile(r"^\s*[\w\[\]. +*/()-]+ [+]?= [^=].*;\s*$")
_DECLARES = re.compile(r"^\s*(?:const\s+)?(?:int|float|bool|auto|unsigned|double|__shared__|constexpr)\b")
_IF = re.compile(r"\bif \(")


@dataclass(frozen=True)
class Mutant:
    """One change; `before` and `after` are the line, trimmed."""

    rule: str
    line: int
    before: str
    after: str
    text: str


@dataclass(frozen=True)
class Fate:
    """What became of it: "lost points", "does not build", "same code", "equivalent", "survived"."""

    mutant: Mutant
    fate: str
    points: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Equivalent:
    line: str
    mutant: str
    reason: str


# --- making them -------------------------------------------------------------------------------


def mutants(marked: str) -> tuple[Mutant, ...]:
    """Every mutant of the solution's file, whose markers are left as they are."""
    lines = marked.split("\n")
    names = frozenset(_NAME.findall(marked))
    found: dict[tuple[int, str], Mutant] = {}
    for number in _code_lines(lines):
        for rule, changed in _of_line(lines[number], names):
            text = "\n".join([*lines[:number], changed, *lines[number + 1 :]])
            mutant = Mutant(rule, number + 1, lines[number].strip(), changed.strip(), text)
            found.setdefault((number, changed), mutant)
    return tuple(found.values())


def _code_lines(lines: list[str]) -> Iterator[int]:
    """Without comments, stubs, directives, the kernel's signature and sizes that may be chosen."""
    stub = False
    for number, line in enumerate(lines):
        code = line.strip()
        stub = (stub or code == _STUB[0]) and code != _STUB[1]
        free = _CHOICE.match(line) or _SIGNATURE.search(line)
        if code and not stub and not free and not code.startswith(("//", "#", "/*", "<*/")):
            yield number


def _of_line(line: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    code, slashes, comment = line.partition("//")
    rest = slashes + comment
    for rule, pattern, replacements in _RULES:
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
    """Names that differ in one of their parts: "first_row" → "first_column"."""
    parts = name.split("_")
    return {
        "_".join([*parts[:index], _TWINS[part], *parts[index + 1 :]])
        for index, part in enumerate(parts)
        if part in _TWINS
    }


def _conditions(code: str) -> Iterator[tuple[int, int]]:
    """Where the conditions of the line's ifs begin and end."""
    for match in _IF.finditer(code):
        depth = 1
        for place in range(match.end(), len(code)):
            depth += {"(": 1, ")": -1}.get(code[place], 0)
            if depth == 0:
                yield match.end(), place
                break


# --- judging them ------------------------------------------------------------------------------


def equivalents(house: House, lab: str) -> tuple[Equivalent, ...]:
    """What a person has read and found to change nothing; empty where there is no such file."""
    file = house.solution(lab) / "equivalents.toml"
    if not file.is_file():
        return ()
    try:
        rows = tomllib.loads(file.read_text(encoding="utf-8")).get("equivalent", [])
        return tuple(Equivalent(**row) for row in rows)
    except (tomllib.TOMLDecodeError, TypeError) as error:
        remedy = "it holds tables [[equivalent]] with line, mutant and reason"
        raise InstructorError(str(error), file=file, remedy=remedy) from None


def fates(place: Place, shop: Workshop, tell: Callable[[int, int], None] | None = None) -> tuple[Fate, ...]:
    """Every mutant of the lab's solution, graded."""
    place = replace(place, lab=replace(place.lab, limits=replace(place.lab.limits, steps=_STEPS)))
    file = place.lab.files[0]
    marked = (shop.house.solution(place.lab.name) / file).read_text(encoding="utf-8")
    made = mutants(marked)
    known = {(item.line, item.mutant): item.reason for item in equivalents(shop.house, place.lab.name)}
    with workplace(shop.house) as work, ThreadPoolExecutor(shop.jobs) as pool:
        original = _graded(marked, "original", place, shop, work)
        code = _code(work / "original" / FATBIN)
        if not _is_full(original):
            raise InstructorError("the solution does not get full points", file=file)
        judge = partial(_fate, place=place, shop=shop, work=work, code=code, known=known)
        found = []
        for done, fate in enumerate(pool.map(judge, enumerate(made)), 1):
            found.append(fate)
            if tell:
                tell(done, len(made))
    return tuple(found)


def _fate(
    numbered: tuple[int, Mutant], place: Place, shop: Workshop, work: Path, code: str,
    known: dict[tuple[str, str], str],
) -> Fate:  # fmt: skip
    number, mutant = numbered
    name = f"mutant{number}"
    result = _graded(mutant.text, name, place, shop, work)
    points = result.score.total if result.score else None
    if result.build is not None and result.build.status == BuildStatus.BUILD_FAILED:
        return Fate(mutant, "does not build", points)
    if points is None:
        return Fate(mutant, "withheld", reason=result.problem.message if result.problem else "")
    if not _is_full(result):
        return Fate(mutant, "lost points", points)
    if _code(work / name / FATBIN) == code:
        return Fate(mutant, "same code", points)
    reason = known.get((mutant.before, mutant.after), "")
    return Fate(mutant, "equivalent" if reason else "survived", points, reason)


def _graded(text: str, name: str, place: Place, shop: Workshop, work: Path) -> Result:
    source = SourceFile(place.lab.files[0], text)
    submission = Submission(name, place.lab.name, name, (source,), text_hash(source.name, text))
    return batch.grade_one(submission, place, work / name, shop)


def _is_full(result: Result) -> bool:
    return result.score is not None and result.score.total == result.score.possible


def _code(fatbin: Path) -> str:
    """The PTX in it without what says where lines stand. It ends with a zero; machine code may follow."""
    text = fatbin.read_bytes().decode("latin-1")
    ptx = text[max(0, text.find(".version")) :].partition("\0")[0]
    lines = ptx.partition(".section")[0].splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith((".loc", ".file", "//")))


def unexplained(found: tuple[Fate, ...]) -> tuple[Fate, ...]:
    return tuple(fate for fate in found if fate.fate in ("survived", "withheld"))
