"""Reads and checks lab.toml, which holds all facts about a lab."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from ..core import handwritten, toml
from ..core.errors import InstructorError, UsageError
from ..core.formatting import points
from ..core.paths import Repository, text_hash, typed
from ..records import (
    ArrayShape,
    Case,
    Compilation,
    Deduction,
    FaultyKernel,
    Hint,
    Lab,
    LabKind,
    Limits,
    Parameter,
    Performance,
    ProfiledProgram,
    Syllabus,
    Technique,
    Visibility,
    Work,
)
from ..records.lab import UNTIMED
from . import draws, lab_rules, question_file

FILE = "lab.toml"
TOTAL_POINTS = 100
_FOLDERS_OF_LABS = ("", "labs", "solutions")
# Limits of a lab whose lab.toml has no table [limits].
_LIMITS = {"seconds": 20, "steps": 2_000_000, "shared_bytes": 49152}
_SCHEMA = Path(__file__).with_name("lab.schema.json")


def load(folder: Path) -> Lab:
    """The lab in that folder. InstructorError names the line of an error in lab.toml."""
    return _load(folder, *map(_content, (folder / FILE, *question_file.files(folder))))


def _content(file: Path) -> bytes | None:
    try:
        return handwritten.content(file, "")
    except (FileNotFoundError, InstructorError):
        return None  # who needs the file says so


@functools.lru_cache(maxsize=256)  # handouts and tests ask for the same labs again and again
def _load(folder: Path, *_contents: bytes | None) -> Lab:
    """What load() returns as long as its files have these contents."""
    remedy = f"write one, or {typed(f'new {folder.name}')} to start a lab from a template"
    document = toml.load(folder / FILE, _SCHEMA, remedy)
    for mistake in lab_rules.table_mistakes(document.data):
        raise document.error(mistake.message, *mistake.path, remedy=mistake.remedy)
    lab = _lab(folder, document.text, document.data)
    if lab.kind is LabKind.ANSWERS:
        questions = question_file.load(folder)
        hash = text_hash(document.text, questions.text)
        lab = replace(lab, cases=question_file.cases(questions), hash=hash)
    total = lab.possible_points + lab.elsewhere_points
    if abs(total - TOTAL_POINTS) > 1e-9:
        parts = "build, cases, techniques, faults and performance"
        message = f"{parts} make {points(total)} points, not {TOTAL_POINTS}"
        remedy = (
            f"give {points(abs(total - TOTAL_POINTS))} {'less' if total > TOTAL_POINTS else 'more'} somewhere"
        )
        raise document.error(message, "points", "build", remedy=remedy)
    for mistake in lab_rules.lab_mistakes(lab):
        raise document.error(mistake.message, *mistake.path, remedy=mistake.remedy)
    return lab


def find(repository: Repository) -> tuple[Lab, ...]:
    """Every lab, sorted by name. InstructorError if there is none, or one is wrong."""
    folders = [repository.labs / name for name in repository.lab_names()]
    if not folders:
        raise InstructorError(
            "holds no lab", file=repository.labs, remedy="a lab is a folder with a lab.toml in it"
        )
    return tuple(load(folder) for folder in folders)


def named(repository: Repository, word: str) -> Lab:
    """The lab that the word means. UsageError, with the labs' names, unless exactly one lab matches."""
    names = repository.lab_names()
    found = meant(word, names)
    if len(found) > 1:
        raise UsageError(f"{word!r} can be {' or '.join(found)}", remedy="type more of its name")
    if not found:
        remedy = f"the labs are: {', '.join(names)}"
        if PurePath(word).suffix:  # a file
            lab = next((part for part in PurePath(word).parts if part in names), "LAB")
            remedy = f"name the lab before the file, as in {lab} {word}; {remedy}"
        elif near := difflib.get_close_matches(word, [name.partition("-")[2] for name in names], 1):
            remedy = f"did you mean {full_name(near[0], names)}? {remedy}"
        raise UsageError(f"there is no lab {word!r}", remedy=remedy)
    return load(repository.labs / found[0])


def meant(word: str, names: Sequence[str]) -> tuple[str, ...]:
    """The labs that match a word: by name or folder, else number, name without number, beginning, or part.

    "labs/05-scan/", "5", "scan", "05" and "sca" match 05-scan. The first kind of match that any lab has
    counts, so "scan" does not match 06-scan-large.
    """
    if PurePath(word).parent.name not in _FOLDERS_OF_LABS:
        return ()
    name = PurePath(word).name.lower()
    matches: tuple[Callable[[str], bool], ...] = (
        lambda lab: lab == name,
        lambda lab: name.isdecimal() and _number(lab) == int(name),
        lambda lab: lab.partition("-")[2] == name,
        lambda lab: lab.startswith(name),
        lambda lab: name in lab,
    )
    found = (tuple(filter(match, names)) for match in matches if name)
    return next(filter(None, found), ())


def full_name(word: str, names: Sequence[str]) -> str:
    """The lab's name if the word means one lab; else the word, which is then no lab's name."""
    found = meant(word, names)
    return found[0] if len(found) == 1 else word


