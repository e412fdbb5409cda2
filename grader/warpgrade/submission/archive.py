"""Read what a student handed in, of any shape, without following a link or writing a file by its name.

Folders and source files are read here. Archives are read by `archive_worker` in the sandbox, within limits of
time, memory and disk; with --sandbox=none the same program runs as a plain process with the same limits.
Nothing that the worker answers is trusted: names and sizes are checked again.
"""

from __future__ import annotations

import json
import shutil
import stat
import sysconfig
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..core.errors import GraderError, SubmissionError
from ..core.paths import here
from ..core.scratch import scratch_folder
from ..sandbox import process
from ..sandbox.process import Box, Mount, ResourceLimits
from . import archive_worker, members
from .collection import ARCHIVES, SUFFIXES, Collection, bad_path, bare, below, is_archive, plain, stem, why
from .members import BROKEN, Caps, Member, open_plain

__all__ = ["ARCHIVES", "SUFFIXES", "Contents", "bare", "is_archive", "read", "read_parts", "stem", "unpack"]

_MIB = 1 << 20
_CLASS_CAPS = Caps(directory_bytes=64 * _MIB)
_MOST_ANSWER_BYTES = 8 * _MIB  # its first line: names and notes
_LIMITS = ResourceLimits(seconds=60, memory_bytes=1 << 30, address_bytes=1 << 30, file_bytes=512 * _MIB)
_CLASS_LIMITS = replace(
    _LIMITS, seconds=1800, memory_bytes=2 << 30, address_bytes=2 << 30, disk_bytes=1 << 40
)  # staff's own archive
_PACKAGES = Path(__file__).parents[2]  # Python lists this folder to find the package in it


@dataclass(frozen=True)
class Contents:
    """Source files by their path in the submission, and what was left out."""

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()  # what the grader has no permission to read


def read(path: Path, sandbox: str = "bwrap", caps: Caps | None = None) -> Contents:
    """The source files in a folder, an archive, or a source file itself.

    SubmissionError where it is none of these, broken, locked, or over a cap.
    """
    found = _collection(sandbox, caps)
    _read_into(found, path, path.name, "", sandbox)
    return _contents(found)


def read_parts(parts: Sequence[tuple[str, Path]], sandbox: str = "bwrap") -> Contents:
    """One submission of several files, each with its name in the submission.

    The members of one part stand below a folder with the part's name, unless it is a source file.
    A part that cannot be read is noted; SubmissionError where that leaves nothing.
    """
    found = _collection(sandbox, None)
    if len(parts) == 1:
        name, path = parts[0]
        _read_into(found, path, name, "" if path.is_dir() else below("", name), sandbox)
        return _contents(found)
    refusals = []
    for name, path in parts:
        try:
            _read_into(found, path, name, below("", name), sandbox)
        except SubmissionError as error:
            refusals.append(f"left out {plain(name)}: {error.message}")
    if refusals and not found.files:
        raise SubmissionError("; ".join(refusals)[:500], remedy="hand in .cu files, or one .zip")
    found.notes += refusals
    return _contents(found)


def unpack(path: Path, target: Path, sandbox: str = "bwrap") -> tuple[str, ...]:
    """A whole class in one archive, as teachers download it: its regular files below `target`.

    Notes on what was left out. SubmissionError where it cannot be read or is over a cap.
    """
    with scratch_folder(here()) as work:
        request = {"what": "unpack", "name": path.name, "caps": asdict(_CLASS_CAPS)}
        answer, _ = _worker(work, path, request, sandbox, _CLASS_LIMITS)
        if "broken" in answer:
            raise SubmissionError(f"cannot be read: {plain(str(answer['broken']))}", file=path)
        if (work / archive_worker.CLASS).is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(work / archive_worker.CLASS, target)
        return tuple(map(_note, answer["notes"]))


def _collection(sandbox: str, caps: Caps | None) -> Collection:
    def open_archive(found: Collection, content: bytes, name: str, depth: int) -> None:
        _collect(found, content, name, below("", name), depth, sandbox)

    return Collection(caps or Caps(), open_archive)


def _contents(found: Collection) -> Contents:
    more = [f"and {len(found.notes) - 20} more notes"] if len(found.notes) > 20 else []
    return Contents(found.files, (*found.notes[:20], *more), tuple(found.closed))


