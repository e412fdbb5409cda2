"""Run a command in the sandbox, within limits. The only module that starts processes.

The sandbox backend "bwrap" is bubblewrap (bubblewrap.py): new namespaces of every kind, an unprivileged user,
a clean environment, and only the folders of a Box. Inside, the working folder is /box and is writable, each
mount has the path that the caller chose, and the system's compiler and libraries have their usual paths. The
backends "landlock" and "seccomp" (confine.py) need no namespaces: paths of the box are replaced by the real
ones. The backend "none" runs the same command as a plain process. The limits are the same.
"""

from __future__ import annotations

import contextlib
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
from dataclasses import replace
from pathlib import Path
from typing import IO

from ..core.concurrency import profiling
from ..core.errors import GraderError, SandboxError, Stopped
from ..core.paths import Repository, checkout, need, typed
from . import bubblewrap, cgroup, confine
from .box import BOX, Box, Mount, boxed_paths, give_to, real_environment, real_paths
from .limits import Excess, ResourceLimits, exceeded, is_spilled, rlimits
from .outcome import Outcome
from .usage import ProcessTree, threads_of_user

__all__ = [
    "BOX",
    "KINDS",
    "Box",
    "Mount",
    "Outcome",
    "ResourceLimits",
    "Stopped",
    "boxed_paths",
    "need_launcher",
    "path_inside",
    "resume",
    "run",
    "run_trusted",
    "stop_all",
    "why_unavailable",
]  # fmt: skip

_MIB = 1 << 20
_MIN_FREE, _MIN_FREE_FILES = 16 * _MIB, 64  # free disk space and inodes required after a command
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
KINDS = ("bwrap", *confine.KINDS, "none")  # sandbox backends, the strongest first
_LAUNCHERS = ("bwrap: ", "confine: ", "setpriv: ", "prlimit: ", "cgroup: ")
_which = functools.cache(shutil.which)
_FIRST_SAMPLE, _LONGEST_PAUSE = 0.05, 0.5  # seconds between two samples of a running process tree
_SUPERVISOR_SECONDS = 10.0  # that killing a process tree may take


def run(
    command: Sequence[str], box: Box, limits: ResourceLimits, kind: str = "bwrap", called: str = ""
) -> Outcome:
    """Run `command`, whose paths are those of the box. `called`: its name in --timings.

    GraderError if no box can be made or the disk is full."""
    with profiling.lap(called or _called(command)):
        outcome = _run(command, box, limits, kind)
    if not outcome.spilled:
        _need_free_space(box.work)
    if _looks_unstarted(outcome):
        tried = _run(_is_program(command[0]), box, limits, kind)
        if tried.status == 0:
            return outcome  # the command printed it: a line mark in a source can name any file
        if not _looks_unstarted(tried):
            raise _no_program(Path(real_paths(command[0], box)), outcome)
    return _started(outcome)


def _run(command: Sequence[str], box: Box, limits: ResourceLimits, kind: str) -> Outcome:
    if kind == "none":
        return _run_plain(command, box, limits)
    if kind in confine.KINDS:
        return _run_confined(command, box, limits, kind)
    return _run_boxed(command, box, limits)


def _is_program(path: str) -> tuple[str, ...]:
    """A command that ends with 0 if commands can be started and `path` is an executable file."""
    return ("/bin/sh", "-c", 'test -x "$0"', path)


def _no_program(path: Path, outcome: Outcome) -> GraderError:
    is_ours = path.is_relative_to(checkout() / "build")
    return GraderError(
        f"could not be started: {outcome.stderr.splitlines()[0]}", file=path,
        remedy="type `make clean tools`" if is_ours else typed("doctor"),
    )  # fmt: skip


def path_inside(path: str, box: Box, kind: str) -> str:
    """A path of the box as a command in it must name it."""
    return path if kind == "bwrap" else real_paths(path, box)


def _need_free_space(work: Path) -> None:
    """GraderError if the disk is full: a missing output file would be held against a student."""
    there = os.statvfs(work)
    if there.f_bavail * there.f_frsize < _MIN_FREE or (there.f_files and there.f_favail < _MIN_FREE_FILES):
        raise GraderError("the disk is full", file=work, remedy="free some disk space there and grade again")


def _called(command: Sequence[str]) -> str:
    """The name of a command in --timings: "nvcc", "harness check"."""
    modes = [after for word, after in itertools.pairwise(command) if word == "--mode"]
    return " ".join([Path(command[0]).name, *modes])


def run_trusted(command: Sequence[str], environment: Mapping[str, str], limits: ResourceLimits) -> Outcome:
    """Run a tool that reads no submission, outside the sandbox but with the limits."""
    return _started(_execute([*_bounded(limits), *command], {"PATH": _PATH, **environment}, limits, None))


