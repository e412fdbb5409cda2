"""Compiling a whole program: what is said of one that has no main."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.backends import strongest
from warpgrade.build import toolkit
from warpgrade.build.compiler import Compiler
from warpgrade.build.program import build_program
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.records import BuildStatus, LabKind, SourceFile, Submission


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n", "the file is empty"),
        ("__global__ void twice(float*) {}\n", "there is no main"),
        ('extern "C" void gone();\nint main() { gone(); }\n', "gone"),
    ],
)
def test_a_program_that_does_not_link_says_what_it_lacks(text: str, words: str, tmp_path: Path) -> None:
    item = next(each for each in lab.find(here()) if each.kind is LabKind.PROGRAM)
    submission = Submission("alice", item.name, "", (SourceFile(item.files[0], text),), "")
    compiler = Compiler(here(), toolkit.find(here()), sandbox=strongest())
    built = build_program(submission, item, compiler, tmp_path)
    assert built.status == BuildStatus.BUILD_FAILED and words in built.summary
