"""What went wrong in a class: each common failure with its lines of source and the students who have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..feedback import playable
from ..feedback.disclosure import TIMED
from ..records import Build, CaseRun, Finding, Grades, Lab, Result, Student

MOST_LINES = 4


@dataclass(frozen=True)
class AffectedStudent:
    id: str
    name: str
    number: int = 0  # of the student's finding that `play` shows; 0 without one


@dataclass(frozen=True)
class FailureLine:
    """A line of source, as written, and how many students have the failure there."""

    text: str
    students: int


@dataclass(frozen=True)
class CommonFailure:
    """One kind of failure in one lab."""

    code: str  # "WG112"; a verdict's words where no finding explains it
    words: str
    lab: str
    students: tuple[AffectedStudent, ...]
    lines: tuple[FailureLine, ...]
    more_lines: int
    help: str


@dataclass
class _FailureGroup:
    words: str
    help: str = ""
    students: dict[str, AffectedStudent] = field(default_factory=dict)
    lines: dict[str, set[str]] = field(default_factory=dict)


class CommonFailures:
    """Groups the failures of a class by lab, code and words. Students are added one by one."""

    def __init__(self, labs: Sequence[Lab]) -> None:
        self._labs = {lab.name: lab for lab in labs}
        self._groups: dict[tuple[str, str, str], _FailureGroup] = {}

    def add(self, student: Student) -> None:
        for result in student.results:
            lab = self._labs.get(result.lab)
            played = playable.findings(lab, result) if lab else ()
            for code, words, line in _failures(result):
                group = self._groups.setdefault((result.lab, code, words), _FailureGroup(words))
                number = playable.number(played, _found(result, code))
                group.students[student.id] = AffectedStudent(student.id, student.name, number)
                if line:
                    group.lines.setdefault(line, set()).add(student.id)

    def by_frequency(self) -> tuple[CommonFailure, ...]:
        """The failures, the most frequent first."""
        found = [_common_failure(lab, code, group) for (lab, code, _), group in self._groups.items()]
        return tuple(sorted(found, key=lambda each: (-len(each.students), each.lab, each.code, each.words)))


def common(grades: Grades) -> tuple[CommonFailure, ...]:
    """The failures, the most frequent first."""
    failures = CommonFailures(grades.labs)
    for student in grades.students:
        failures.add(student)
    return failures.by_frequency()


def _common_failure(lab: str, code: str, group: _FailureGroup) -> CommonFailure:
    lines = sorted(group.lines.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = tuple(FailureLine(text, len(who)) for text, who in lines[:MOST_LINES])
    more = len(lines) - len(shown)
    return CommonFailure(code, group.words, lab, tuple(group.students.values()), shown, more, group.help)


def _found(result: Result, code: str) -> Iterator[Finding]:
    return (each for each in (result.run.findings if result.run else ()) if each.code == code)


def _failures(result: Result) -> Iterator[tuple[str, str, str]]:
    """Code, words and line of each failure of one result."""
    if result.status == "withheld":
        return
    if result.problem:
        yield "refused", result.problem.message, ""
    elif result.build_failed:
        yield _build_failure(result.build)
    elif result.run is not None:
        found = [item for item in result.run.findings if not item.label.startswith(TIMED)]
        for finding in found:
            yield finding.code, finding.called, finding.place.source.strip()
        explained = {item.label for item in found}
        for case in result.run.cases:
            if case.name not in explained and case.status != "pass":
                yield _unexplained(case)


def _build_failure(build: Build | None) -> tuple[str, str, str]:
    errors = [item for item in (build.diagnostics if build else ()) if item.severity == "error"]
    words = errors[0].text if errors else build.summary if build else ""
    return "not built", words, errors[0].source.strip() if errors else ""


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
