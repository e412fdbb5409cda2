import shutil
import subprocess
from pathlib import Path

import pytest

from warpgrade.core.errors import UsageError
from warpgrade.course import lab
from warpgrade.records import Visibility
from warpgrade.solution import skeletons
from warpgrade.staff import new_lab

ROOT = Path(__file__).parents[4]
NVCC = ROOT / ".deps" / "cuda" / "bin" / "nvcc"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course without labs."""
    for folder in ("handouts", "grader/gpus", "labs/common"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "solutions").mkdir()
    return tmp_path


def made_by(course: Path, like: str) -> list[str]:
    return [path.relative_to(course).as_posix() for path in new_lab.create(course, "05-warp-tiled", like)]


def test_the_same_name_stands_in_three_places(course: Path) -> None:
    assert sorted(made_by(course, "matrix")) == [
        "handouts/05-warp-tiled.md.j2",
        "labs/05-warp-tiled/harness.cpp",
        "labs/05-warp-tiled/kernel.cu",
        "labs/05-warp-tiled/lab.toml",
        "solutions/05-warp-tiled/kernel.cu",
        "solutions/05-warp-tiled/mutants.toml",
    ]


@pytest.mark.parametrize("like", new_lab.templates())
def test_the_new_lab_is_one_that_loads(course: Path, like: str) -> None:
    made_by(course, like)
    made = lab.load(course / "labs" / "05-warp-tiled")
    assert made.title == "Warp tiled"
    assert made.kernel in (f"{like}_warp_tiled", "square", "")
    assert skeletons.make(course, check=True) == []
    left = [path for path in course.rglob("*05-warp-tiled*/*") if "{@" in path.read_text()]
    assert left == []


@pytest.mark.parametrize("like", ["matrix", "image"])
def test_a_visible_case_tells_all_sizes_apart(course: Path, like: str) -> None:
    made_by(course, like)
    cases = lab.load(course / "labs" / "05-warp-tiled").cases
    visible = [case.size for case in cases if case.visibility is Visibility.VISIBLE]
    assert any(len(set(size)) == len(size) for size in visible)


def test_nothing_is_kept_of_a_skeleton_that_nobody_has_filled_in(course: Path) -> None:
    made_by(course, "vector")
    solution = course / "solutions" / "05-warp-tiled" / "kernel.cu"
    solution.write_text(solution.read_text().replace("which element", "which one"))
    assert [copy for _, copy in skeletons.make(course, check=False)] == [None]


def test_a_template_that_there_is_not_is_refused(course: Path) -> None:
    with pytest.raises(UsageError, match="like 'sparse'") as caught:
        new_lab.create(course, "05-warp-tiled", "sparse")
    assert all(like in caught.value.remedy for like in new_lab.templates())
    assert not list((course / "solutions").iterdir())


@pytest.mark.skipif(not NVCC.exists(), reason="needs the CUDA compiler: make prepares it")
def test_skeleton_and_solution_compile(course: Path, tmp_path: Path) -> None:
    new_lab.create(course, "05-warp-tiled")
    for folder in ("labs", "solutions"):
        source = course / folder / "05-warp-tiled" / "kernel.cu"
        command = [
            str(NVCC),
            "-std=c++17",
            f"-I{course}/labs/common",
            "-ptx",
            "-arch=compute_75",
            str(source),
        ]
        subprocess.run([*command, "-o", str(tmp_path / "out.ptx")], check=True, timeout=120)


@pytest.mark.parametrize("name", ["", "Tiled", "../evil", "a b", "05-", "-x", "05", "x--y", "x\n"])
def test_a_name_that_will_not_do_is_refused(course: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        new_lab.create(course, name)
    assert "warpgrade new 05-vectorised" in caught.value.remedy
    assert not list((course / "solutions").iterdir())


def test_nothing_is_overwritten(course: Path) -> None:
    handout = course / "handouts" / "05-mine.md.j2"
    handout.write_text("mine\n")
    with pytest.raises(UsageError, match=r"handouts/05-mine\.md\.j2"):
        new_lab.create(course, "05-mine")
    assert handout.read_text() == "mine\n"
    assert not (course / "labs" / "05-mine").exists()
