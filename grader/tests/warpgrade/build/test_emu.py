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


def test_schedules_say_when_each_block_starts_and_ends() -> None:
    """Two warps with two loads of one pass each, then an instruction that waits for the second one."""
    load = (1, 1, 0, 0, 1.0, 24.0, (0, 0), (0, 0), 0.0)
    reads = (4, 1, -1, 1, 0.0, 0.0, (1, 1), (1, 0), 0.0)
    job = IssueJob((load, reads), (0, 0, 1), (8, 2.0, 4.0, 30.0, 0.0), ((2, 1, 2, 0.0, 50.0, 1, True),))
    (found,) = Emu(here(), "none").schedules(job)
    first, second = found.ends
    assert first == 4 + 4 + 24 + 1  # four passes after the first load has entered the pipe
    assert found.starts == (0, first + 50)
    assert second == found.starts[1] + first


def test_a_job_that_names_no_instruction_is_refused() -> None:
    job = IssueJob((), (0,), (8, 2.0, 4.0, 30.0, 0.0), ((1, 1, 1, 0.0, 0.0, 1, True),))
    with pytest.raises(UnreadableFile, match="not there"):
        Emu(here(), "none").schedules(job)
