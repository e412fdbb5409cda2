"""Limits by control groups: in folders that imitate the kernel's, and in the kernel's own where it allows."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from warpgrade.sandbox import cgroup, process
from warpgrade.sandbox.process import Box, ResourceLimits

_MIB = 1 << 20
needs_groups = pytest.mark.skipif(
    process._delegated_group() is None, reason="no folder of control groups is delegated here"
)


def succeeds(words: Sequence[str]) -> bool:
    return subprocess.run(words, capture_output=True).returncode == 0


def tree(root: Path, enabled: str, *groups: str) -> Path:
    """Folders one below the other, of which the first has these controllers; a file that names the last."""
    folder = root
    for depth, name in enumerate(("", *groups)):
        folder = folder / name
        folder.mkdir(exist_ok=True)
        (folder / "cgroup.subtree_control").write_text(enabled if depth == 0 else "")
    own = root.parent / "own"
    own.write_text(f"4:memory:/elsewhere\n0::/{'/'.join(groups)}\n")
    return own


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cgroup"


def test_the_nearest_folder_that_has_both_controllers_is_used(root: Path) -> None:
    own = tree(root, "cpu memory pids\n", "user", "shell")
    assert cgroup.delegated(succeeds, root, own) == root
    (root / "user" / "cgroup.subtree_control").write_text("memory pids")
    assert cgroup.delegated(succeeds, root, own) == root / "user"
    (root / "user" / "shell" / "cgroup.subtree_control").write_text("pids")
    assert cgroup.delegated(succeeds, root, own) == root / "user"


def test_without_a_folder_that_can_be_used_there_is_none(root: Path, tmp_path: Path) -> None:
    own = tree(root, "memory pids", "user")
    assert cgroup.delegated(lambda words: False, root, own) is None  # nobody may enter
    assert cgroup.delegated(succeeds, root, tmp_path / "nowhere") is None
    assert cgroup.delegated(succeeds, tmp_path / "nowhere", own) is None
    own.write_text("4:memory:/user\n")  # version 1 only
    assert cgroup.delegated(succeeds, root, own) is None
    assert cgroup.delegated(succeeds, root, tree(root, "cpu memory", "user")) is None


def test_a_command_enters_a_group_with_its_limits(root: Path) -> None:
    root.mkdir()
    with cgroup.made(root, 100 * _MIB, 7) as group:
        assert group.folder is not None and group.folder.parent == root
        written = {name: (group.folder / name).read_text() for name in ("memory.max", "pids.max")}
        assert written == {"memory.max": str(100 * _MIB), "pids.max": "7"}
        (group.folder / "memory.events").write_text("max 3\noom 0\noom_kill 1\n")
        assert not group.ran_out_of_memory
        (group.folder / "memory.events").write_text("max 3\noom 1\noom_kill 2\n")
        assert group.ran_out_of_memory
        ran = subprocess.run(group.around(["/bin/echo", "a b"]), capture_output=True, text=True)
        assert ran.stdout == "a b\n" and (group.folder / "cgroup.procs").read_text() == "0\n"


def test_without_a_group_the_command_stays_as_it_is(root: Path) -> None:
    for above in (None, root / "nowhere"):
        with cgroup.made(above, 100 * _MIB, 7) as group:
            assert group.around(["tool", "-x"]) == ["tool", "-x"] and not group.ran_out_of_memory


@pytest.fixture
def work() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="work-") as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "work"
        folder.mkdir()
        yield folder


def shell(script: str, work: Path, limits: ResourceLimits) -> process.Outcome:
    return process.run(["/bin/sh", "-c", script], Box(work), limits, "none")


@pytest.mark.optional
@needs_groups
def test_the_kernel_ends_what_takes_too_much_memory(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and without a sample."""
    monkeypatch.setattr(process, "_FIRST_SAMPLE", 100)
    limits = ResourceLimits(20, memory_bytes=100 * _MIB)
    outcome = shell("x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 10", work, limits)
    assert outcome.overfull and not outcome.timed_out
    assert not shell("x=$(head -c 30000000 /dev/zero | tr '\\0' x)", work, limits).overfull


@pytest.mark.optional
@needs_groups
def test_the_kernel_counts_the_processes_of_a_command_alone(work: Path) -> None:
    script = "for i in 1 2 3 4 5 6 7 8; do sleep 1 & done 2>&1; wait"
    assert "fork" in shell(script, work, ResourceLimits(20, processes=4)).stdout.lower()
    assert shell(script, work, ResourceLimits(20)).stdout == ""


@pytest.mark.optional
@needs_groups
def test_nothing_is_left_of_a_group(work: Path) -> None:
    begun = time.monotonic()
    assert shell("setsid sleep 100 >/dev/null 2>&1 & echo begun", work, ResourceLimits(20)).stdout
    assert time.monotonic() - begun < 5
    above = process._delegated_group()
    assert above is not None and not list(above.glob(f"warpgrade-{process.os.getpid()}-*"))
