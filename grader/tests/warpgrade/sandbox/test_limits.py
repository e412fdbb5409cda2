"""What a command may take: time, memory, disk, output."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.sandboxed import command_lines, each_kind, shell
from warpgrade.core.errors import GraderError, Stopped
from warpgrade.sandbox import process
from warpgrade.sandbox.limits import rlimits
from warpgrade.sandbox.process import ResourceLimits
from warpgrade.sandbox.usage import ProcessTree, Usage, threads_of_user


def test_without_root_the_users_other_processes_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """RLIMIT_NPROC limits a user: a desktop session would leave a command no process of its own."""
    assert threads_of_user() >= threading.active_count()
    bounds = rlimits("prlimit", ResourceLimits(1, processes=100), others=700)
    assert "--nproc=800" in bounds


@each_kind
def test_the_whole_tree_ends_with_the_time(work: Path, kind: str) -> None:
    begun = time.monotonic()
    mark = f"5{os.getpid()}"  # an argument that no other process has
    outcome = shell(f"sleep {mark} & sleep {mark}", work, ResourceLimits(seconds=0.5), kind)
    assert outcome.timed_out and time.monotonic() - begun < 10
    for _ in range(100):  # the signal is sent; the last process may still be on its way out
        left = [line for line in command_lines() if mark in line]
        if not left:
            break
        time.sleep(0.05)
    assert not left


@each_kind
def test_what_works_for_too_long(work: Path, kind: str) -> None:
    """By processor time, of which many processes share the limit."""
    busy = "while :; do :; done & " * 3 + "wait"
    outcome = shell(busy, work, ResourceLimits(seconds=1, patience=1000), kind)
    assert outcome.timed_out


@each_kind
def test_waiting_for_a_core_is_not_held_against_anybody(
    work: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that had no core all the time continues, until it is clear that it never gets one."""
    starved = Usage(cpu_seconds=0.01, waiting_seconds=1e6)
    monkeypatch.setattr(ProcessTree, "sample", lambda tree: starved)
    assert shell("sleep 1", work, ResourceLimits(seconds=0.4, patience=1), kind).status == 0
    with pytest.raises(GraderError, match="too busy"):
        shell("sleep 100", work, ResourceLimits(seconds=0.1, patience=1), kind)


@each_kind
def test_memory_is_limited_for_all_processes_together(work: Path, kind: str) -> None:
    """Each stays below the limit of one process, all together do not."""
    hog = "(x=$(head -c 30000000 /dev/zero | tr '\\0' x); sleep 100; :) & "
    limits = ResourceLimits(seconds=20, memory_bytes=100 << 20, address_bytes=200 << 20)
    outcome = shell(f"{hog * 6} wait", work, limits, kind)
    assert outcome.overfull and not outcome.timed_out
    assert shell("x=$(head -c 30000000 /dev/zero | tr '\\0' x)", work, limits, kind).status == 0


@each_kind
@pytest.mark.skipif(os.geteuid() != 0, reason="without root all boxes have one user")
def test_a_full_box_leaves_other_boxes_their_processes(work: Path, kind: str) -> None:
    """RLIMIT_NPROC counts those of a user."""
    limits = ResourceLimits(seconds=20, processes=40)
    full = "n=0; while [ $n -lt 35 ]; do n=$((n+1)); sleep 20 & done; : > full; wait"
    (other := work.with_name("other")).mkdir()

    def fill() -> None:
        with contextlib.suppress(Stopped):
            shell(full, work, limits, kind)

    box = threading.Thread(target=fill)
    box.start()
    try:
        while box.is_alive() and not (work / "full").exists():
            time.sleep(0.05)
        assert box.is_alive(), "it ended before it was full"
        outcome = shell("(sleep 0 & sleep 0 & wait) && echo well", other, limits, kind)
    finally:
        process.stop_all()
        box.join()
        process.resume()
    assert outcome.stdout == "well\n", outcome.stderr


@each_kind
@pytest.mark.parametrize(
    "script",
    [
        "n=0; while :; do n=$((n+1)); head -c 90000 /dev/zero > file$n; done",
        "mkdir a; cd a; while :; do mkdir aaaaaaaaaa; cd aaaaaaaaaa; head -c 50000 /dev/zero > file; done",
        "n=0; while :; do n=$((n+1)); : > file$n; done",
        'for n in 3 4 5 6 7 8 9; do eval "exec $n> file$n"; rm file$n; eval "head -c 90000 /dev/zero >&$n"; '
        "done; sleep 1000",
    ],
    ids=["many files", "deep folders", "empty files", "files without a name"],
)
def test_the_disk_is_limited_for_all_files_together(work: Path, kind: str, script: str) -> None:
    """Each is smaller than a file may be, all together take too much."""
    limits = ResourceLimits(seconds=20, file_bytes=100_000, disk_bytes=500_000)
    outcome = shell(script, work, limits, kind)
    assert outcome.spilled and not outcome.timed_out
    assert sum(path.stat().st_size for path in work.iterdir()) < 64 << 20


@each_kind
def test_files_that_are_left_count_however_quick_the_command_is(work: Path, kind: str) -> None:
    limits = ResourceLimits(seconds=20, disk_bytes=500_000)
    assert shell("head -c 600000 /dev/zero > file", work, limits, kind).spilled


@each_kind
def test_a_full_disk_is_not_ours_where_the_command_filled_it(
    work: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = SimpleNamespace(f_bavail=0, f_frsize=4096, f_files=0, f_favail=0)
    limits = ResourceLimits(seconds=20, disk_bytes=500_000)
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    assert shell("head -c 600000 /dev/zero > file", work, limits, kind).spilled


@each_kind
def test_too_much_output(work: Path, kind: str) -> None:
    flood = "while :; do echo 0123456789012345678901234567890123456789; done"
    outcome = shell(flood, work, ResourceLimits(seconds=20, output_bytes=10_000), kind)
    assert outcome.flooded and not outcome.timed_out and len(outcome.stdout) == 10_000
    drained = shell(
        "head -c 100000 /dev/zero; exit 3", work, ResourceLimits(20, output_bytes=100, drain=True), kind
    )
    assert drained.status == 3 and len(drained.stdout) == 100 and not drained.flooded


@each_kind
def test_file_size_is_limited(work: Path, kind: str) -> None:
    shell("head -c 1000000 /dev/zero > big", work, ResourceLimits(20, file_bytes=100_000), kind)
    assert (work / "big").stat().st_size <= 100_000


@each_kind
def test_a_file_that_is_too_large_is_said(work: Path, kind: str) -> None:
    assert shell(
        "exec head -c 1000000 /dev/zero > big", work, ResourceLimits(20, file_bytes=100_000), kind
    ).spilled
