"""Compiling a whole program: what one may need, and what is said of one that has no main."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.backends import strongest
from warpgrade.build import program, toolkit
from warpgrade.build.compiler import Compiler
from warpgrade.build.program import build_program
from warpgrade.core.paths import Repository, here
from warpgrade.course import lab
from warpgrade.records import Build, BuildStatus, LabKind, SourceFile, Submission


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n", "the file is empty"),
        ("__global__ void twice(float*) {}\n", "there is no main"),
        ('extern "C" void gone();\nint main() { gone(); }\n', "gone"),
    ],
)
def test_a_program_that_does_not_link_says_what_it_lacks(text: str, words: str, tmp_path: Path) -> None:
    built = _built(text, tmp_path)
    assert built.status == BuildStatus.BUILD_FAILED and words in built.summary


@pytest.mark.parametrize(
    "text",
    [
        "#include <span>\nint main() { return std::span<int>().size(); }\n",
        "#include <cmath>\nint main() { int concept = 1; return std::cyl_bessel_j(0, concept) > 1; }\n",
    ],
    ids=["c++20", "c++17 with Bessel functions"],
)
def test_a_program_may_need_a_newer_standard_or_all_of_a_header(text: str, tmp_path: Path) -> None:
    assert _built(text, tmp_path).status == BuildStatus.BUILT


@pytest.mark.skipif(strongest() != "bwrap", reason="commands are kept where they name paths of the box")
def test_commands_of_nvcc_are_kept_unless_it_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["", f"compile {tmp_path}/a.cu", "another"]
    monkeypatch.setattr(program, "_dry_run", lambda *_: answers.pop(0))
    checkout = Repository(tmp_path / "checkout")
    compiler = Compiler(checkout, toolkit.find(here()), sandbox="bwrap")
    folders = [tmp_path, tmp_path, tmp_path / "next"]
    folders[2].mkdir()
    found = [program._script(("nvcc", f"{folder}/a.cu"), compiler, folder) for folder in folders]
    assert found == ["", f"compile {tmp_path}/a.cu", f"compile {tmp_path}/next/a.cu"]
    assert answers == ["another"]


def _built(text: str, out: Path) -> Build:
    item = next(each for each in lab.find(here()) if each.kind is LabKind.PROGRAM)
    submission = Submission("alice", item.name, "", (SourceFile(item.files[0], text),), "")
    return build_program(submission, item, Compiler(here(), toolkit.find(here()), sandbox=strongest()), out)