def _number(lab: str) -> int | None:
    first = lab.partition("-")[0]
    return int(first) if first.isdecimal() else None


# --- to records --------------------------------------------------------------------------------


def _lab(folder: Path, text: str, data: dict[str, Any]) -> Lab:
    limits = _LIMITS | data.get("limits", {})
    return Lab(
        name=folder.name,
        title=data["title"],
        teaches=tuple(data["teaches"]),
        kernels=tuple(data.get("kernels", ())),
        parameters=tuple(
            Parameter(name, row["from"], row["to"], row["is"])
            for name, row in data.get("parameters", {}).items()
        ),
        values=tuple(data.get("values", ())),
        work=Work(**data.get("work", {})),
        files=tuple(data["files"]),
        sizes=data["sizes"],
        build_points=float(data["points"]["build"]),
        cases=tuple(_case(row, data) for row in data.get("case", [])),
        techniques=tuple(_technique(row) for row in data.get("technique", [])),
        performance=_performance(data["performance"], data) if "performance" in data else UNTIMED,
        limits=Limits(float(limits["seconds"]), limits["steps"], limits["shared_bytes"]),
        hints=tuple(
            Hint(row["todo"], row["text"], tuple(row.get("after", ()))) for row in data.get("hint", [])
        ),
        folder=str(folder),
        hash=text_hash(text),
        elsewhere_points=float(data["points"].get("elsewhere", 0)),
        compilation=_compilation(data.get("build", {})),
        leaderboard=data.get("leaderboard", False),
        forgives=tuple(data.get("forgives", ())),
        steered=data.get("steered", False),
        arrays=tuple(ArrayShape(name, tuple(map(str, row))) for name, row in data.get("arrays", {}).items()),
        covers=data.get("covers", ""),
        draws=draws.declared(data),
        pictures=data.get("pictures", ""),
        syllabus=_syllabus(data.get("syllabus", {})),
        deductions=tuple(Deduction(*row) for row in data.get("deductions", {}).items()),
        faults=tuple(_fault(row) for row in data.get("fault", ())),
        kind=LabKind(data.get("kind", LabKind.KERNELS)),
        seed=data.get("seed", ""),
        profiled=_profiled(data["profiled"]) if "profiled" in data else None,
    )


def _profiled(row: dict[str, Any]) -> ProfiledProgram:
    choices = row["arguments"].items()
    arguments = tuple((name, tuple(map(str, values))) for name, values in choices)
    examples = tuple(tuple(str(each[name]) for name, _ in choices) for each in row.get("examples", ()))
    return ProfiledProgram(row["program"], row["gpu"], arguments, examples)


def _syllabus(row: dict[str, Any]) -> Syllabus:
    return Syllabus(row["week"], float(row["hours"]), tuple(row.get("needs", ()))) if row else Syllabus()


def _compilation(row: dict[str, Any]) -> Compilation:
    usual = Compilation()
    return Compilation(
        row.get("architecture", usual.architecture),
        tuple(row.get("ptxas", usual.ptxas)),
        row.get("tensor_cores", usual.tensor_cores),
    )


def _case(row: dict[str, Any], data: dict[str, Any]) -> Case:
    names = tuple(data.get("parameters", {}))
    given, visibility = [row[name] for name in names], Visibility(row["visibility"])
    size, drawn = draws.size(given, draws.least(draws.declared(data))), draws.expressions(given)
    return Case(row["name"], names, size, row["values"], float(row["points"]), visibility, drawn)


def _technique(row: dict[str, Any]) -> Technique:
    return Technique(
        name=row["name"],
        case=row["case"],
        points=float(row["points"]),
        evidence=row["evidence"],
        met=row["met"],
        not_met=row.get("not_met", row["met"]),
        where=tuple(row.get("where", {}).items()),
        counts_if=row.get("counts_if", ""),
        does_not_count=row.get("does_not_count", ""),
        slack=float(row.get("slack", 1)),
        kernel=row.get("kernel", ""),
        goal=row["goal"],
    )


def _fault(row: dict[str, Any]) -> FaultyKernel:
    return FaultyKernel(
        row["name"],
        row["file"],
        row["kernel"],
        row["answers"],
        tuple(row["cases"]),
        float(row["named"]),
        float(row.get("repaired", 0)),
        row.get("program", False),
    )


def _performance(row: dict[str, Any], data: dict[str, Any]) -> Performance:
    points, full, none = (float(row[key]) for key in ("points", "full", "none"))
    known, values = data.get("values", []), draws.least(draws.declared(data))
    sizes, gpu_sizes = (row.get(key, ()) for key in ("sizes", "gpu_sizes"))
    kind = row.get("values", known[-1] if known else "")
    return Performance(
        points,
        draws.sizes(sizes, values),
        draws.sizes(gpu_sizes, values),
        full,
        none,
        kind,
        tuple(map(tuple, row.get("ladder", ()))),
        draws.all_expressions(sizes),
        draws.all_expressions(gpu_sizes),
    )
