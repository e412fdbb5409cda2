"""Each lab that `warpgrade new` can write is complete: solution, skeleton, mutants and handout, really run.

The templates are found by listing. Each becomes a lab of a course of its own in a temporary folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import borrowed_tools, sample
from warpgrade.answers import stages
from warpgrade.core.paths import Repository, text_hash
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.handouts import pages
from warpgrade.handouts.pages import Edition
from warpgrade.records import BuildStatus, Lab, LabKind, Result, SourceFile, Submission, Verdict
from warpgrade.solution import planted_bugs, skeletons
from warpgrade.staff import new_lab

pytestmark = pytest.mark.long

LIKE = new_lab.templates()
Results = dict[tuple[str, str], Result]


def name_of(like: str) -> str:
    return f"60-like-{like}"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A course whose labs are the templates, with this checkout's tools."""
    root = tmp_path_factory.mktemp("course")
    borrowed_tools.lend_course(root)
    (root / "build" / "harness").unlink()
    (root / "build" / "harness").mkdir()
    for like in LIKE:
        new_lab.create(root, name_of(like), like)
        built = borrowed_tools.need_built("build/tests/new_labs") / like
        if built.exists():
            (root / "build" / "harness" / name_of(like)).symlink_to(built)
    return Repository(root)


@pytest.fixture(scope="module")
def labs(course: Repository) -> dict[str, Lab]:
    return {item.name: item for item in lab.find(course)}


@pytest.fixture(scope="module")
def session(course: Repository, labs: dict[str, Lab]) -> Session:
    return prepare(course, list(labs.values()), Options("emulator"))


def texts(folder: Path, item: Lab) -> dict[str, str]:
    """The text of each file of the lab, by its name."""
    return {file: (folder / file).read_text(encoding="utf-8") for file in item.files}


def handed_in(course: Repository, item: Lab, with_mutants: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """What is handed in, and the text of each file."""
    file = item.files[0]
    yield "skeleton", texts(course.labs / item.name, item)
    if item.kind is LabKind.ANSWERS:
        yield "solution", {file: stages.key_sheet(course, item, "solution")}
        return
    solution = texts(course.solution(item.name), item)
    yield "solution", solution
    for bug in planted_bugs.load(course, item.name) if with_mutants else ():
        yield bug.name, solution | {file: planted_bugs.applied(bug, solution[file], file)}


@pytest.fixture(scope="module")
def results(
    course: Repository, labs: dict[str, Lab], session: Session, request: pytest.FixtureRequest
) -> Results:
    with_mutants = {name_of(like) for (like,) in sample.chosen(request, "like_whose_mutants")}
    prepared = {each.lab.name: each for each in session.prepared_labs}

    def graded(one: tuple[Lab, str, dict[str, str]]) -> tuple[tuple[str, str], Result]:
        item, what, files = one
        sources = tuple(SourceFile(file, text) for file, text in files.items())
        handed = Submission(what, item.name, item.files[0], sources, text_hash("".join(files.values())))
        folder = course.root / "graded" / item.name / what
        return (item.name, what), pipeline.grade_one(handed, prepared[item.name], folder, session)

    everything = [
        (item, what, files)
        for item in labs.values()
        for what, files in handed_in(course, item, item.name in with_mutants)
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(graded, everything))


def described(result: Result) -> str:
    parts = result.score.parts if result.score else ()
    return "\n".join(f"{part.name}: {part.earned} of {part.possible}: {part.sentence}" for part in parts)


def test_skeletons_are_fresh(course: Repository) -> None:
    assert skeletons.make(course.root, check=True) == []


@pytest.mark.parametrize("like", LIKE)
def test_the_solution_earns_everything_and_the_skeleton_its_build_points(
    like: str, labs: dict[str, Lab], results: Results
) -> None:
    name = name_of(like)
    solution, skeleton = results[name, "solution"], results[name, "skeleton"]
    assert solution.score is not None, solution.problem
    assert solution.score.total == 100, described(solution)
    assert solution.run is None or not solution.run.findings
    assert skeleton.score is not None and skeleton.score.total == labs[name].build_points, described(skeleton)


@pytest.mark.parametrize("like_whose_mutants", sample.sampled(LIKE, one_in=4))
def test_each_mutant_loses_points_for_its_reason(
    like_whose_mutants: str, course: Repository, labs: dict[str, Lab], results: Results
) -> None:
    name, wrong = name_of(like_whose_mutants), []
    bugs = planted_bugs.load(course, name)
    assert len(bugs) >= 10 or labs[name].kind is LabKind.ANSWERS
    for bug in bugs:
        result = results[name, bug.name]
        assert result.judgement is not None and result.score is not None, result.problem
        assert result.judgement.build is BuildStatus.BUILT, (bug.name, described(result))
        verdicts = {case.name: case.verdict for case in result.judgement.cases}
        if bug.technique:
            lost = {part.name for part in result.score.parts if part.earned < part.possible}
            is_right = set(verdicts.values()) == {Verdict.PASS} and bug.technique in lost
        else:
            is_right = verdicts[bug.case] == bug.verdict
        if not is_right:
            wrong.append(f"{bug.name}: {described(result)}")
    assert not wrong, "\n\n".join(wrong)


def test_handouts_are_made_with_a_step_for_each_todo(course: Repository, labs: dict[str, Lab]) -> None:
    made = {page.name: page for page in pages.handouts(course, Edition.STUDENT)}
    for name, item in labs.items():
        skeleton = (course.labs / name / item.files[0]).read_text(encoding="utf-8")
        todos = re.findall(r"TODO\((\d+)\)", skeleton)
        assert re.findall(r"<strong>TODO (\d+)\.", made[name].html) == todos, name
        hidden = [case.name for case in item.cases if case.visibility == "hidden"]
        assert not [case for case in hidden if case in made[name].html]


def test_all_editions_are_written(course: Repository, tmp_path: Path) -> None:
    names = {path.stem for path in pages.make(course.root, tmp_path) if path.parent.name == "staff"}
    assert names >= {name_of(like) for like in LIKE}