def run_attached(command: Sequence[str], environment: Mapping[str, str], silent: bool = False) -> int:
    """Run a program of the user's own on the user's terminal, without sandbox and limits.

    `silent`: it reads nothing, and what it prints is dropped.

    The exit code, or 128 more than the number of the signal that ended it.
    """
    try:
        no = subprocess.DEVNULL if silent else None
        status = subprocess.call(command, env=dict(environment), stdin=no, stdout=no, stderr=no)
    except OSError as error:
        raise GraderError(f"cannot start {command[0]}: {error.strerror}", remedy=typed("doctor")) from error
    return status if status >= 0 else 128 - status


def _looks_unstarted(outcome: Outcome) -> bool:
    return outcome.status != 0 and outcome.stderr.startswith(_LAUNCHERS)


def _started(outcome: Outcome) -> Outcome:
    if _looks_unstarted(outcome):
        raise SandboxError(
            f"a command could not be started: {outcome.stderr.splitlines()[0]}",
            remedy=f"{typed('doctor')}; --sandbox names another sandbox",
        )
    return outcome


def why_unavailable(kind: str) -> str | None:
    """Why the sandbox backend `kind` does not work here; None if it does."""
    if kind == "none":
        return None
    if kind == "bwrap" and _tool("bwrap") is None:
        return "bubblewrap is not installed (Debian's package is bubblewrap)"
    if kind == "seccomp" and os.geteuid() != 0:
        return "it needs root: only a user of its own keeps a command from files"
    limits = ResourceLimits(20)
    try:
        if kind == "bwrap":
            outcome = _run_boxed(["/bin/true"], Box(Path("/usr/lib")), limits, writes=False)
        else:
            words = confine.command(need_launcher(), Box(checkout() / "build"), kind, confine.another_user())
            outcome = _execute([*_bounded(limits), *words, "/bin/true"], {"PATH": _PATH}, limits, None)
    except GraderError as error:
        return "; ".join(filter(None, (str(error), error.remedy)))
    return None if outcome.status == 0 else (outcome.stderr.strip() or f"exit code {outcome.status}")


def _run_plain(command: Sequence[str], box: Box, limits: ResourceLimits) -> Outcome:
    real = [*_bounded(limits), *confine.real_command(command, box)]
    return _execute(real, real_environment(box), limits, box.work, written=box.work)


def _run_boxed(command: Sequence[str], box: Box, limits: ResourceLimits, writes: bool = True) -> Outcome:
    """`writes`: whether the command may write into the box, so that what lies there is counted."""
    user = confine.another_user()
    if user is not None and writes:
        give_to(user, box.work)
    others = 0 if user is not None else threads_of_user()
    end, start = os.pipe()
    try:
        with os.fdopen(start, "wb") as pipe:
            pipe.write(_filter(need_launcher()))
        boxed = [*_bounded(limits, others), *bubblewrap.command(box, _tools(), end, user), *command]
        written = box.work if writes else None
        return _execute(boxed, {"PATH": _PATH}, limits, None, inherited=(end,), written=written)
    finally:
        os.close(end)


