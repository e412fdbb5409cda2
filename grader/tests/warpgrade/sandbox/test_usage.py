"""What is read of a tree of processes, on real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from warpgrade.sandbox.usage import ProcessTree, Usage

_MIB = 1 << 20


@contextmanager
def started(script: str) -> Iterator[ProcessTree]:
    process = subprocess.Popen(["/bin/sh", "-c", script], stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        yield ProcessTree(process.pid)
    finally:
        os.killpg(process.pid, 9)
        process.wait()


def seen(tree: ProcessTree, wanted: Callable[[Usage], bool]) -> bool:
    """Whether a sample satisfies `wanted` within a minute."""
    end = time.monotonic() + 60
    while not wanted(tree.sample()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_memory_of_all_descendants() -> None:
    # A shell replaces itself by its last command and frees its memory: so `sleep` must not be the last one.
    hog = "(x=$(head -c 30000000 /dev/zero | tr '\\0' x); sleep 1000; :) & "
    with started(f"{hog}{hog}sleep 1000") as tree:
        assert seen(tree, lambda usage: usage.memory_bytes > 40 * _MIB)


def test_shared_memory_counts_in_each_process_and_files_in_one() -> None:
    script = (
        "import mmap, os, time\n"
        "os.fork()\n"
        "memory = mmap.mmap(-1, 30 << 20)\n"
        "memory.write(bytes(30 << 20))\n"
        "time.sleep(1000)"
    )
    with started(f"{sys.executable} -c '{script}'") as tree:
        assert seen(tree, lambda usage: usage.memory_bytes > 60 * _MIB)


def test_files_without_a_name(tmp_path: Path) -> None:
    script = (
        "import os, time\n"
        'memory = os.memfd_create("m")\n'
        "os.write(memory, bytes(5 << 20))\n"
        f'disk = os.open("{tmp_path}", os.O_TMPFILE | os.O_RDWR)\n'
        "os.write(disk, bytes(7 << 20))\n"
        "os.fork()\n"
        "time.sleep(1000)"
    )
    with started(f"{sys.executable} -c '{script}'") as tree:
        assert seen(tree, lambda usage: 12 * _MIB <= usage.deleted_bytes < 24 * _MIB)


def test_processor_time_also_of_those_that_have_ended() -> None:
    busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
    with started(f"(({busy})); ({busy}); sleep 1000") as tree:
        assert seen(tree, lambda usage: usage.cpu_seconds > 0.05)
        before = tree.sample().cpu_seconds
        time.sleep(0.1)
        assert tree.sample().cpu_seconds >= before


def test_sleeping_costs_nothing() -> None:
    with started("sleep 1000") as tree:
        time.sleep(0.1)
        usage = tree.sample()
        assert usage.cpu_seconds < 0.09 and usage.memory_bytes < 20 * _MIB
        assert usage.waiting_seconds is not None


def test_a_process_that_is_gone_is_nothing() -> None:
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    assert ProcessTree(process.pid).sample() == Usage(0, 0.0, None)
