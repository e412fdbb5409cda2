"""Reads and checks lab.toml, which holds all facts about a lab."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from ..core import toml
from ..core.errors import InstructorError, UsageError
from ..core.formatting import points
from ..core.paths import Repository, text_hash, typed
from ..records import Case, Compilation, Hint, Lab, Limits, Performance, Size, Technique, Visibility

FILE = "lab.toml"
TOTAL_POINTS = 100
_SCHEMA = Path(__file__).with_name("lab.schema.json")
# Each evidence and the key that holds its limit.
_LIMIT_OF = {"loads-per-input-element": "smallest_tile", "outputs-per-thread": "at_least"}


def load(folder: Path) -> Lab:
    """The lab in that folder. InstructorError names the line of an error in lab.toml."""
    remedy = f"write one, or {typed(f'new {folder.name}')} to start a lab from a template"
    document = toml.load(folder / FILE, _SCHEMA, remedy)
    for path, message in _complaints(document.data):
        raise document.error(message, *path)
    lab = _lab(folder, document.text, document.data)
    total = lab.possible_points + lab.elsewhere_points
    if abs(total - TOTAL_POINTS) > 1e-9:
        message = f"build, cases, techniques and performance make {points(total)} points, not {TOTAL_POINTS}"
        raise document.error(message, "points", "build")
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

    "labs/02-tiled/", "2", "tiled", "02" and "til" match 02-tiled. The first kind of match that any lab has
    counts, so "tiled" does not match 03-tiled-bounded.
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


def _complaints(data: dict[str, Any]) -> Iterator[tuple[list[str | int], str]]:
    yield from _repeated(data, "case", "name")
    yield from _repeated(data, "technique", "name")
    yield from _repeated(data, "hint", "todo")
    names = {case["name"] for case in data["case"]}
    for index, technique in enumerate(data.get("technique", [])):
        limit = _LIMIT_OF[technique["evidence"]]
        if technique["case"] not in names:
            yield ["technique", index, "case"], f"there is no case {technique['case']!r}"
        if limit not in technique:
            yield ["technique", index], f"evidence {technique['evidence']!r} needs the key {limit!r}"
    performance = data["performance"]
    if not performance["none"] < performance["full"]:
        yield ["performance", "full"], "performance.full must be greater than performance.none"


def _repeated(data: dict[str, Any], table: str, key: str) -> Iterator[tuple[list[str | int], str]]:
    seen: set[Any] = set()
    for index, row in enumerate(data.get(table, [])):
        if row[key] in seen:
            yield [table, index, key], f"two {table}s have the {key} {row[key]!r}"
        seen.add(row[key])


# --- to records --------------------------------------------------------------------------------


def _lab(folder: Path, text: str, data: dict[str, Any]) -> Lab:
    limits = data["limits"]
    return Lab(
        name=folder.name,
        title=data["title"],
        teaches=tuple(data["teaches"]),
        kernel=data["kernel"],
        files=tuple(data["files"]),
        sizes=data["sizes"],
        build_points=float(data["points"]["build"]),
        cases=tuple(_case(row) for row in data["case"]),
        techniques=tuple(_technique(row) for row in data.get("technique", [])),
        performance=_performance(data["performance"]),
        limits=Limits(float(limits["seconds"]), limits["steps"], limits["shared_bytes"]),
        hints=tuple(Hint(row["todo"], row["text"]) for row in data.get("hint", [])),
        folder=str(folder),
        hash=text_hash(text),
        elsewhere_points=float(data["points"].get("elsewhere", 0)),
        compilation=_compilation(data.get("build", {})),
        leaderboard=data.get("leaderboard", False),
    )


def _compilation(row: dict[str, Any]) -> Compilation:
    usual = Compilation()
    return Compilation(
        row.get("architecture", usual.architecture),
        tuple(row.get("ptxas", usual.ptxas)),
        row.get("tensor_cores", usual.tensor_cores),
    )


def _case(row: dict[str, Any]) -> Case:
    visibility = Visibility(row["visibility"])
    return Case(row["name"], row["m"], row["n"], row["k"], row["values"], float(row["points"]), visibility)


def _technique(row: dict[str, Any]) -> Technique:
    at_least = row.get("at_least")
    return Technique(
        row["name"],
        row["evidence"],
        row["case"],
        float(row["points"]),
        row.get("smallest_tile"),
        None if at_least is None else float(at_least),
    )


def _performance(row: dict[str, Any]) -> Performance:
    def sizes(key: str) -> tuple[Size, ...]:
        return tuple((m, n, k) for m, n, k in row[key])

    points, full, none = (float(row[key]) for key in ("points", "full", "none"))
    return Performance(points, sizes("sizes"), sizes("gpu_sizes"), full, none)
