"""A course's rules about time, and its exceptions, for one term: policy.toml.

docs/policy.toml is an example with every key; judge/late_policy.py says how they change a score.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from ..core import handwritten, toml
from ..core.errors import InstructorError, UsageError

_SCHEMA = Path(__file__).with_name("policy.schema.json")
_ABOUT_STUDENTS = ("extension", "late_days", "adjustment")


@dataclass(frozen=True)
class Late:
    free_days: int = 0
    percent_a_day: float = 0.0
    most_days: int | None = None
    grace_minutes: int = 0


@dataclass(frozen=True)
class Extension:
    student: str
    days: int
    reason: str
    lab: str = ""  # empty: all


@dataclass(frozen=True)
class Adjustment:
    student: str
    lab: str
    points: float
    reason: str


@dataclass(frozen=True)
class StudentEntry:
    """An entry about one student, and where it stands."""

    student: str
    lab: str  # empty: all
    place: str  # "policy.toml:12"


@dataclass(frozen=True)
class Policy:
    term: str = ""
    due: dict[str, datetime] = field(default_factory=dict)
    late: Late = Late()
    extensions: tuple[Extension, ...] = ()
    late_days: dict[tuple[str, str], int] = field(default_factory=dict)
    adjustments: tuple[Adjustment, ...] = ()
    counts: str = "last"  # which attempt: "last", "best" or "first"
    exceptions: tuple[StudentEntry, ...] = field(default=(), compare=False)  # all entries about students
    due_places: dict[str, str] = field(default_factory=dict, compare=False)  # lab → where its due date stands

    def renamed(self, name: Callable[[str], str]) -> Policy:
        """The policy with each student's name replaced by `name` of it."""
        return replace(
            self,
            extensions=tuple(replace(each, student=name(each.student)) for each in self.extensions),
            late_days={(name(student), lab): days for (student, lab), days in self.late_days.items()},
            adjustments=tuple(replace(each, student=name(each.student)) for each in self.adjustments),
            exceptions=tuple(replace(each, student=name(each.student)) for each in self.exceptions),
        )

    def with_labs(self, name: Callable[[str], str]) -> Policy:
        """The policy with each lab's name replaced by `name` of it, such as "07" by the whole name.

        InstructorError if two due dates are then of one lab.
        """
        whole: dict[str, str] = {}
        for lab, place in self.due_places.items():
            if other := whole.get(name(lab)):
                words = f"{name(lab)} is due twice: the other date stands at {other}"
                raise InstructorError(words, file=place, remedy="leave one of the two")
            whole[name(lab)] = place
        return replace(
            self,
            due={name(lab): due for lab, due in self.due.items()},
            extensions=tuple(replace(each, lab=name(each.lab)) for each in self.extensions),
            late_days={(student, name(lab)): days for (student, lab), days in self.late_days.items()},
            adjustments=tuple(replace(each, lab=name(each.lab)) for each in self.adjustments),
            exceptions=tuple(replace(each, lab=name(each.lab)) for each in self.exceptions),
            due_places=whole,
        )

    def unknown_labs(self, names: Collection[str]) -> list[str]:
        """A sentence for each lab of a due date or an exception that is none of the course's."""
        labs = self.due_places | {each.lab: each.place for each in self.exceptions if each.lab}
        return [f"{place}: the course has no lab {lab!r}" for lab, place in labs.items() if lab not in names]


def load(file: Path) -> Policy:
    """The policy in a file. UsageError if the file is missing, InstructorError with the line of a mistake."""
    if not handwritten.is_there(file):
        raise UsageError("is missing", file=file, remedy="see docs/policy.toml for an example")
    document = toml.load(file, _SCHEMA)
    data = document.data
    for lab, due in data.get("due", {}).items():
        if due.tzinfo is None:
            raise document.error(f"due of {lab} is no date and time with a zone", "due", lab)
    return Policy(
        term=data.get("term", ""),
        due=data.get("due", {}),
        late=Late(**data.get("late", {})),
        extensions=tuple(Extension(**row) for row in data.get("extension", [])),
        late_days={(row["student"], row["lab"]): row["days"] for row in data.get("late_days", [])},
        counts=data.get("counts", "last"),
        adjustments=tuple(Adjustment(**row) for row in data.get("adjustment", [])),
        exceptions=tuple(
            StudentEntry(row["student"], row.get("lab", ""), _place(document, table, number))
            for table in _ABOUT_STUDENTS
            for number, row in enumerate(data.get(table, []))
        ),
        due_places={lab: _place(document, "due", lab) for lab in data.get("due", {})},
    )


def _place(document: toml.Document, *path: str | int) -> str:
    line = toml.line_of(document.text, path)
    return f"{document.file.name}:{line}" if line else document.file.name
