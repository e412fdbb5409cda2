"""Read what a student handed in, of any shape, without writing or following anything.

Archives inside archives or folders are read too, to a small depth; what is in them stands below
a folder with the archive's name.

Nothing is unpacked: members are read into memory, so a name can do no harm, and only regular
files with a source file's suffix count. Counts, bytes and the unpacked size are capped while
reading, so that a bomb ends when it has grown to the cap.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ..core.errors import SubmissionError
from . import members
from .members import BROKEN, MOST_MEMBERS, MOST_UNPACKED_BYTES, Member, open_plain

SUFFIXES = (".cu", ".cuh", ".h")
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_MIB = 1 << 20
MOST_FILES = 200  # source files among them
MOST_FILE_BYTES = 1 * _MIB
MOST_SOURCE_BYTES = 8 * _MIB
MOST_ARCHIVE_BYTES = 64 * _MIB
MOST_CLASS_MEMBERS = 200_000
MOST_CLASS_DIRECTORY_BYTES = 64 * _MIB
MOST_CLASS_BYTES = 4096 * _MIB
MOST_DEPTH = 3  # archives in archives
_MISNAMED = (".cu.txt", ".cuh.txt", ".cu.bak", ".cpp", ".cxx", ".cc", ".c", ".ipynb")
_UNREADABLE = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst", ".lz4")


@dataclass(frozen=True)
class Contents:
    """Source files by their path in the submission, and what was left out."""

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def stem(name: str) -> str:
    """Without the ending of an archive or a source file."""
    for suffix in sorted((*ARCHIVES, *SUFFIXES), key=len, reverse=True):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def read(path: Path) -> Contents:
    """The source files in a folder, an archive, or a source file itself.

    SubmissionError where it is none of these, broken, locked, or over a cap.
    """
    found = _Collection()
    _read_into(found, path, path.name, "")
    return found.contents()


def read_parts(parts: Sequence[tuple[str, Path]]) -> Contents:
    """One submission of several files, each with its name in the submission.

    What one part holds stands below a folder with the part's name, unless it is a source file.
    A part that cannot be read is noted; SubmissionError where that leaves nothing.
    """
    if len(parts) == 1:
        name, path = parts[0]
        found = _Collection()
        _read_into(found, path, name, "" if path.is_dir() else _below("", name))
        return found.contents()
    found = _Collection()
    refusals = []
    for name, path in parts:
        try:
            _read_into(found, path, name, _below("", name))
        except SubmissionError as error:
            refusals.append(f"left out {_plain(name)}: {error.message}")
    if refusals and not found.files:
        raise SubmissionError("; ".join(refusals)[:500], remedy="hand in .cu files, or one .zip")
    found.notes += refusals
    return found.contents()


def _read_into(found: _Collection, path: Path, name: str, prefix: str) -> None:
    mode = path.lstat().st_mode
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
    if path.stat().st_size > MOST_ARCHIVE_BYTES:
        raise SubmissionError(f"is larger than {MOST_ARCHIVE_BYTES // _MIB} MiB")
    try:
        found.take(members.of_archive(name, lambda: open_plain(path)), prefix)
    except BROKEN as error:
        raise SubmissionError(
            f"cannot be read: {_why(error)}", remedy="pack it again as .zip or .tar.gz"
        ) from None


def _why(error: Exception) -> str:
    return _plain(str(error)) or type(error).__name__


def unpack(path: Path, target: Path) -> tuple[str, ...]:
    """A whole class in one archive, as teachers download it: its regular files below `target`.

    Notes on what was left out. SubmissionError where it cannot be read or is over a cap.
    """
    notes: list[str] = []
    total = 0
    try:
        for count, member in enumerate(
            members.of_archive(path.name, lambda: open_plain(path), MOST_CLASS_DIRECTORY_BYTES), 1
        ):
            if member.is_folder:
                continue
            refusal = member.refusal or _bad_path(member.name)
            content = b"" if refusal else member.read(MOST_ARCHIVE_BYTES)
            total += len(content)
            if count > MOST_CLASS_MEMBERS or total > MOST_CLASS_BYTES:
                raise SubmissionError("is too large for a class", remedy="unpack it and name the folder")
            if len(content) > MOST_ARCHIVE_BYTES:
                refusal = f"larger than {MOST_ARCHIVE_BYTES // _MIB} MiB"
            refusal = refusal or _placed(target / member.name, content)
            if refusal:
                notes.append(f"left out {_plain(member.name)}: {refusal}")
    except BROKEN as error:
        raise SubmissionError(f"cannot be read: {_why(error)}", file=path) from None
    return tuple(notes)


def _placed(path: Path, content: bytes) -> str:
    """Why the file could not be written; "" if it was."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(content)
    except OSError as error:
        return error.strerror or "it cannot be written"
    return ""


