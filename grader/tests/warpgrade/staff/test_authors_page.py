"""docs/authors.md is true: the lab that it writes, file by file, is one that grades."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from support import borrowed_tools
from warpgrade.core.paths import Repository, text_hash
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.handouts import pages
from warpgrade.records import Result, SourceFile, Submission
from warpgrade.solution import planted_bugs, skeletons
from warpgrade.staff import lab_check, new_lab

pytestmark = pytest.mark.long

ROOT = borrowed_tools.ROOT
PAGE = (ROOT / "docs" / "authors.md").read_text(encoding="utf-8")
NAME = "60-scan"


def files() -> dict[str, str]:
    """The block of code that follows each paragraph in which a file of the lab is named."""
    blocks = re.findall(
        r"\*\*((?:labs|solutions|handouts)/60-scan[\w./-]*)\*\*[^\n]*:\n\n```\w+\n(.*?)```\n", PAGE, re.DOTALL
    )
    return dict(blocks)


def build_harness(root: Path) -> None:
    """Compile and link labs/60-scan/harness.cpp as the build does."""
    archive = ROOT / "build" / "cmake" / "release" / "grader" / "harness" / "libharness.a"
    if not archive.is_file():
        pytest.skip("needs build/cmake/release/grader/harness/libharness.a: make test-programs")
    debian = ROOT / ".deps" / "debian" / "usr" / "include"
    include = [f"-I{ROOT}/grader/{folder}" for folder in ("harness", "emulator", "")]
    system = [ROOT / ".deps" / "cuda" / "include", debian, debian / "x86_64-linux-gnu"]
    include += [word for folder in system for word in ("-isystem", str(folder))]
    source = root / "labs" / NAME / "harness.cpp"
    libraries = [str(archive), str(ROOT / "build" / "emulator" / "libcudart.so.13")]
    words = ["g++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", *include, str(source), *libraries]
    subprocess.run([*words, "-o", str(root / "build" / "harness" / NAME)], check=True, timeout=300)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A course with the lab as the page makes it: by `new`, then with the page's files."""
    root = tmp_path_factory.mktemp("course")
    borrowed_tools.lend_course(root)
    (root / "build" / "harness").unlink()
    (root / "build" / "harness").mkdir()
    new_lab.create(root, NAME, "vector")
    for path, text in files().items():
        assert (root / path).is_file(), path
        (root / path).write_text(text, encoding="utf-8")
    skeletons.make(root, check=False)
    build_harness(root)
    return Repository(root)


def test_the_page_has_all_files() -> None:
    assert len(files()) == 5
    assert all(f"`{like}`" in PAGE for like in new_lab.templates())


def test_solution_skeleton_and_mutants_get_what_the_page_says(course: Repository, tmp_path: Path) -> None:
    item = lab.named(course, NAME)
    session = prepare(course, [item], Options("emulator"))

    def graded(what: str, text: str) -> Result:
        handed = Submission(what, NAME, "kernel.cu", (SourceFile("kernel.cu", text),), text_hash(text))
        return pipeline.grade_one(handed, session.prepared_labs[0], tmp_path / what, session)

    solution = (course.solution(NAME) / "kernel.cu").read_text(encoding="utf-8")
    whole = graded("solution", solution)
    assert whole.score is not None and whole.score.total == 100, whole
    skeleton = graded("skeleton", (course.labs / NAME / "kernel.cu").read_text(encoding="utf-8"))
    assert skeleton.score is not None and skeleton.score.total == item.build_points
    for bug in planted_bugs.load(course, NAME):
        wrong = graded(bug.name, planted_bugs.applied(bug, solution, "kernel.cu"))
        assert wrong.judgement is not None
        verdicts = {case.name: case.verdict for case in wrong.judgement.cases}
        assert verdicts[bug.case] == bug.verdict, (bug.name, verdicts)


def test_lab_check_says_what_is_left_to_write(course: Repository) -> None:
    assert {gap.about for gap in lab_check.gaps(course, NAME) if gap.needed} == {"mutants"}


def test_its_handout_is_made(course: Repository) -> None:
    (page,) = (page for page in pages.handouts(course, pages.Edition.STUDENT) if page.name == NAME)
    assert "4x256-integers" in page.html and "50x1-integers" not in page.html