def _read_into(found: Collection, path: Path, name: str, prefix: str, sandbox: str) -> None:
    mode = path.lstat().st_mode
    closed = members.why_closed(path) if stat.S_ISDIR(mode) or stat.S_ISREG(mode) else ""
    if closed:
        found.leave_out(name, closed)
        found.closed.append(plain(name))
        return
    if stat.S_ISDIR(mode):
        found.take(members.of_folder(path), prefix)
        return
    if not stat.S_ISREG(mode):
        raise SubmissionError(
            "is neither a folder nor a regular file", remedy="links and devices are never followed"
        )
    if name.lower().endswith(SUFFIXES):
        found.take(iter([Member(name, "", lambda: open_plain(path))]), "")
        return
    if not is_archive(name):
        kinds = ", ".join((*SUFFIXES, *ARCHIVES))
        raise SubmissionError("is no submission", remedy=f"hand in a folder or a file that ends in {kinds}")
    if path.stat().st_size > found.caps.archive_bytes:
        raise SubmissionError(f"is larger than {found.caps.archive_bytes // _MIB} MiB")
    try:
        _collect(found, path, name, prefix, 0, sandbox)
    except BROKEN as error:
        raise SubmissionError(
            f"cannot be read: {why(error)}", remedy="pack it again as .zip or .tar.gz"
        ) from None


# --- the worker --------------------------------------------------------------------------------


class _Broken(ValueError):
    """The archive cannot be read to its end; one of members.BROKEN."""


def _collect(
    found: Collection, source: Path | bytes, name: str, prefix: str, depth: int, sandbox: str
) -> None:
    """Add the source files of one archive to `found`. Raises _Broken after those that could be read."""
    request = {
        "what": "collect",
        "name": name,
        "prefix": prefix,
        "depth": depth,
        "caps": asdict(found.caps),
        "counts": found.counts(),
        "files": {file: len(content) for file, content in found.files.items()},
    }
    with scratch_folder(here()) as work:
        answer, contents = _worker(work, source, request, sandbox, _LIMITS)
    found.files |= contents
    found.notes += map(_note, answer["notes"])
    for count, value in answer.get("counts", {}).items():
        if count in found.counts() and isinstance(value, int):
            setattr(found, count, max(value, getattr(found, count)))
    total = sum(map(len, found.files.values()))
    if len(found.files) > found.caps.files or total > found.caps.source_bytes:
        raise GraderError("the archive's reader gave more files than it may")
    if "broken" in answer:
        raise _Broken(str(answer["broken"]))


def _note(note: object) -> str:
    """A note of the worker, without control characters."""
    return "".join(c for c in str(note) if c.isprintable())[:1000]


def _worker(
    work: Path, source: Path | bytes, request: dict[str, Any], sandbox: str, limits: ResourceLimits
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Run archive_worker on `source` in `work`: its answer and the files that it gathered."""
    if isinstance(source, bytes):
        (work / archive_worker.ARCHIVE).write_bytes(source)
    else:
        with open_plain(source) as stream, (work / archive_worker.ARCHIVE).open("wb") as copy:
            shutil.copyfileobj(stream, copy, _MIB)
    (work / archive_worker.REQUEST).write_text(json.dumps(request), encoding="utf-8")
    mounts = [Mount(_PACKAGES, "/course/packages")]
    base = Path(str(sysconfig.get_config_var("installed_base"))).resolve()
    if base != Path("/usr"):  # which is in every box
        mounts.append(Mount(base, str(base)))
    python = base / "bin" / f"python{sysconfig.get_python_version()}"
    box = Box(work, tuple(mounts), environment={"PYTHONPATH": "/course/packages"})
    command = (str(python), "-P", "-S", "-s", "-B", "-m", archive_worker.__name__)
    outcome = process.run(command, box, limits, sandbox, "read an archive")
    if outcome.timed_out:
        raise SubmissionError("takes too long to unpack", remedy="pack it again as .zip")
    if outcome.overfull:
        raise SubmissionError("needs too much memory to unpack", remedy="pack it again as .zip")
    if outcome.spilled:
        raise SubmissionError("needs too much disk to unpack", remedy="pack it again as .zip")
    if outcome.status != 0:
        words = outcome.stderr.strip().splitlines()[-1:] or [f"exit code {outcome.status}"]
        raise GraderError(f"the archive's reader failed: {words[0][:300]}")
    answer, contents = _answer(work / archive_worker.ANSWER)
    if "refused" in answer:
        message, remedy = answer["refused"]
        raise SubmissionError(str(message), remedy=str(remedy))
    return answer, contents


def _answer(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """GraderError where it is not what the worker writes."""
    contents: dict[str, bytes] = {}
    try:
        with open_plain(path) as stream:
            answer = json.loads(stream.readline(_MOST_ANSWER_BYTES))
            for name, size in answer["files"]:
                if bad_path(name) or size > Caps().source_bytes or len(contents) > Caps().files:
                    raise ValueError(f"a file called {plain(name)}")
                contents[name] = stream.read(size)
        answer["notes"] = list(answer["notes"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GraderError(f"the archive's reader gave no answer: {error}") from None
    return answer, contents