# --- one member after another ------------------------------------------------------------------


@dataclass
class _Collection:
    """What has been found so far, over all archives of one submission; caps are for the sum."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    members: int = 0
    nested_bytes: int = 0
    unpacked_bytes: int = 0

    def contents(self) -> Contents:
        more = [f"and {len(self.notes) - 20} more notes"] if len(self.notes) > 20 else []
        return Contents(self.files, (*self.notes[:20], *more))

    def take(self, members: Iterator[Member], prefix: str, depth: int = 0) -> None:
        """Every member; `prefix` ("hw/") goes before its name."""
        for member in members:
            self.members += 1
            if self.members > MOST_MEMBERS:
                raise SubmissionError(
                    f"holds more than {MOST_MEMBERS:,} files", remedy="hand in your source files only"
                )
            if member.is_folder:
                continue
            name = prefix + member.name
            refusal = member.refusal or _bad_path(member.name)
            if refusal:
                self._leave_out(name, refusal)
            elif _is_litter(member.name):
                continue
            elif PurePosixPath(member.name).suffix.lower() in SUFFIXES:
                self._add(member, str(PurePosixPath(name)))
            elif is_archive(member.name):
                self._open(member, name, depth + 1)
            elif member.name.lower().endswith(_UNREADABLE):
                self._leave_out(name, "only .zip and .tar archives are read")
            elif member.name.lower().endswith(_MISNAMED):
                self._leave_out(name, f"a source file's name ends in {', '.join(SUFFIXES)}")

    def _leave_out(self, name: str, why: str) -> None:
        self.notes.append(f"left out {_plain(name)}: {why}")

    def _add(self, member: Member, name: str) -> None:
        content = member.read(MOST_FILE_BYTES)
        self.unpacked_bytes += len(content)
        if self.unpacked_bytes > MOST_UNPACKED_BYTES:  # of members that are left out, too
            raise SubmissionError(f"unpacks to more than {MOST_UNPACKED_BYTES // _MIB} MiB")
        if len(content) > MOST_FILE_BYTES:
            self._leave_out(name, f"larger than {MOST_FILE_BYTES // _MIB} MiB")
            return
        if name in self.files:
            self.notes.append(f"{_plain(name)} is there twice: the last one counts")
        self.files[name] = content
        if len(self.files) > MOST_FILES or sum(map(len, self.files.values())) > MOST_SOURCE_BYTES:
            raise SubmissionError(
                f"holds more than {MOST_FILES} source files or {MOST_SOURCE_BYTES // _MIB} MiB of them"
            )

    def _open(self, member: Member, name: str, depth: int) -> None:
        if depth > MOST_DEPTH:
            self._leave_out(name, f"more than {MOST_DEPTH} archives deep")
            return
        left = MOST_ARCHIVE_BYTES - self.nested_bytes
        content = member.read(left)
        if len(content) > left:
            raise SubmissionError(f"holds archives of more than {MOST_ARCHIVE_BYTES // _MIB} MiB")
        self.nested_bytes += len(content)
        try:
            self.take(members.of_archive(name, lambda: io.BytesIO(content)), _below("", name), depth)
        except BROKEN as error:
            self._leave_out(name, f"cannot be read: {_why(error)}")


def _below(prefix: str, name: str) -> str:
    return f"{prefix}{stem(name)}/"


def _is_litter(name: str) -> bool:
    """What operating systems leave, and hidden files."""
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def _bad_path(name: str) -> str:
    if name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        return "an absolute path"
    if ".." in name.replace("\\", "/").split("/"):
        return "a path that leads out of the submission"
    if len(name) > 500 or "\0" in name:
        return "not a usable name"
    return ""


def _plain(text: str) -> str:
    """Text from outside without control characters, and short."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)[:200]
