"""The file of a lab's questions: solutions/<lab>/questions.toml, and its sealed copy for students.

The questions hold the formulas of their answers, so the students' archive has them compressed, as
labs/<lab>/questions.sealed: `check` needs them, and nobody reads the answers in passing. This is no secret:
whatever can check an answer on a student's computer can also be asked for it.

Where the questions ask about a run of the lab's program, solutions/<lab>/runs.toml has the figures of all
runs. Its tables follow those of questions.toml in one document, and are sealed with them.
"""

from __future__ import annotations

import base64
import textwrap
import zlib
from pathlib import Path

from ..core import toml
from ..core.errors import GraderError
from ..core.paths import IN_A_CHECKOUT, typed
from ..records import Case, Visibility

FILE = "questions.toml"
RUNS = "runs.toml"  # what `warpgrade runs` measured
ANSWERS = "answers.toml"  # what students fill in
SEALED = "questions.sealed"
NO_FIGURE = ""  # of a run that lacks a figure which others have
UNANSWERED = "?"  # an answer or a name that is still to be written
_SCHEMA = Path(__file__).with_name("questions.schema.json")
_MOST_BYTES = 1 << 20


def files(folder: Path) -> tuple[Path, Path, Path]:
    """All that can decide about the questions of the lab in that folder: questions, sealed copy, runs."""
    solution = folder.parent.parent / "solutions" / folder.name
    return solution / FILE, folder / SEALED, solution / RUNS


def load(folder: Path) -> toml.Document:
    """The questions of the lab in that folder. InstructorError with the line of a mistake."""
    file, sealed, _ = files(folder)
    if not file.is_file() and sealed.is_file():
        return toml.check(sealed, unsealed(sealed), _SCHEMA)
    return read(file)


def read(file: Path) -> toml.Document:
    """The questions in that file, with the runs beside it."""
    questions = toml.load(file, _SCHEMA, "a lab of the kind 'answers' has its questions there")
    runs = file.with_name(RUNS)
    if not runs.is_file():
        return questions
    measured = runs.read_text(encoding="utf-8")
    return toml.check(file, f"{questions.text.rstrip()}\n\n{measured}".encode(), _SCHEMA)


def seal(text: str) -> str:
    """The text of the sealed copy."""
    packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode()
    return "\n".join(textwrap.wrap(packed, 100, break_on_hyphens=False)) + "\n"


def unsealed(file: Path) -> bytes:
    """The text that was sealed. GraderError where the file was changed."""
    try:
        packed = base64.b85decode("".join(file.read_text(encoding="ascii").split()))
        return zlib.decompressobj().decompress(packed, _MOST_BYTES)
    except (ValueError, zlib.error):
        raise GraderError("is damaged", file=file, remedy="take it from the course's archive again") from None


def blank_sheet(lab: str) -> str:
    """A file of answers without questions: everybody's questions have other values."""
    return (
        f"# Lab {lab}: everybody has questions with values of her own. To get yours into this file, type:\n"
        f'# {IN_A_CHECKOUT} sheet {lab} "your name", with the name or login that your course knows you by.\n'
        f'student = "{UNANSWERED}"\n\n[answers]\n'
    )


def cases(document: toml.Document) -> tuple[Case, ...]:
    """Each question as a case of the lab, whose name and points it has."""
    return tuple(
        Case(row["name"], (), (), "", float(row["points"]), Visibility.VISIBLE)
        for row in document.data["question"]
    )


def runs(document: toml.Document, table: str = "runs") -> tuple[dict[str, int | float | str], ...]:
    """The figures of each recorded run, by name. InstructorError if the file was cut.

    `table`: "runs", those that questions are about, or "examples", those that the handout shows.
    """
    figures = document.data.get(table, {})
    if len(set(map(len, figures.values()))) > 1:
        raise document.error("has figures that some runs lack", table, remedy=typed("runs LAB"))
    return tuple(
        {name: value for name, value in zip(figures, values, strict=True) if value != NO_FIGURE}
        for values in zip(*figures.values(), strict=True)
    )
