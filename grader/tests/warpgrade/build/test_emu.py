"""emu refuses a file of a submission; a damaged emu is no fault of the submission."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fake_repository import write
from support.sandboxed import each_kind
from warpgrade.build.emu import Emu, IssueJob, UnreadableFile
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository, here

SOUND = here().emu
DAMAGE = {
    "empty": lambda program: b"",
    "its beginning alone": lambda program: program[:1000],
    "its first tenth": lambda program: program[: len(program) // 10],
    "other bytes": lambda program: b"no program\n" * 100,
    "no instructions": lambda program: program[:4096] + bytes(len(program) - 4096),
}


@pytest.fixture
def course() -> Iterator[Repository]:
    """Without an emu; every user may pass through its folders."""
    with tempfile.TemporaryDirectory(prefix="course-") as name:
        Path(name).chmod(0o755)
        repository = Repository(Path(name))
        repository.emu.parent.mkdir(parents=True)
        yield repository


@each_kind
@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_program_is_named_and_not_the_submission(course: Repository, kind: str, what: str) -> None:
    course.emu.write_bytes(DAMAGE[what](SOUND.read_bytes()))
    course.emu.chmod(0o755)
    with pytest.raises(GraderError) as caught:
        Emu(course, kind).summary(write(course.root / "kernel.ptx", ".version 8.0\n"))
    assert caught.value.file == course.emu and "make clean tools" in caught.value.remedy


def test_a_sound_program_refuses_the_file(course: Repository) -> None:
    shutil.copy(SOUND, course.emu)
    text = write(course.root / "kernel.ptx", "no PTX")
    with pytest.raises(UnreadableFile):
        Emu(course, "none").packed(text, text, write(course.root / "kernel.cubin", "no cubin"))


def test_schedules_say_when_each_warp_comes_to_each_mark() -> None:
    """Two loads of one pass each, then an instruction that waits for the second one."""
    load, reads = (1, 1, 0, 0, 1.0, 24.0, 0.0, 0.0), (4, 1, -1, 1, 0.0, 0.0, 0.0, 0.0)
    job = IssueJob((load, reads), (0, 0, 1), (2, 3), (8, 2.0, 4.0, 30.0, 0.0), ((1, 2, 0.0, 1),))
    (found,) = Emu(here(), "none").schedules(job)
    assert found.starts == (0.0, 0.0)
    assert min(found.marks[0]) == 2 + 4 + 1 + 24
    assert found.marks[1] == found.ends
    assert all(end == mark + 1 for end, mark in zip(found.ends, found.marks[0], strict=True))


def test_a_job_that_names_no_instruction_is_refused() -> None:
    job = IssueJob((), (0,), (), (8, 2.0, 4.0, 30.0, 0.0), ((1, 1, 0.0, 1),))
    with pytest.raises(UnreadableFile, match="not there"):
        Emu(here(), "none").schedules(job)