@functools.cache
def _filter(launcher: Path) -> bytes:
    """The filter of system calls for bubblewrap; it fits into a pipe. GraderError if the launcher is damaged;
    it must be removed, because `make tools` does not rebuild a file that is newer than its sources.
    """
    try:
        found = subprocess.run([launcher, "--print-filter"], capture_output=True, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise GraderError("does not start", file=launcher, remedy="type `make clean tools`") from error
    if not found:
        raise GraderError("prints no filter", file=launcher, remedy="type `make clean tools`")
    return found


def _run_confined(command: Sequence[str], box: Box, limits: ResourceLimits, kind: str) -> Outcome:
    user = confine.another_user()
    if user is not None:
        give_to(user, box.work)
    others = 0 if user is not None else threads_of_user()
    before = [*_bounded(limits, others), *confine.command(need_launcher(), box, kind, user)]
    real = [*before, *confine.real_command(command, box)]
    return _execute(real, real_environment(box), limits, None, is_supervised=True, written=box.work)


# --- tools -------------------------------------------------------------------------------------


def _tool(name: str) -> str | None:
    unpacked = checkout() / ".deps" / "debian" / "usr" / "bin"
    return _which(name, path=f"{os.environ.get('PATH', os.defpath)}:{unpacked}:/usr/sbin:/usr/bin")


def _need_tool(name: str) -> str:
    found = _tool(name)
    if found is None:
        package = {"bwrap": "bubblewrap"}.get(name, "util-linux")
        raise GraderError(f"{name} is missing", remedy=f"sudo apt-get install {package}")
    return found


def _bounded(limits: ResourceLimits, others: int = 0) -> list[str]:
    return rlimits(_need_tool("prlimit"), limits, others)


def need_launcher() -> Path:
    """Our launcher, a part of every backend but `none`. GraderError if it is missing or damaged: a shell runs
    an empty file as a program that succeeds, so the command would silently not run.
    """
    launcher = need(Repository(checkout()).confine, "type `make tools`")
    _filter(launcher)
    return launcher


def _tools() -> bubblewrap.Tools:
    bwrap = _need_tool("bwrap")
    setpriv = _need_tool("setpriv") if os.geteuid() == 0 else None
    return bubblewrap.Tools(bwrap, setpriv, _no_more_namespaces(bwrap))


@functools.cache
def _no_more_namespaces(bwrap: str) -> bool:
    """Whether this bwrap has --disable-userns (since 0.8)."""
    outcome = _execute([bwrap, "--help"], {"PATH": _PATH}, ResourceLimits(20), None)
    return "--disable-userns" in outcome.stdout


# --- one process, watched ----------------------------------------------------------------------


_live: dict[subprocess.Popen[bytes], bool] = {}  # whether it is supervised, see _kill()
_stopping = threading.Event()


def resume() -> None:
    """Allow commands again after stop_all()."""
    _stopping.clear()


def stop_all() -> None:
    """Kill every running command. These and all later commands raise Stopped. For Ctrl-C."""
    _stopping.set()
    for process, is_supervised in list(_live.items()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM if is_supervised else signal.SIGKILL)


def _execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    limits: ResourceLimits,
    folder: Path | None,
    is_supervised: bool = False,
    inherited: tuple[int, ...] = (),
    written: Path | None = None,
) -> Outcome:
    """`folder`: its working directory; `inherited`: descriptors that it needs; `written`: the folder to which
    limits.disk_bytes applies."""
    if _stopping.is_set():
        raise Stopped
    with cgroup.made(_delegated_group(), limits.memory_bytes, limits.processes) as group:
        try:
            process = subprocess.Popen(
                group.around(command), env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, pass_fds=inherited,
            )  # fmt: skip
        except OSError as error:
            raise GraderError(
                f"cannot start {command[0]}: {error.strerror}", remedy=typed("doctor")
            ) from error
        _live[process] = is_supervised
        try:
            outcome = _watch(process, limits, written)
        finally:
            _kill(process)
            del _live[process]
        outcome = replace(outcome, overfull=outcome.overfull or group.ran_out_of_memory)
    if _stopping.is_set():
        raise Stopped
    return outcome


@functools.cache
def _delegated_group() -> Path | None:
    return cgroup.delegated(lambda words: subprocess.run(words, capture_output=True).returncode == 0)


def _watch(process: subprocess.Popen[bytes], limits: ResourceLimits, written: Path | None) -> Outcome:
    """Read both streams until the process has ended or exceeds a limit."""
    assert process.stdout is not None and process.stderr is not None
    tree, begun = ProcessTree(process.pid), time.monotonic()
    texts: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    end, pause = None, _FIRST_SAMPLE
    with selectors.DefaultSelector() as selector:
        for stream in texts:
            selector.register(stream, selectors.EVENT_READ)
        next_sample = begun + pause
        while end is None and not _is_done(process, selector, next_sample):
            _read(selector, texts, limits, next_sample)
            if not limits.drain and max(map(len, texts.values())) > limits.output_bytes:
                end = Excess.FLOOD
            elif time.monotonic() >= next_sample:
                end = exceeded(tree.sample(), time.monotonic() - begun, limits, written)
                pause = min(2 * pause, _LONGEST_PAUSE)
                next_sample = time.monotonic() + pause
    profiling.spent(tree.cpu_seconds())
    _kill(process)
    if end is Excess.STARVED:
        raise GraderError(
            f"the machine was too busy: {time.monotonic() - begun:.0f} seconds were not enough for what may "
            f"take {limits.seconds:g} seconds of processor time",
            remedy="grade again when less is running",
        )
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    out, err = (bytes(text[: limits.output_bytes]).decode("utf-8", "replace") for text in texts.values())
    timed_out = end is Excess.TIME or status == 128 + signal.SIGXCPU
    spilled = end is Excess.DISK or status == 128 + signal.SIGXFSZ or is_spilled(written, 0, limits)
    return Outcome(status, out, err, timed_out, end is Excess.FLOOD, end is Excess.MEMORY, spilled)


def _is_done(process: subprocess.Popen[bytes], selector: selectors.BaseSelector, until: float) -> bool:
    """Whether both streams are closed and the process has ended. Waits for it once the streams are closed."""
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
    """Read the available output, waiting for it up to `until`. Bytes over the limit are dropped."""
    if not selector.get_map():
        return
    for key, _ in selector.select(max(0.0, until - time.monotonic())):
        piece = os.read(key.fd, 65536)
        if not piece:
            selector.unregister(key.fileobj)
        stream = next(stream for stream in texts if stream is key.fileobj)
        texts[stream].extend(piece[: limits.output_bytes + 1 - len(texts[stream])])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group. The kernel ends bubblewrap's PID namespace with its first process.

    The supervisor in `confine` is asked first: it kills all descendants, whichever group they are in.
    """
    if process.returncode is None and _live.get(process):
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_SUPERVISOR_SECONDS)
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
