"""A trusted program that answers messages until it is closed.

It reads messages from its file descriptor 3 and writes them to 4; each ends with a zero byte. Chromium's
`--remote-debugging-pipe` is such a program.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from .usage import ProcessTree

_CHUNK = 1 << 20  # bytes
_BUSY = 0.1  # share of the time that a working program uses or waits for a processor; an idle browser: 0.02
# The shell gives both pipes the numbers that the program expects. Here they are at least _ABOVE, since 3 is
# replaced before 4 is made.
_ABOVE = 10
_RENUMBER = 'exec "$@" 3<&{reads} 4>&{writes}'


class Dialogue:
    """The program, started when this is made, and killed with its children at the end of the `with`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        low_reads, self._to = os.pipe()
        self._from, low_writes = os.pipe()
        reads, writes = _raised(low_reads), _raised(low_writes)
        shell = ["/bin/bash", "-c", _RENUMBER.format(reads=reads, writes=writes), "bash", *command]
        try:
            self._process = subprocess.Popen(
                shell, env=dict(environment), pass_fds=(reads, writes), start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        finally:
            os.close(reads)
            os.close(writes)
        self._read = b""
        self._tree = ProcessTree(self._process.pid)
        self._wanted = 0.0

    def __enter__(self) -> Dialogue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def send(self, message: bytes) -> None:
        """BrokenPipeError if the program has ended."""
        rest = message + b"\0"
        while rest:
            rest = rest[os.write(self._to, rest) :]

    def receive(self, seconds: float) -> bytes:
        """The next message. EOFError if the program ended, TimeoutError if it neither answered nor used the
        processor for that long: a slow machine may need more time.
        """
        until = time.monotonic() + seconds
        parts = [self._read]
        while b"\0" not in parts[-1]:
            if not select.select([self._from], [], [], max(0.0, until - time.monotonic()))[0]:
                if not self._works(seconds):
                    raise TimeoutError
                until = time.monotonic() + seconds
                continue
            parts.append(os.read(self._from, _CHUNK))
            if not parts[-1]:
                raise EOFError
        message, _, self._read = b"".join(parts).partition(b"\0")
        return message

    def _works(self, seconds: float) -> bool:
        """Whether it or its children ran or waited for a core in the last `seconds`. In the first call, since
        the start.
        """
        usage = self._tree.sample()
        before, self._wanted = self._wanted, usage.cpu_seconds + (usage.waiting_seconds or 0.0)
        return self._wanted - before > _BUSY * seconds


def _raised(descriptor: int) -> int:
    """A duplicate of the descriptor with a number of at least _ABOVE. The original is closed."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
    finally:
        os.close(descriptor)
