"""Start a process in a box: the only module that starts processes.

A box is bubblewrap with a namespace of each kind, an unprivileged user, a clean environment and
only the folders that it is given (see walls.py). Inside, its own folder is /box (writable), each
mount stands where the caller says, and the system's compiler and libraries stand where they always
do. With kind "none" the same command runs without walls: the paths of the box are replaced by the
real ones, and limits and the killing of the whole process group stay.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import itertools
import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..core import profiling
from ..core.errors import GraderError, Stopped
from ..core.paths import typed
from . import bubblewrap
from .bubblewrap import BOX, KINDS, Box, Mount
from .usage import ProcessTree, Usage

__all__ = [
    "BOX",
    "KINDS",
    "Box",
    "Mount",
    "Outcome",
    "ResourceLimits",
    "Stopped",
    "resume",
    "run",
    "run_trusted",
    "stop_all",
    "why_unavailable",
]  # fmt: skip

_MIB = 1 << 20
_OPEN_FILES = 4096
_ROOM, _ROOM_FILES = 16 * _MIB, 64  # what must be free when a command has ended
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_COMPLAINERS = ("bwrap: ", "setpriv: ", "prlimit: ")
_FIRST_LOOK, _LONGEST_PAUSE = 0.05, 0.5  # seconds between two looks at a running tree
_MOST_PATIENCE = 30  # times the limit, whatever keeps the machine busy


@dataclass(frozen=True)
class ResourceLimits:
    """Bounds on one command and all that it starts.

    `seconds` is processor time, so that a busy machine takes nothing from anybody. A command that does
    nothing ends after `patience` times as long, not counting the time for which no core was free. One
    that never got its time is a fault of ours.
    """

    seconds: float
    memory_bytes: int | None = 4096 * _MIB  # resident, of all processes together
    address_bytes: int | None = 4096 * _MIB  # of each process; None: no bound (CUDA reserves much)
    file_bytes: int = 256 * _MIB
    processes: int = 512
    output_bytes: int = 1 * _MIB  # of each stream
    drain: bool = False  # more output than that is dropped, instead of ending the command
    patience: float = 3.0


@dataclass(frozen=True)
class Outcome:
    """How a command ended. `status` is its exit code, 128 + signal where a signal ended it."""

    status: int
    stdout: str
    stderr: str
    timed_out: bool = False
    flooded: bool = False  # ended because it wrote more than output_bytes
    overfull: bool = False  # ended because it took more than memory_bytes

    @property
    def signal(self) -> int | None:
        return self.status - 128 if 128 < self.status < 128 + 65 else None


def run(
    command: Sequence[str], box: Box, limits: ResourceLimits, kind: str = "bwrap", called: str = ""
) -> Outcome:
    """Run `command` (paths as seen in the box). `called`: for --timings, where its program does not tell.
    GraderError where no box can be made or the disk is full."""
    with profiling.lap(called or _called(command)):
        if kind == "none":
            outcome = _without_walls(command, box, limits)
        else:
            bubblewrap.open_to_nobody(box.work)
            boxed = [*_bounds(limits), *bubblewrap.command(box, _tools()), *command]
            outcome = _execute(boxed, {"PATH": _PATH}, limits, None)
    _need_room(box.work)
    return _started(outcome)


def _need_room(work: Path) -> None:
    """What a command could not write would be missing without a word, and be held against a student."""
    there = os.statvfs(work)
    if there.f_bavail * there.f_frsize < _ROOM or (there.f_files and there.f_favail < _ROOM_FILES):
        raise GraderError("the disk is full", file=work, remedy="make room there; grade again")


def _called(command: Sequence[str]) -> str:
    """A kind of work, for --timings: "nvcc", "harness check"."""
    modes = [after for word, after in itertools.pairwise(command) if word == "--mode"]
    return " ".join([Path(command[0]).name, *modes])


def run_trusted(command: Sequence[str], environment: Mapping[str, str], limits: ResourceLimits) -> Outcome:
    """Run a tool of ours that touches no submission, without walls but with the limits."""
    return _started(_execute([*_bounds(limits), *command], {"PATH": _PATH, **environment}, limits, None))


def _started(outcome: Outcome) -> Outcome:
    if outcome.status != 0 and outcome.stderr.startswith(_COMPLAINERS):
        raise GraderError(
            f"a command could not be started: {outcome.stderr.splitlines()[0]}",
            remedy=f"{typed('doctor')}; without bubblewrap, --sandbox=none runs without walls",
        )
    return outcome


def why_unavailable(kind: str) -> str | None:
    """Why boxes of that kind cannot be made here; None if they can."""
    if kind == "none":
        return None
    if _tool("bwrap") is None:
        return "bubblewrap is not installed (Debian's package is bubblewrap)"
    try:
        boxed = [
            *_bounds(ResourceLimits(20)),
            *bubblewrap.command(Box(Path("/usr/lib")), _tools()),
            "/bin/true",
        ]
        outcome = _execute(boxed, {}, ResourceLimits(20), None)
    except GraderError as error:
        return str(error)
    return None if outcome.status == 0 else (outcome.stderr.strip() or f"exit code {outcome.status}")


def _without_walls(command: Sequence[str], box: Box, limits: ResourceLimits) -> Outcome:
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": str(box.work)}
    environment |= {name: bubblewrap.real_paths(value, box) for name, value in box.environment.items()}
    real = [bubblewrap.real_paths(word, box) for word in command]
    return _execute([*_bounds(limits), *real], environment, limits, box.work)


# --- tools and rlimits -------------------------------------------------------------------------


def _tool(name: str) -> str | None:
    unpacked = Path(__file__).resolve().parents[3] / ".deps" / "debian" / "usr" / "bin"
    return shutil.which(name) or shutil.which(name, path=f"{unpacked}:/usr/sbin:/usr/bin")


def _need_tool(name: str) -> str:
    found = _tool(name)
    if found is None:
        package = {"bwrap": "bubblewrap"}.get(name, "util-linux")
        raise GraderError(f"{name} is missing", remedy=f"sudo apt-get install {package}")
    return found


def _tools() -> bubblewrap.Tools:
    bwrap = _need_tool("bwrap")
    setpriv = _need_tool("setpriv") if os.geteuid() == 0 else None
    return bubblewrap.Tools(bwrap, setpriv, _no_more_namespaces(bwrap))


@functools.cache
def _no_more_namespaces(bwrap: str) -> bool:
    """bwrap can forbid them since 0.8."""
    outcome = _execute([bwrap, "--help"], {"PATH": _PATH}, ResourceLimits(20), None)
    return "--disable-userns" in outcome.stdout


def _bounds(limits: ResourceLimits) -> list[str]:
    """rlimits: the kernel's own, of each process, where what watches the whole tree might be late."""
    bounds = [
        _need_tool("prlimit"),
        "--core=0",
        f"--fsize={limits.file_bytes}",
        f"--nproc={limits.processes}",
        f"--nofile={_OPEN_FILES}",
        f"--cpu={int(limits.seconds) + 2}:{int(limits.seconds) + 7}",  # SIGXCPU, then SIGKILL
    ]
    if limits.address_bytes is not None:
        bounds.append(f"--as={limits.address_bytes}")
    return [*bounds, "--"]


