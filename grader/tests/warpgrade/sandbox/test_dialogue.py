"""Programs that answer messages through the file descriptors 3 and 4."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from warpgrade.sandbox.dialogue import Dialogue
from warpgrade.sandbox.usage import ProcessTree, Usage

ENVIRONMENT = {"PATH": os.environ["PATH"]}
ECHO = ("bash", "-c", "cat <&3 >&4")


def test_messages_go_there_and_come_back_one_by_one() -> None:
    long = b"x" * 3_000_000
    with Dialogue(ECHO, ENVIRONMENT) as echo:
        echo.send(b"first")
        assert echo.receive(10) == b"first"
        for message in (b"", b"a", b"b"):
            echo.send(message)
        assert [echo.receive(10) for _ in range(3)] == [b"", b"a", b"b"]
    with Dialogue(
        ("bash", "-c", "head -c 3000000 /dev/zero | tr '\\0' x >&4; printf '\\0' >&4"), ENVIRONMENT
    ) as one:
        assert one.receive(10) == long


def test_a_program_that_ends_or_says_nothing_is_noticed() -> None:
    with Dialogue(("true",), ENVIRONMENT) as ended, pytest.raises(EOFError):
        ended.receive(10)
    with Dialogue(ECHO, ENVIRONMENT) as silent, pytest.raises(TimeoutError):
        silent.receive(0.01)


@pytest.mark.parametrize("waits", [False, True], ids=["runs", "waits-for-a-core"])
def test_a_silent_program_that_works_is_waited_for(monkeypatch: pytest.MonkeyPatch, waits: bool) -> None:
    """Its time grows in three silences and no more in the fourth: that it is at work, or would be."""
    wanted = iter([1.0, 2.0, 3.0, 3.0, 9.0])

    def sample(_: ProcessTree) -> Usage:
        return Usage(waiting_seconds=next(wanted)) if waits else Usage(cpu_seconds=next(wanted))

    monkeypatch.setattr(ProcessTree, "sample", sample)
    with Dialogue(ECHO, ENVIRONMENT) as silent, pytest.raises(TimeoutError):
        silent.receive(0.01)
    assert next(wanted) == 9.0


def test_the_program_and_its_children_end_with_it() -> None:
    with Dialogue(("bash", "-c", "sleep 100 & echo $! >&4; printf '\\0' >&4; wait"), ENVIRONMENT) as parent:
        child = int(parent.receive(10))
    until = time.monotonic() + 10
    while is_alive(child):
        assert time.monotonic() < until


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
