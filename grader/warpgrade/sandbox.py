"""Start a process in a box: the only module that starts processes.

A box is bubblewrap with a namespace of each kind, an unprivileged user, a clean environment and
only the folders that it is given. Inside, its own folder is /box (writable), each mount stands
where the caller says, and the system's compiler and libraries stand where they always do.
With kind "none" the same command runs without walls: the paths of the box are replaced by the
real ones, and limits and the killing of the whole process group stay.
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
from dataclasses import dataclass, field
from pathlib import Path

from . import stopwatch
from .errors import GraderError

KINDS = ("bwrap", "none")
BOX = "/box"
_NOBODY = "65534"
_MIB = 1 << 20
_OPEN_FILES = 4096
_DOOR = "/mnt"  # where root shows folders to a user who may not pass the folders above them
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_COMPLAINERS = ("bwrap: ", "setpriv: ", "prlimit: ")
# What a compiler and a dynamic loader need from the system, and nothing of people's.
_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/include")
_SYSTEM_LINKS = ("bin", "lib", "lib64", "sbin")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")


@dataclass(frozen=True)
class Limits:
    """Bounds on one command. `memory_bytes` None: no bound (CUDA reserves address space)."""

    seconds: float
    memory_bytes: int | None = 4096 * _MIB
    file_bytes: int = 256 * _MIB
    processes: int = 512
    output_bytes: int = 1 * _MIB  # of each stream
    drain: bool = False  # more output than that is dropped, instead of ending the command


@dataclass(frozen=True)
class Mount:
    """A folder or file that is visible in the box, read-only."""

    source: Path
    at: str


@dataclass(frozen=True)
class Box:
    work: Path
    mounts: tuple[Mount, ...] = ()
    devices: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """How a command ended. `status` is its exit code, 128 + signal where a signal ended it."""

    status: int
    stdout: str
    stderr: str
    timed_out: bool = False
    flooded: bool = False  # ended because it wrote more than output_bytes

    @property
    def signal(self) -> int | None:
        return self.status - 128 if 128 < self.status < 128 + 65 else None


def run(command: Sequence[str], box: Box, limits: Limits, kind: str = "bwrap") -> Outcome:
    """Run `command` (paths as seen in the box). GraderError where no box can be made."""
    with stopwatch.lap(_called(command)):
        if kind == "none":
            return _started(_without_walls(command, box, limits))
        _open_to_nobody(box.work)
        return _started(_execute([*_bounds(limits), *_walls(box), *command], {"PATH": _PATH}, limits, None))


def _called(command: Sequence[str]) -> str:
    """A kind of work, for --timings: "nvcc", "harness check"."""
    modes = [after for word, after in itertools.pairwise(command) if word == "--mode"]
    return " ".join([Path(command[0]).name, *modes])


def run_own(command: Sequence[str], environment: Mapping[str, str], limits: Limits) -> Outcome:
    """Run a tool of ours that touches no submission, without walls but with the limits."""
    return _started(_execute([*_bounds(limits), *command], {"PATH": _PATH, **environment}, limits, None))


def _started(outcome: Outcome) -> Outcome:
    if outcome.status != 0 and outcome.stderr.startswith(_COMPLAINERS):
        raise GraderError(
            f"a command could not be started: {outcome.stderr.splitlines()[0]}",
            remedy="type `warpgrade doctor`; without bubblewrap, --sandbox=none runs without walls",
        )
    return outcome


def trouble(kind: str) -> str | None:
    """Why boxes of that kind cannot be made here; None if they can."""
    if kind == "none":
        return None
    if _tool("bwrap") is None:
        return "bubblewrap is not installed (Debian's package is bubblewrap)"
    try:
        outcome = _execute(
            [*_bounds(Limits(20)), *_walls(Box(Path("/usr/lib"))), "/bin/true"], {}, Limits(20), None
        )
    except GraderError as error:
        return str(error)
    return None if outcome.status == 0 else (outcome.stderr.strip() or f"exit code {outcome.status}")


# --- the walls ---------------------------------------------------------------------------------


def _tool(name: str) -> str | None:
    unpacked = Path(__file__).resolve().parents[2] / ".deps" / "debian" / "usr" / "bin"
    return shutil.which(name) or shutil.which(name, path=f"{unpacked}:/usr/sbin:/usr/bin")


def _need_tool(name: str) -> str:
    found = _tool(name)
    if found is None:
        package = {"bwrap": "bubblewrap"}.get(name, "util-linux")
        raise GraderError(f"{name} is missing", remedy=f"sudo apt-get install {package}")
    return found


def _bounds(limits: Limits) -> list[str]:
    """rlimits; CPU time is bounded by the cores a process may keep busy for the wall time."""
    bounds = [
        _need_tool("prlimit"),
        "--core=0",
        f"--fsize={limits.file_bytes}",
        f"--nproc={limits.processes}",
        f"--nofile={_OPEN_FILES}",
    ]
    cpu = int(limits.seconds * (os.cpu_count() or 1)) + 1
    bounds.append(f"--cpu={cpu}")
    if limits.memory_bytes is not None:
        bounds.append(f"--as={limits.memory_bytes}")
    return [*bounds, "--"]


def _walls(box: Box) -> list[str]:
    bwrap = _need_tool("bwrap")
    mounts = [Mount(mount.source.resolve(), mount.at) for mount in box.mounts]
    work = box.work.resolve()
    command: list[str] = []
    if os.geteuid() == 0:
        for mount in mounts:
            _need_readable(mount.source)
        if not all(_nobody_reaches(path) for path in [work, *(mount.source for mount in mounts)]):
            # bwrap as an unprivileged user cannot pass a closed folder (/root) on the way to a
            # mount's source; root shows it the sources below a folder of its own first.
            command, work, mounts = _door(bwrap, work, mounts)
        command += [_need_tool("setpriv"), f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
        command += ["--no-new-privs"]
    command += [
        bwrap,
        "--unshare-all",
        "--hostname",
        "box",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--clearenv",
        *_no_more_namespaces(bwrap),
    ]
    command += _system()
    for mount in mounts:
        command += ["--ro-bind", str(mount.source), mount.at]
    for device in box.devices:
        command += ["--dev-bind", str(device), str(device)]
    if box.devices:
        command += ["--ro-bind", "/sys", "/sys"]
    for name, value in {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **box.environment}.items():
        command += ["--setenv", name, value]
    return [*command, "--bind", str(work), BOX, "--chdir", BOX, *_closed(box), "--"]


def _closed(box: Box) -> list[str]:
    """What bwrap made for the mounts lies in memory that no limit counts: it stays as it is."""
    shared_memory = [] if box.devices else ["--remount-ro", "/dev"]  # CUDA may want /dev/shm
    return [*shared_memory, "--remount-ro", "/"]


@functools.cache
def _no_more_namespaces(bwrap: str) -> tuple[str, ...]:
    """A namespace of one's own is where most holes in kernels were found; bwrap forbids it since 0.8."""
    outcome = _execute([bwrap, "--help"], {"PATH": _PATH}, Limits(20), None)
    return ("--unshare-user", "--disable-userns") if "--disable-userns" in outcome.stdout else ()


