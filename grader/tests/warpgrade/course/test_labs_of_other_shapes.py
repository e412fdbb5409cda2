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
from collections.abc import Callable, Iterator, Set
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from support import fixture_course, sample
from support.hand_ins import handed_in
from warpgrade.cli import main
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.drawing import element_map_text
from warpgrade.drawing.element_map import element_map
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.handouts import pages
from warpgrade.judge.causes.wrong_answer import wrong_answer
from warpgrade.records import Result, Verdict, Wrong
from warpgrade.solution import planted_bugs

pytestmark = pytest.mark.long

FIXTURES = Repository(fixture_course.FIXTURES)
NAMES = FIXTURES.lab_names()
MUTANTS = sample.sampled_by(
    ([(name, bug.name) for bug in planted_bugs.load(FIXTURES, name)] for name in NAMES), one_in=3
)
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


@pytest.fixture(scope="module")
def chosen(request: pytest.FixtureRequest) -> set[tuple[str, str]]:
    """Labs and mutants that a chosen test looks at."""
    return set(sample.chosen(request, "name", "mutant"))


def kernels(course: Repository, chosen: Set[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Lab, what it is, source."""
    for name in NAMES:
        solution = (course.solution(name) / "kernel.cu").read_text(encoding="utf-8")
        yield name, "solution", solution
        yield name, "skeleton", (course.labs / name / "kernel.cu").read_text(encoding="utf-8")
        for bug in planted_bugs.load(course, name):
            assert solution.count(bug.find) == 1, (name, bug.name)
            if (name, bug.name) in chosen:
                yield name, bug.name, solution.replace(bug.find, bug.replace)


@pytest.fixture(scope="module")
def results(course: Repository, session: Session, chosen: set[tuple[str, str]]) -> Results:
    prepared = {each.lab.name: each for each in session.prepared_labs}

    def graded(kernel: tuple[str, str, str]) -> tuple[tuple[str, str], Result]:
        name, what, text = kernel
        beside = course.labs if what == "skeleton" else course.root / "solutions"
        handed = handed_in.submission(prepared[name].lab, text, beside / name, what)
        folder = course.root / "graded" / name / what
        return (name, what), pipeline.grade_one(handed, prepared[name], folder, session)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(graded, kernels(course, chosen)))


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
        assert wrong is None or (result.run is not None and result.run.findings), wrong
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
    if wrong.count < wrong.total and not wrong.vector:
        assert element_map_text.drawn(wrong, outputs) and element_map_text.legend(wrong, outputs)
    if "block" in expected:
        assert wrong.block is not None and wrong.first is not None and wrong.last is not None and shape
        assert all(
            low <= at <= high for low, at, high in zip(wrong.first, wrong.index, wrong.last, strict=True)
        )


@pytest.fixture
def call(course: Repository, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setenv("WARPGRADE_ROOT", str(course.root))

    def run(*words: str) -> str:
        result = CliRunner().invoke(main.cli, [*words, "--device", "emulator"])
        assert result.exit_code == 0, result.output
        return result.output

    return run


@pytest.mark.exhaustive
def test_a_class_is_graded_and_its_results_are_written(
    course: Repository, call: Callable[..., str], chosen: set[tuple[str, str]]
) -> None:
    """All labs with these mutants as a class: results, pages and the overview of the class know no lab."""
    submissions, out = course.root / "class", course.root / "class-graded"
    for name, what, text in kernels(course, chosen):
        handed = submissions / what / name / "kernel.cu"
        handed.parent.mkdir(parents=True)
        handed.write_text(text, encoding="utf-8")
        for file in handed_in.beside(course.solution(name), lab.named(course, name)):
            (handed.parent / file.name).write_text(file.text, encoding="utf-8")
    call("grade", str(submissions), "--out", str(out))
    students = json.loads((out / "results.json").read_text(encoding="utf-8"))["students"]
    (solutions,) = (each for each in students if each["id"] == "solution")
    totals = {result["lab"]: result["score"]["total"] for result in solutions["results"]}
    assert totals == dict.fromkeys(NAMES, 100)
    assert all((out / "students" / f"{each['id']}.html").is_file() for each in students)


@pytest.mark.parametrize("name", NAMES)
def test_check_and_profile_print_the_result(name: str, course: Repository, call: Callable[..., str]) -> None:
    solution = str(course.solution(name) / "kernel.cu")
    most = f"{lab.named(course, name).practice_points:g}"
    assert f"{most} of {most} points" in call("check", name, solution)
    assert "GB/s" in call("profile", name, solution)
    page = (course.root / "build" / "profile" / f"{name}.html").read_text(encoding="utf-8")
    assert f'id="{name}-access-0' in page


def test_handouts_are_made(course: Repository) -> None:
    made = pages.make(course.root, course.root / "handouts-made")
    names = {path.stem for path in made if path.parent.name == "student"}
    assert names >= set(NAMES)