# --- one process, watched ----------------------------------------------------------------------


_live: set[subprocess.Popen[bytes]] = set()
_stopping = threading.Event()


def resume() -> None:
    """Let commands be started again after stop_all()."""
    _stopping.clear()


def stop_all() -> None:
    """End every running command; they and all later ones raise Stopped. For Ctrl-C."""
    _stopping.set()
    for process in list(_live):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _execute(
    command: Sequence[str], environment: Mapping[str, str], limits: ResourceLimits, folder: Path | None
) -> Outcome:
    if _stopping.is_set():
        raise Stopped
    try:
        process = subprocess.Popen(
            command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise GraderError(f"cannot start {command[0]}: {error.strerror}", remedy=typed("doctor")) from error
    _live.add(process)
    try:
        outcome = _watch(process, limits)
    finally:
        _kill(process)
        _live.discard(process)
    if _stopping.is_set():
        raise Stopped
    return outcome


class _EndReason(enum.Enum):
    """Why a command was ended."""

    TIME = enum.auto()
    MEMORY = enum.auto()
    FLOOD = enum.auto()
    STARVED = enum.auto()


def _watch(process: subprocess.Popen[bytes], limits: ResourceLimits) -> Outcome:
    """Read both streams until they end and the process has, or until it is over a limit."""
    assert process.stdout is not None and process.stderr is not None
    tree, begun = ProcessTree(process.pid), time.monotonic()
    texts: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    end, pause = None, _FIRST_LOOK
    with selectors.DefaultSelector() as selector:
        for stream in texts:
            selector.register(stream, selectors.EVENT_READ)
        next_look = begun + pause
        while end is None and not _is_done(process, selector, next_look):
            _read(selector, texts, limits, next_look)
            if not limits.drain and max(map(len, texts.values())) > limits.output_bytes:
                end = _EndReason.FLOOD
            elif time.monotonic() >= next_look:
                end = _over(tree.look(), time.monotonic() - begun, limits)
                pause = min(2 * pause, _LONGEST_PAUSE)
                next_look = time.monotonic() + pause
    profiling.spent(tree.look().cpu_seconds)
    _kill(process)
    if end is _EndReason.STARVED:
        raise GraderError(
            f"the machine was too busy: {time.monotonic() - begun:.0f} seconds were not enough for what may "
            f"take {limits.seconds:g} seconds of processor time",
            remedy="grade again when less is running",
        )
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    out, err = (bytes(text[: limits.output_bytes]).decode("utf-8", "replace") for text in texts.values())
    timed_out = end is _EndReason.TIME or status == 128 + signal.SIGXCPU
    return Outcome(status, out, err, timed_out, end is _EndReason.FLOOD, end is _EndReason.MEMORY)


def _is_done(process: subprocess.Popen[bytes], selector: selectors.BaseSelector, until: float) -> bool:
    """Whether both streams and the process have ended; waits for the latter when nobody writes any more."""
    if selector.get_map():
        return False
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, until - time.monotonic()))
    return process.returncode is not None


def _read(
    selector: selectors.BaseSelector,
    texts: Mapping[IO[bytes], bytearray],
    limits: ResourceLimits,
    until: float,
) -> None:
    """What has been written, waiting for it until then; what is too much is dropped."""
    if not selector.get_map():
        return
    for key, _ in selector.select(max(0.0, until - time.monotonic())):
        piece = os.read(key.fd, 65536)
        if not piece:
            selector.unregister(key.fileobj)
        stream = next(stream for stream in texts if stream is key.fileobj)
        texts[stream].extend(piece[: limits.output_bytes + 1 - len(texts[stream])])


def _over(usage: Usage, wall: float, limits: ResourceLimits) -> _EndReason | None:
    if limits.memory_bytes is not None and usage.memory_bytes > limits.memory_bytes:
        return _EndReason.MEMORY
    idle = (
        usage.waiting_seconds is not None and wall - usage.waiting_seconds >= limits.patience * limits.seconds
    )
    if usage.cpu_seconds >= limits.seconds or idle:
        return _EndReason.TIME
    return _EndReason.STARVED if wall >= _MOST_PATIENCE * limits.seconds else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the whole group; the kernel ends the box's PID namespace with its first process."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