def _door(bwrap: str, work: Path, mounts: list[Mount]) -> tuple[list[str], Path, list[Mount]]:
    command = [bwrap, "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", _DOOR]
    command += ["--bind", str(work), f"{_DOOR}/work"]
    shown = []
    for index, mount in enumerate(mounts):
        source = Path(f"{_DOOR}/{index}")
        command += ["--ro-bind", str(mount.source), str(source)]
        shown.append(Mount(source, mount.at))
    return [*command, "--"], Path(f"{_DOOR}/work"), shown


def _system() -> list[str]:
    command: list[str] = []
    for path in (*_SYSTEM, *_SYSTEM_FILES):
        command += ["--ro-bind-try", path, path]
    for name in _SYSTEM_LINKS:
        folder = Path("/") / name
        if folder.is_symlink():
            command += ["--symlink", str(folder.readlink()), f"/{name}"]
        elif folder.exists():
            command += ["--ro-bind", str(folder), f"/{name}"]
    return [*command, "--proc", "/proc", "--dev", "/dev", "--size", str(512 * _MIB), "--tmpfs", "/tmp"]


def _nobody_reaches(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o001 for parent in path.parents)


@functools.cache
def _need_readable(path: Path) -> None:
    """The box's user is nobody's friend: what it is shown must be readable for all."""
    for each in [path, *(path.iterdir() if path.is_dir() else ())]:
        mode = each.stat().st_mode
        if not mode & 0o004 or (each.is_dir() and not mode & 0o001):
            raise GraderError(
                "is not readable for the unprivileged user inside the sandbox",
                file=each,
                remedy=f"chmod -R a+rX {path}",
            )


