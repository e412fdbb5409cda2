"""Reads and checks lab.toml, which holds all facts about a lab."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from ..core import toml
from ..core.errors import InstructorError, UsageError
from ..core.formatting import points
from ..core.paths import Repository, text_hash, typed
from ..records import (
    ArrayShape,
    Case,
    Compilation,
    Draw,
    FaultyKernel,
    Hint,
    Lab,
    LabKind,
    Limits,
    Parameter,
    Performance,
    Technique,
    Visibility,
    Work,
)
from ..records.lab import UNTIMED
from . import arrays, draws, evidence, fault_rules, question_file, work
from .expressions import FUNCTIONS, PATTERN, ExpressionError, NoValue, parse

FILE = "lab.toml"
TOTAL_POINTS = 100
ELEMENTS = ("elements_x", "elements_y", "elements_z")  # that one block covers, by the launch shape
_SCHEMA = Path(__file__).with_name("lab.schema.json")


def load(folder: Path) -> Lab:
    """The lab in that folder. InstructorError names the line of an error in lab.toml."""
    remedy = f"write one, or {typed(f'new {folder.name}')} to start a lab from a template"
    document = toml.load(folder / FILE, _SCHEMA, remedy)
    for complaint in _complaints(document.data):
        raise document.error(complaint.message, *complaint.path, remedy=complaint.remedy)
    lab = _lab(folder, document.text, document.data)
    if lab.kind is LabKind.ANSWERS:
        questions = question_file.load(folder)
        hash = text_hash(document.text, questions.text)
        lab = replace(lab, cases=question_file.cases(questions), hash=hash)
    total = lab.possible_points + lab.elsewhere_points
    if abs(total - TOTAL_POINTS) > 1e-9:
        parts = "build, cases, techniques, faults and performance"
        message = f"{parts} make {points(total)} points, not {TOTAL_POINTS}"
        raise document.error(message, "points", "build")
    for complaint in _expression_mistakes(lab):
        raise document.error(complaint.message, *complaint.path, remedy=complaint.remedy)
    return lab


def find(repository: Repository) -> tuple[Lab, ...]:
    """Every lab, sorted by name. InstructorError if there is none, or one is wrong."""
    folders = sorted(file.parent for file in repository.labs.glob(f"*/{FILE}"))
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
        raise UsageError(f"there is no lab {word!r}", remedy=remedy)
    return load(repository.labs / found[0])


def meant(word: str, names: Sequence[str]) -> tuple[str, ...]:
    """The labs that match a word: by name or folder, else number, name without number, beginning, or part.

    "labs/05-scan/", "5", "scan", "05" and "sca" match 05-scan. The first kind of match that any lab has
    counts, so "scan" does not match 06-scan-large.
    """
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


def _number(lab: str) -> int | None:
    first = lab.partition("-")[0]
    return int(first) if first.isdecimal() else None


# --- rules that a schema cannot express --------------------------------------------------------


# Where a lab of another kind than "kernels" leaves these tables out.
_LIMITS = {"seconds": 20, "steps": 2_000_000, "shared_bytes": 49152}
_CASE_KEYS = ("name", "values", "points", "visibility")


@dataclass(frozen=True)
class _Complaint:
    """A mistake at the key `path`, and what to do about it."""

    path: tuple[str | int, ...]
    message: str
    remedy: str = ""


def _complaints(data: dict[str, Any]) -> Iterator[_Complaint]:
    yield from _repeated(data, "case", "name")
    yield from _repeated(data, "technique", "name")
    yield from _repeated(data, "hint", "todo")
    yield from _repeated(data, "fault", "name")
    yield from _kind_complaints(data)
    yield from _parameter_complaints(data)
    for draw in _draws(data):
        if draw.first > draw.last:
            message = f"drawn {draw.name!r}: from = {draw.first} is greater than to = {draw.last}"
            yield _Complaint(("drawn", draw.name), message)
    for index, case in enumerate(data.get("case", [])):
        yield from _case_complaints(index, case, data)
    yield from _technique_complaints(data)
    yield from _performance_complaints(data)


def _repeated(data: dict[str, Any], table: str, key: str) -> Iterator[_Complaint]:
    seen: set[Any] = set()
    for index, row in enumerate(data.get(table, [])):
        if row[key] in seen:
            yield _Complaint((table, index, key), f"two {table}s have the {key} {row[key]!r}")
        seen.add(row[key])


def _kind_complaints(data: dict[str, Any]) -> Iterator[_Complaint]:
    answers = data.get("kind") == LabKind.ANSWERS
    if answers and "case" in data:
        remedy = f"write the questions in {question_file.FILE} of the lab's folder in solutions/"
        yield _Complaint(("case",), "a lab of the kind 'answers' has no [[case]]", remedy)


def _parameter_complaints(data: dict[str, Any]) -> Iterator[_Complaint]:
    for name, about in data.get("parameters", {}).items():
        path = ("parameters", name)
        if name in (
            *_CASE_KEYS,
            *FUNCTIONS,
            *evidence.SHAPE_FACTS,
            *evidence.LAUNCH_FACTS,
            *evidence.COUNTERS,
        ):
            yield _Complaint(path, f"a parameter cannot be called {name!r}: the word has another meaning")
        if about["from"] > about["to"]:
            yield _Complaint(
                path, f"parameter {name!r}: from = {about['from']} is greater than to = {about['to']}"
            )


def _case_complaints(index: int, case: dict[str, Any], data: dict[str, Any]) -> Iterator[_Complaint]:
    declared = data.get("parameters", {})
    where = f"case[{index + 1}]"
    for key in case:
        if key not in declared and key not in _CASE_KEYS:
            yield _Complaint(
                ("case", index, key),
                f"unknown key {key!r} in {where}{_nearest(key, (*declared, *_CASE_KEYS))}",
                f"the lab's [parameters] are {', '.join(declared)}; other keys are {', '.join(_CASE_KEYS)}",
            )
    for name in declared:
        if name not in case:
            remedy = f"every case has a number for each of the lab's [parameters]: {', '.join(declared)}"
            yield _Complaint(("case", index), f"{where} lacks the parameter {name!r}", remedy)
        else:
            at: tuple[str | int, ...] = ("case", index, name)
            yield from _size_complaints(at, f"{where}.{name}", case[name], declared[name], data)
            if isinstance(case[name], str) and case["visibility"] == Visibility.VISIBLE:
                message = f"{where}.{name} is drawn from the course's secret, but the case shows its size"
                yield _Complaint(at, message, 'write visibility = "name"')
    if case["values"] not in data.get("values", []):
        yield _unknown_values(
            ("case", index, "values"), f"{where}.values", case["values"], data.get("values", [])
        )


def _size_complaints(
    path: tuple[str | int, ...], where: str, value: Any, about: dict[str, Any], data: dict[str, Any]
) -> Iterator[_Complaint]:
    """Of a number, or of an expression over [drawn]."""
    if not isinstance(value, str):
        yield from _range_complaints(path, where, value, about)
        return
    remedy = "[drawn] declares names with ranges: a = { from = 3, to = 5 }"
    for message in draws.mistakes(value, _draws(data), about["from"], about["to"]):
        yield _Complaint(path, f"{where}: {message}", remedy)


def _range_complaints(
    path: tuple[str | int, ...], where: str, value: Any, about: dict[str, Any]
) -> Iterator[_Complaint]:
    remedy = f"choose an integer from {about['from']} to {about['to']}, as [parameters] declares"
    if type(value) is not int:
        yield _Complaint(path, f"{where}: {value!r} is not of type 'integer'", remedy)
    elif value < about["from"]:
        yield _Complaint(path, f"{where}: {value} is less than the minimum of {about['from']}", remedy)
    elif value > about["to"]:
        yield _Complaint(path, f"{where}: {value} is greater than the maximum of {about['to']}", remedy)


def _unknown_values(path: tuple[str | int, ...], where: str, word: str, known: list[str]) -> _Complaint:
    return _Complaint(
        path, f"{where}: {word!r} is not one of {known}", "the key `values` at the top names them"
    )


def _nearest(word: str, known: Iterable[str]) -> str:
    by_spelling = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), list(by_spelling), 1)
    return f"; did you mean {by_spelling[found[0]]!r}?" if found else ""


def _technique_complaints(data: dict[str, Any]) -> Iterator[_Complaint]:
    names = [case["name"] for case in data.get("case", [])]
    for index, technique in enumerate(data.get("technique", [])):
        if technique["case"] not in names:
            message = f"there is no case {technique['case']!r}{_nearest(technique['case'], names)}"
            yield _Complaint(("technique", index, "case"), message)


def _performance_complaints(data: dict[str, Any]) -> Iterator[_Complaint]:
    if "performance" not in data:
        return
    performance, declared = data["performance"], data.get("parameters", {})
    if not performance["none"] < performance["full"]:
        message = "performance.full must be greater than performance.none"
        yield _Complaint(("performance", "full"), message)
    for key in ("sizes", "gpu_sizes", "ladder"):
        path = ("performance", key)
        for size in performance.get(key, ()):
            if len(size) != len(declared):
                names = ", ".join(declared)
                message = f"performance.{key}: {size} holds {len(size)} numbers, not {len(declared)}"
                yield _Complaint(path, message, f"give each size as [{names}]")
            else:
                for value, (name, about) in zip(size, declared.items(), strict=True):
                    yield from _size_complaints(path, f"performance.{key}: {name}", value, about, data)
    known = data.get("values", [])
    values = performance.get("values", next(reversed(known), None))
    if values is not None and values not in known:
        yield _unknown_values(("performance", "values"), "performance.values", values, known)


def _expression_complaints(
    path: tuple[str | int, ...], where: str, text: str, known: Sequence[str]
) -> Iterator[_Complaint]:
    """Mistakes of an expression that may use these names, and no pattern of PTX."""
    try:
        expression = parse(text)
    except ExpressionError as error:
        yield _Complaint(path, f"{where}: {text!r} {error}")
        return
    remedy = f"the names that it may use are {', '.join(known)}"
    for name in expression.names:
        if name not in known:
            yield _Complaint(path, f"{where}: there is no {name!r}{_nearest(name, known)}", remedy)
    if expression.patterns:
        yield _Complaint(path, f"{where}: only a technique can count instructions with {PATTERN}(…)", remedy)


def _expression_mistakes(lab: Lab) -> Iterator[_Complaint]:
    """Mistakes that show only where all else is right."""
    yield from _hint_complaints(lab)
    yield from _array_complaints(lab)
    yield from _picture_complaints(lab)
    yield from _work_complaints(lab)
    for fault_key, message, remedy in fault_rules.mistakes(lab):
        yield _Complaint(fault_key, message, remedy)
    for index, technique in enumerate(lab.techniques):
        for found in evidence.mistakes(technique, lab):
            where = f"technique[{index + 1}].{'.'.join(found.key)}"
            yield _Complaint(("technique", index, *found.key), f"{where}: {found.message}", found.remedy)


def _hint_complaints(lab: Lab) -> Iterator[_Complaint]:
    """In a lab of questions, a hint belongs to the question of its number."""
    for index, hint in enumerate(lab.hints):
        if lab.kind is LabKind.ANSWERS and hint.todo > len(lab.cases):
            message = f"there is no question {hint.todo}: there are {len(lab.cases)}"
            yield _Complaint(("hint", index, "todo"), message)


def _array_complaints(lab: Lab) -> Iterator[_Complaint]:
    for array in lab.arrays:
        path, where = ("arrays", array.name), f"arrays.{array.name}"
        for extent in array.extents:
            yield from _expression_complaints(path, where, extent, lab.parameter_names)
    for case in lab.cases:
        try:
            arrays.shapes(lab, case)
        except NoValue as error:
            yield _Complaint(("arrays",), f"an array has no shape in the case {case.name}: {error}")
    names = [array.name for array in lab.arrays]
    if lab.covers and lab.covers not in names:
        message = f"covers: there is no array {lab.covers!r}{_nearest(lab.covers, names)}"
        yield _Complaint(("covers",), message, f"[arrays] declares {', '.join(names) or 'none'}")


def _picture_complaints(lab: Lab) -> Iterator[_Complaint]:
    if lab.pictures:
        known = (*lab.parameter_names, *ELEMENTS)
        yield from _expression_complaints(("pictures",), "pictures", lab.pictures, known)


def _work_complaints(lab: Lab) -> Iterator[_Complaint]:
    for key, text in (("flops", lab.work.flops), ("bytes", lab.work.bytes)):
        yield from _expression_complaints(("work", key), f"work.{key}", text, lab.parameter_names)
    for size in (*lab.performance.sizes, *lab.performance.gpu_sizes):
        try:
            amount = work.of(lab, size)
        except NoValue as error:
            yield _Complaint(("work",), f"work has no value for the size {list(size)}: {error}")
            continue
        if amount.counted <= 0 or amount.bytes <= 0:
            key = lab.work.rate if amount.counted <= 0 else "bytes"
            remedy = "each timed size needs some work and some traffic"
            yield _Complaint(("work", key), f"work.{key} is not above 0 for the size {list(size)}", remedy)


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
        hints=tuple(Hint(row["todo"], row["text"]) for row in data.get("hint", [])),
        folder=str(folder),
        hash=text_hash(text),
        elsewhere_points=float(data["points"].get("elsewhere", 0)),
        compilation=_compilation(data.get("build", {})),
        leaderboard=data.get("leaderboard", False),
        arrays=tuple(ArrayShape(name, tuple(row)) for name, row in data.get("arrays", {}).items()),
        covers=data.get("covers", ""),
        draws=_draws(data),
        pictures=data.get("pictures", ""),
        faults=tuple(_fault(row) for row in data.get("fault", ())),
        kind=LabKind(data.get("kind", LabKind.KERNELS)),
        seed=data.get("seed", ""),
    )


def _compilation(row: dict[str, Any]) -> Compilation:
    usual = Compilation()
    return Compilation(
        row.get("architecture", usual.architecture),
        tuple(row.get("ptxas", usual.ptxas)),
        row.get("tensor_cores", usual.tensor_cores),
    )


def _draws(data: dict[str, Any]) -> tuple[Draw, ...]:
    return tuple(Draw(name, row["from"], row["to"]) for name, row in data.get("drawn", {}).items())


def _case(row: dict[str, Any], data: dict[str, Any]) -> Case:
    names = tuple(data.get("parameters", {}))
    given, visibility = [row[name] for name in names], Visibility(row["visibility"])
    size, drawn = draws.size(given, draws.least(_draws(data))), draws.expressions(given)
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
    )


def _performance(row: dict[str, Any], data: dict[str, Any]) -> Performance:
    points, full, none = (float(row[key]) for key in ("points", "full", "none"))
    gpu_sizes, ladder = (tuple(map(tuple, row.get(key, ()))) for key in ("gpu_sizes", "ladder"))
    known, values = data.get("values", []), draws.least(_draws(data))
    sizes = tuple(draws.size(each, values) for each in row["sizes"])
    is_drawn = any(draws.expressions(each) for each in row["sizes"])
    drawn = tuple(tuple(map(str, each)) for each in row["sizes"]) if is_drawn else ()
    kind = row.get("values", known[-1] if known else "")
    return Performance(points, sizes, gpu_sizes, full, none, kind, ladder, drawn)
