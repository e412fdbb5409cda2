"""Read what a student handed in, of any shape, without writing or following anything.

Nothing is unpacked: members are read into memory, so a name can do no harm, and only regular
files with a source file's suffix count. Counts, bytes and the unpacked size are capped while
reading, so that a bomb ends when it has grown to the cap.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from .errors import SubmissionError

SUFFIXES = (".cu", ".cuh", ".h")
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_MIB = 1 << 20
MOST_MEMBERS = 10_000
MOST_FILES = 200  # source files among them
MOST_FILE_BYTES = 1 * _MIB
MOST_SOURCE_BYTES = 8 * _MIB
MOST_ARCHIVE_BYTES = 64 * _MIB
MOST_UNPACKED_BYTES = 256 * _MIB
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError,
           NotImplementedError, RuntimeError)  # fmt: skip


@dataclass(frozen=True)
class Contents:
    """Source files by their path in the submission, and what was left out."""

    files: dict[str, bytes]
    notes: tuple[str, ...] = ()


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def read(path: Path) -> Contents:
    """The source files in a folder, an archive, or a source file itself.

    SubmissionError where it is none of these, broken, locked, or over a cap.
    """
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        return _collect(_folder(path))
    if not stat.S_ISREG(mode):
        raise SubmissionError(
            "is neither a folder nor a regular file", remedy="links and devices are never followed"
        )
    if path.name.endswith(SUFFIXES):
        return _collect(iter([_Member(path.name, "", lambda: _open_plain(path))]))
    if not is_archive(path.name):
        kinds = ", ".join((*SUFFIXES, *ARCHIVES))
        raise SubmissionError("is no submission", remedy=f"hand in a folder or a file that ends in {kinds}")
    if path.stat().st_size > MOST_ARCHIVE_BYTES:
        raise SubmissionError(f"is larger than {MOST_ARCHIVE_BYTES // _MIB} MiB")
    try:
        return _collect(_zip(path) if path.name.lower().endswith(".zip") else _tar(path))
    except _BROKEN as error:
        raise SubmissionError(
            f"cannot be read: {_plain(str(error)) or type(error).__name__}",
            remedy="pack it again as .zip or .tar.gz",
        ) from None


# --- one member after another ------------------------------------------------------------------


class _Member:
    """A name, why it must be left out ("" if not), and how to open it."""

    def __init__(self, name: str, refusal: str, opener: object) -> None:
        self.name, self.refusal, self._opener = name, refusal, opener

    def read(self) -> bytes:
        opener = self._opener
        assert callable(opener)
        with cast("IO[bytes]", opener()) as stream:
            return stream.read(MOST_FILE_BYTES + 1)


def _collect(members: Iterator[_Member]) -> Contents:
    files: dict[str, bytes] = {}
    notes: list[str] = []
    for count, member in enumerate(members, 1):
        if count > MOST_MEMBERS:
            raise SubmissionError(
                f"holds more than {MOST_MEMBERS:,} files", remedy="hand in your source files only"
            )
        refusal = member.refusal or _bad_path(member.name)
        if refusal:
            notes.append(f"left out {_plain(member.name)}: {refusal}")
        elif _is_source(member.name):
            _add(member, files, notes)
    more = [f"and {len(notes) - 20} more notes"] if len(notes) > 20 else []
    return Contents(files, (*notes[:20], *more))


def _add(member: _Member, files: dict[str, bytes], notes: list[str]) -> None:
    name = str(PurePosixPath(member.name))
    content = member.read()
    if len(content) > MOST_FILE_BYTES:
        notes.append(f"left out {_plain(name)}: larger than {MOST_FILE_BYTES // _MIB} MiB")
        return
    if name in files:
        notes.append(f"{_plain(name)} is there twice: the last one counts")
    files[name] = content
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_SOURCE_BYTES:
        raise SubmissionError(
            f"holds more than {MOST_FILES} source files or {MOST_SOURCE_BYTES // _MIB} MiB of them"
        )


def _is_source(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return path.suffix in SUFFIXES and not hidden


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


# --- where members come from -------------------------------------------------------------------


def _open_plain(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _folder(top: Path) -> Iterator[_Member]:
    for folder, folders, names in os.walk(top):  # never into linked folders
        folders.sort()
        for name in sorted((*names, *folders)):
            path = Path(folder) / name
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                continue
            refusal = "" if stat.S_ISREG(mode) else "not a regular file"
            yield _Member(path.relative_to(top).as_posix(), refusal, lambda path=path: _open_plain(path))


def _zip(path: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir():
                continue
            refusal = "" if kind in (0, stat.S_IFREG) else "not a regular file"
            if info.flag_bits & 1:
                refusal = "locked with a password"
            yield _Member(info.filename, refusal, lambda info=info: archive.open(info))


class _Capped(io.RawIOBase):
    """What a decompressor gives, up to the cap."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._given = stream, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(min(size, _MIB) if size >= 0 else _MIB)
        self._given += len(piece)
        if self._given > MOST_UNPACKED_BYTES:
            raise SubmissionError(f"unpacks to more than {MOST_UNPACKED_BYTES // _MIB} MiB")
        return piece


def _tar(path: Path) -> Iterator[_Member]:
    with _decompressed(path) as stream, tarfile.open(fileobj=_Capped(stream), mode="r|") as archive:
        for info in archive:
            if info.isdir():
                continue
            refusal = "" if info.isreg() else "not a regular file"
            yield _Member(info.name, refusal, lambda info=info: archive.extractfile(info))


def _decompressed(path: Path) -> IO[bytes]:
    name = path.name.lower()
    if name.endswith((".gz", ".tgz")):
        return cast("IO[bytes]", gzip.open(path))
    if name.endswith(".bz2"):
        return cast("IO[bytes]", bz2.open(path))
    if name.endswith(".xz"):
        return cast("IO[bytes]", lzma.open(path))
    return path.open("rb")