def _open_to_nobody(work: Path) -> None:
    """The box's user must be able to read and write its folder, whoever that is."""
    for path in [work, *work.rglob("*")]:
        if os.geteuid() == 0 and not path.is_symlink():
            os.chown(path, int(_NOBODY), int(_NOBODY))


# --- without walls -----------------------------------------------------------------------------


def _without_walls(command: Sequence[str], box: Box, limits: Limits) -> Outcome:
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": str(box.work)}
    environment |= {name: _real_paths(value, box) for name, value in box.environment.items()}
    real = [_real_paths(word, box) for word in command]
    return _execute([*_bounds(limits), *real], environment, limits, box.work)


def _real_paths(value: str, box: Box) -> str:
    """A colon-separated list of paths of the box as the paths behind them."""
    places = [*((mount.at, mount.source) for mount in box.mounts), (BOX, box.work)]

    def real(part: str) -> str:
        for at, source in places:
            if part == at or part.startswith(at + "/"):
                return str(source.resolve()) + part[len(at) :]
        return part

    return ":".join(real(part) for part in value.split(":"))


# --- one process, watched ----------------------------------------------------------------------


class Stopped(Exception):
    """stop_all() was called while a command ran, or before it could start."""


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
    command: Sequence[str], environment: Mapping[str, str], limits: Limits, folder: Path | None
) -> Outcome:
    if _stopping.is_set():
        raise Stopped
    try:
        process = subprocess.Popen(
            command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise GraderError(
            f"cannot start {command[0]}: {error.strerror}", remedy="type `warpgrade doctor`"
        ) from error
    _live.add(process)
    try:
        outcome = _watch(process, limits)
    finally:
        _kill(process)
        _live.discard(process)
    if _stopping.is_set():
        raise Stopped
    return outcome


def _watch(process: subprocess.Popen[bytes], limits: Limits) -> Outcome:
    """Read both streams until they end, the time is over, or there is too much of them."""
    deadline = time.monotonic() + limits.seconds
    assert process.stdout is not None and process.stderr is not None
    texts = {process.stdout: bytearray(), process.stderr: bytearray()}
    timed_out = flooded = False
    with selectors.DefaultSelector() as selector:
        for stream in texts:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map() and not (timed_out or flooded):
            for key, _ in selector.select(max(0.0, deadline - time.monotonic())):
                stream = process.stdout if key.fileobj is process.stdout else process.stderr
                piece = os.read(key.fd, 65536)
                if not piece:
                    selector.unregister(stream)
                texts[stream] += piece[: limits.output_bytes + 1 - len(texts[stream])]
            timed_out = time.monotonic() >= deadline
            flooded = not limits.drain and max(map(len, texts.values())) > limits.output_bytes
    if not (timed_out or flooded):
        timed_out = not _ends_by(process, deadline)
    _kill(process)
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    out, err = (bytes(text[: limits.output_bytes]).decode("utf-8", "replace") for text in texts.values())
    return Outcome(status, out, err, timed_out, flooded)


def _ends_by(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the whole group; the kernel ends the box's PID namespace with its first process."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
