"""What a student does with files: pack, reset, completion."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import ORIGINAL, Repository
from warpgrade.course import lab
from warpgrade.student import hand_in

SKELETON = "// TODO(1)\n"


@pytest.fixture
def given(repository: Repository) -> Repository:
    """A students' copy: with the skeleton, without the solution."""
    shutil.rmtree(repository.solution(LAB))
    write(repository.labs / LAB / ORIGINAL / "kernel.cu", SKELETON)
    write(repository.labs / LAB / "kernel.cu", SKELETON)
    return repository


def test_pack_holds_what_was_worked_on(given: Repository) -> None:
    labs = lab.find(given)
    with pytest.raises(UsageError, match="nothing to hand in"):
        hand_in.pack(given, labs)
    write(given.labs / LAB / "kernel.cu", GOOD)
    packed = hand_in.pack(given, labs)
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.namelist() == [f"{LAB}/kernel.cu"]
        assert archive.read(f"{LAB}/kernel.cu").decode() == GOOD
    assert packed.labs == (LAB,) and packed.content == hand_in.pack(given, labs).content


def test_reset_loses_nothing(given: Repository) -> None:
    chosen, file = lab.named(given, LAB), given.labs / LAB / "kernel.cu"
    assert hand_in.reset(given, chosen) == []
    for number in (1, 2):
        write(file, f"// try {number}\n")
        assert hand_in.reset(given, chosen) == [(file, file.with_name(f"kernel.cu.{number}"))]
        assert file.read_text() == SKELETON
        assert file.with_name(f"kernel.cu.{number}").read_text() == f"// try {number}\n"


def test_reset_cuts_the_skeleton_where_the_solution_is(repository: Repository) -> None:
    write(repository.labs / LAB / "kernel.cu", "// mine\n")
    hand_in.reset(repository, lab.named(repository, LAB))
    assert GOOD in (repository.labs / LAB / "kernel.cu").read_text()


def test_reset_without_a_skeleton_says_so(repository: Repository) -> None:
    shutil.rmtree(repository.solution(LAB))
    with pytest.raises(UsageError, match="is missing"):
        hand_in.reset(repository, lab.named(repository, LAB))


def test_the_shell_completes_labs(repository: Repository) -> None:
    environment = dict(
        os.environ, WARPGRADE_ROOT=str(repository.root), COMP_WORDS="warpgrade check 0", COMP_CWORD="2",
        _WARPGRADE_COMPLETE="bash_complete",
    )  # fmt: skip
    command = [sys.executable, "-m", "warpgrade"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"plain,{LAB}\n", done.stderr
