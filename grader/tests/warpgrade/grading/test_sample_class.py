"""The sample class on the real tools: each kernel gets what `expected/` says, which was found by reading it.

Students and kernels are found by listing `grader/tests/fixtures/submissions`. The README command
`make grade` grades the whole class once.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.documents import readme
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import saved_grades
from warpgrade.records import BuildStatus, Grades, Result, Verdict

pytestmark = pytest.mark.long

REPOSITORY = here()
SAMPLE = REPOSITORY.root / "grader" / "tests" / "fixtures" / "submissions"
LABS = {item.name: item for item in lab.find(REPOSITORY)}
EXPECTED = {
    path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(SAMPLE.glob("expected/*.toml"))
}
ROWS = [(student, name) for student, labs in EXPECTED.items() for name in labs]

# From bad to good: a kernel is named after the worst verdict of its cases.
GRAVITY = ("GRADER_ERROR", "RESOURCES", "CRASH", "TIMEOUT", "BARRIER", "MEMORY", "RACE", "WRONG_ANSWER",
           "SKIPPED", "PASS")  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One table of expected/STUDENT.toml."""

    note: str
    build: str
    worst: str
    correctness: float
    techniques: list[str]
    score: list[float]
    case: str = ""
    findings: tuple[str, ...] = ()  # codes, where results are right


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Grades:
    ran = readme.run_once("make grade", tmp_path_factory)
    assert ran.status == 0, ran.said
    return saved_grades.load(Path(ran.output) / "grades")


def result_of(grades: Grades, student: str, name: str) -> Result:
    of_student = next(one for one in grades.students if one.id == student)
    assert of_student.problem is None, of_student.problem
    return next(result for result in of_student.results if result.lab == name)


def summary(result: Result) -> str:
    """What a failing test shows."""
    assert result.score is not None
    return "\n".join(
        f"{p.kind} {p.name}: {p.earned} of {p.possible}: {p.sentence}" for p in result.score.parts
    )


@pytest.mark.parametrize(("student", "name"), ROWS, ids=[f"{student}-{name}" for student, name in ROWS])
def test_the_kernel_gets_what_it_deserves(student: str, name: str, grades: Grades) -> None:
    row = Row(**EXPECTED[student][name])
    result = result_of(grades, student, name)
    assert result.status == "graded", result.problem
    assert result.build is not None and result.build.status == BuildStatus(row.build)
    assert result.judgement is not None and result.score is not None
    verdicts = {case.name: case.verdict.value for case in result.judgement.cases}
    assert min(verdicts.values(), key=GRAVITY.index) == row.worst, summary(result)
    if row.case:
        assert verdicts[row.case] == row.worst, summary(result)
    earned = {kind: sum(p.earned for p in result.score.parts if p.kind == kind) for kind in ("case", "build")}
    assert earned["case"] == row.correctness, summary(result)
    met = [p.name for p in result.score.parts if p.kind == "technique" and p.earned > 0]
    assert met == row.techniques, summary(result)
    assert result.score.total is not None
    assert row.score[0] <= result.score.total <= row.score[1], summary(result)


def test_right_kernels_have_no_findings_but_the_expected(grades: Grades) -> None:
    """A false alarm would be a right student's lost point."""
    for student, name in ROWS:
        row = Row(**EXPECTED[student][name])
        if row.worst == Verdict.PASS:
            run = result_of(grades, student, name).run
            assert run is not None and {each.code for each in run.findings} == set(row.findings), (
                f"{student} {name}"
            )


def test_every_kernel_that_was_handed_in_is_expected(grades: Grades) -> None:
    handed_in = {(student.id, result.lab) for student in grades.students for result in student.results}
    assert handed_in == set(ROWS)
    assert grades.notes == ()


def test_the_class_is_large_enough() -> None:
    assert len(EXPECTED) == 14 and len(ROWS) >= 40
    assert {name for _, name in ROWS} == set(LABS), "each lab has submissions"
    verdicts = {EXPECTED[student][name]["worst"] for student, name in ROWS}
    assert verdicts >= {"PASS", "WRONG_ANSWER", "RACE", "MEMORY", "BARRIER", "TIMEOUT", "RESOURCES"}
    rows: list[dict[str, Any]] = [EXPECTED[student][name] for student, name in ROWS]
    assert all(row["note"].strip().endswith(".") for row in rows)


@pytest.mark.parametrize("name", ["02-tiled", "04-register-tiled"])
def test_the_untouched_skeleton_is_the_labs(name: str) -> None:
    """Type: cp labs/NAME/kernel.cu grader/tests/fixtures/submissions/class/emil-novak/NAME/"""
    handed_in = SAMPLE / "class" / "emil-novak" / name / "kernel.cu"
    assert handed_in.read_bytes() == (REPOSITORY.labs / name / "kernel.cu").read_bytes()
