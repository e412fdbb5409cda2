import shutil
import subprocess
from pathlib import Path

import pytest

from warpgrade.core.errors import UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import lab, markers, planted_bugs, skeletons
from warpgrade.handouts import pages
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


def test_the_same_name_stands_in_three_places(course: Path) -> None:
    made = [path.relative_to(course).as_posix() for path in new_lab.create(course, "05-warp-tiled")]
    assert made == [
        "labs/05-warp-tiled/lab.toml",
        "labs/05-warp-tiled/harness.cpp",
        "solutions/05-warp-tiled/kernel.cu",
        "solutions/05-warp-tiled/mutants.toml",
        "handouts/05-warp-tiled.md.j2",
        "labs/05-warp-tiled/kernel.cu",
    ]


def test_the_new_lab_passes_its_checks(course: Path) -> None:
    new_lab.create(course, "05-warp-tiled")
    made = lab.load(course / "labs" / "05-warp-tiled")
    assert (made.kernel, made.title) == ("matmul_warp_tiled", "Warp tiled")
    assert skeletons.make(course, check=True) == []
    assert "matmul_warp_tiled" in (course / "labs" / "05-warp-tiled" / "harness.cpp").read_text()


def test_mutants_apply_to_the_solution_and_name_a_case(course: Path) -> None:
    new_lab.create(course, "05-warp-tiled")
    folder = course / "solutions" / "05-warp-tiled"
    solution = markers.cut((folder / "kernel.cu").read_text(), "kernel.cu", markers.View.STAFF)
    cases = {case.name for case in lab.load(course / "labs" / "05-warp-tiled").cases}
    mutants = planted_bugs.load(Repository(course), "05-warp-tiled")
    assert len(mutants) == 2
    for mutant in mutants:
        assert solution.count(mutant.find) == 1
        assert mutant.case in cases


def test_its_handout_renders(course: Path) -> None:
    for old in (course / "handouts").glob("[0-9]*.md.j2"):
        old.unlink()
    new_lab.create(course, "05-warp-tiled")
    pages.make(course, course / "out")
    page = (course / "out" / "student" / "05-warp-tiled.html").read_text()
    assert "<strong>TODO 1.</strong>" in page and "16x16x16-integers" in page


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
