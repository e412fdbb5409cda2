"""Labs of shapes that the course's own labs do not have: fixtures/course/ holds three folders for each.

They are found by listing. The solution earns everything, each mutant loses points for its reason. A wrong
answer names an element by indices of the array's own rank, and its pattern is the one that `wrong.toml`
beside the mutants names.
"""

from __future__ import annotations

import functools
import json
import os
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import fixture_course
from warpgrade.build.compiler import FATBIN
from warpgrade.cli.main import main
from warpgrade.core.paths import Repository, text_hash
from warpgrade.course import lab, planted_bugs
from warpgrade.drawing import element_map_text
from warpgrade.drawing.element_map import element_map
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.handouts import pages
from warpgrade.judge import wrong_answer
from warpgrade.records import Result, SourceFile, Submission, Verdict, Wrong
from warpgrade.run import trace

pytestmark = pytest.mark.long

FIXTURES = Repository(fixture_course.FIXTURES)
NAMES = FIXTURES.lab_names()
MUTANTS = [(name, bug.name) for name in NAMES for bug in planted_bugs.load(FIXTURES, name)]
Results = dict[tuple[str, str], Result]


@functools.cache
def expected_patterns(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((FIXTURES.solution(name) / "wrong.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return fixture_course.make(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def session(course: Repository) -> Session:
    return prepare(course, list(lab.find(course)), Options("emulator"))


def kernels(course: Repository) -> Iterator[tuple[str, str, str]]:
    """Lab, what it is, source."""
    for name in NAMES:
        solution = (course.solution(name) / "kernel.cu").read_text(encoding="utf-8")
        yield name, "solution", solution
        yield name, "skeleton", (course.labs / name / "kernel.cu").read_text(encoding="utf-8")
        for bug in planted_bugs.load(course, name):
            assert solution.count(bug.find) == 1, (name, bug.name)
            yield name, bug.name, solution.replace(bug.find, bug.replace)


@pytest.fixture(scope="module")
def results(course: Repository, session: Session) -> Results:
    prepared = {each.lab.name: each for each in session.prepared_labs}

    def graded(kernel: tuple[str, str, str]) -> tuple[tuple[str, str], Result]:
        name, what, text = kernel
        handed = Submission(what, name, "kernel.cu", (SourceFile("kernel.cu", text),), text_hash(text))
        folder = course.root / "graded" / name / what
        return (name, what), pipeline.grade_one(handed, prepared[name], folder, session)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(graded, kernels(course)))


def described(result: Result) -> str:
    parts = result.score.parts if result.score else ()
    return "\n".join(f"{part.name}: {part.earned} of {part.possible}: {part.sentence}" for part in parts)


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_earns_everything(name: str, results: Results) -> None:
    result = results[name, "solution"]
    assert result.status == "graded" and result.run is not None, result.problem
    assert result.score is not None and result.score.total == 100, described(result)
    assert not result.run.findings


@pytest.mark.parametrize("name", NAMES)
def test_the_skeleton_builds_and_runs(name: str, results: Results) -> None:
    result = results[name, "skeleton"]
    assert result.score is not None and result.score.total is not None
    assert 10 <= result.score.total < 50, described(result)


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_the_mutant_loses_points_for_its_reason(name: str, mutant: str, results: Results) -> None:
    result = results[name, mutant]
    (bug,) = (each for each in planted_bugs.load(FIXTURES, name) if each.name == mutant)
    assert result.judgement is not None and result.score is not None, result.problem
    verdicts = {case.name: case.verdict for case in result.judgement.cases}
    if bug.technique:
        assert set(verdicts.values()) == {Verdict.PASS}, described(result)
        assert [part.earned for part in result.score.parts if part.name == bug.technique] == [0]
    else:
        assert verdicts[bug.case] == bug.verdict, described(result)


def first_wrong(result: Result) -> Wrong | None:
    cases = result.run.cases if result.run else ()
    return next((case.wrong for case in cases if case.wrong), None)


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_a_wrong_answer_is_explained_in_the_arrays_own_shape(
    name: str, mutant: str, results: Results
) -> None:
    result = results[name, mutant]
    expected = expected_patterns(name).get(mutant)
    wrong = first_wrong(result)
    if expected is None:
        assert wrong is None or result.run is not None and result.run.findings, wrong
        return
    assert wrong is not None and result.run is not None
    assert (wrong.array, wrong.pattern) == (expected["array"], expected["pattern"]), wrong.explanation
    assert expected["words"] in wrong.explanation
    assert len(wrong.index) == len(wrong.shape)
    named = wrong.array + "".join(f"[{at}]" for at in wrong.index)
    assert named in wrong.explanation
    assert len(wrong.map) <= 32 and all(0 < len(row) <= 32 for row in wrong.map)
    shape = wrong_answer.covering(wrong, result.run.shapes)
    outputs = shape.outputs if shape else None
    assert "<svg" in element_map(wrong, outputs, "map").svg
    if len(set("".join(wrong.map))) > 1:
        assert element_map_text.drawn(wrong, outputs) and element_map_text.legend(wrong, outputs)
    if "block" in expected:
        assert wrong.block is not None and wrong.first is not None and wrong.last is not None and shape
        assert all(
            low <= at <= high for low, at, high in zip(wrong.first, wrong.index, wrong.last, strict=True)
        )


def test_a_class_is_graded_and_its_results_are_written(
    course: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Solutions and skeletons as two students: results.json, pages and exports know no lab."""
    submissions = course.root / "class"
    for name, _, text in (kernel for kernel in kernels(course) if kernel[1] == "solution"):
        handed = submissions / "ada" / name / "kernel.cu"
        handed.parent.mkdir(parents=True)
        handed.write_text(text, encoding="utf-8")
    monkeypatch.setenv("WARPGRADE_ROOT", str(course.root))
    out = course.root / "grades"
    assert main(["grade", str(submissions), "--device", "emulator", "--out", str(out)]) == 0
    (student,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["students"]
    assert {each["lab"]: each["score"] for each in student["labs"]} == dict.fromkeys(NAMES, 100)


@pytest.mark.parametrize("name", NAMES)
def test_check_and_profile_print_the_result(
    name: str, course: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WARPGRADE_ROOT", str(course.root))
    solution = course.solution(name) / "kernel.cu"
    assert main(["check", name, str(solution)]) == 0
    assert "100 of 100 points" in capsys.readouterr().out
    assert main(["profile", name, str(solution)]) == 0
    assert "GB/s" in capsys.readouterr().out


def test_handouts_are_made(course: Repository) -> None:
    made = pages.make(course.root, course.root / "handouts-made")
    names = {path.stem for path in made if path.parent.name == "student"}
    assert names >= set(NAMES)
