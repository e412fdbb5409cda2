"""What went wrong in a class: common failures, told once, with the lines and the people that have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..records import BuildStatus, CaseRun, Grades, Result, Student
from .disclosure import TIMED

MOST_LINES = 4


@dataclass(frozen=True)
class Person:
    id: str
    name: str


@dataclass(frozen=True)
class Line:
    """A line of source, as written, and how many students have the failure there."""

    text: str
    students: int


@dataclass(frozen=True)
class Trouble:
    """One kind of failure in one lab."""

    code: str  # "WG112"; a verdict's words where no finding explains it
    words: str
    lab: str
    students: tuple[Person, ...]
    lines: tuple[Line, ...]
    more_lines: int
    help: str


@dataclass
class _Group:
    words: str
    help: str = ""
    students: dict[str, Person] = field(default_factory=dict)
    lines: dict[str, set[str]] = field(default_factory=dict)


def common(grades: Grades) -> tuple[Trouble, ...]:
    """The most frequent first. Of light grades, too: a finding's own line is enough."""
    groups: dict[tuple[str, str, str], _Group] = {}
    for student in grades.students:
        for result in student.results:
            for code, words, line in _told(result):
                group = groups.setdefault((result.lab, code, words), _Group(words))
                group.students[student.id] = Person(student.id, student.name)
                if line:
                    group.lines.setdefault(line, set()).add(student.id)
    found = [_trouble(lab, code, group) for (lab, code, _), group in groups.items()]
    return tuple(sorted(found, key=lambda each: (-len(each.students), each.lab, each.code, each.words)))


def _trouble(lab: str, code: str, group: _Group) -> Trouble:
    lines = sorted(group.lines.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = tuple(Line(text, len(who)) for text, who in lines[:MOST_LINES])
    more = len(lines) - len(shown)
    return Trouble(code, group.words, lab, tuple(group.students.values()), shown, more, group.help)


def _told(result: Result) -> Iterator[tuple[str, str, str]]:
    """Code, words and line of each failure of one result."""
    if result.status == "withheld":
        return
    if result.problem:
        yield "refused", result.problem.message, ""
    elif result.build and result.build.status is BuildStatus.BUILD_FAILED:
        errors = [item for item in result.build.diagnostics if item.severity == "error"]
        line = errors[0].source.strip() if errors else ""
        yield "not built", errors[0].text if errors else result.build.summary, line
    elif result.run is not None:
        found = [item for item in result.run.findings if not item.label.startswith(TIMED)]
        for finding in found:
            yield finding.code, finding.called, finding.place.source.strip()
        explained = {item.label for item in found}
        for case in result.run.cases:
            if case.name not in explained and case.status != "pass":
                yield _unexplained(case)


def _unexplained(case: CaseRun) -> tuple[str, str, str]:
    pattern = case.wrong.pattern.replace("-", " ") if case.wrong else ""
    words = {
        "all": "every element",
        "from phase": "phases are missing",
        "last tile row": "the last, partial tile row",
        "last tile column": "the last, partial tile column",
        "last tile row or column": "the last, partial tiles",
    }.get(pattern, pattern)
    status = case.status.replace("_", " ")
    return status, words or case.cuda_error or status, ""


# --- speed -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pace:
    student: Person
    ratio: float  # t_reference / t_student
    bound: str


@dataclass(frozen=True)
class Race:
    """The fastest and the slowest right kernels of one lab; no one is in both lists."""

    lab: str
    timed: int
    modelled: bool
    fastest: tuple[Pace, ...]
    slowest: tuple[Pace, ...]


def races(grades: Grades, each: int = 3) -> tuple[Race, ...]:
    found = []
    for lab in grades.labs:
        paces = sorted(_paces(grades.students, lab.name), key=lambda pace: (-pace.ratio, pace.student.id))
        if paces:
            slow = paces[max(each, len(paces) - each) :]
            modelled = grades.setting.device != "gpu"
            found.append(Race(lab.name, len(paces), modelled, tuple(paces[:each]), tuple(reversed(slow))))
    return tuple(found)


def _paces(students: tuple[Student, ...], lab: str) -> Iterator[Pace]:
    for student in students:
        for result in student.results:
            performance = result.judgement.performance if result.judgement else None
            if result.lab == lab and performance and performance.ratio:
                bound = performance.sizes[0].student_bound if performance.sizes else ""
                yield Pace(Person(student.id, student.name), performance.ratio, bound)
