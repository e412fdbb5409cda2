"""The source files of a submission, gathered from folders and archives. Nothing is written to disk by name.

Only regular files with a source file's suffix count. Counts, bytes and the unpacked size are capped while
reading. Archives inside archives or folders are read too, to a small depth; their members stand below a
folder with the archive's name.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ..core.errors import SubmissionError
from .members import BROKEN, MOST_NAME, Caps, Member, of_archive

SOURCES = (".cu", ".cuh", ".h")
SUFFIXES = (*SOURCES, ".toml")  # of all files that a lab can ask for
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_MIB = 1 << 20
_MISNAMED = (".cu.txt", ".cuh.txt", ".cu.bak", ".cpp", ".cxx", ".cc", ".c", ".ipynb")
_UNREADABLE = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst", ".lz4")


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def stem(name: str) -> str:
    """The name without the ending of an archive or a source file."""
    for suffix in sorted((*ARCHIVES, *SUFFIXES), key=len, reverse=True):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def bare(name: str) -> str:
    """The name also without the ending of an archive that is not read."""
    end = next((end for end in _UNREADABLE if name.lower().endswith(end) and len(name) > len(end)), "")
    return stem(name[: len(name) - len(end)])


@dataclass
class Collection:
    """The files and notes of one submission so far. The caps are for the sum over all its archives.

    `open_archive` reads an archive that is a member of a folder; None: read it in this process.
    """

    caps: Caps
    open_archive: Callable[[Collection, bytes, str, int], None] | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)  # what the grader has no permission to read
    members: int = 0
    nested_bytes: int = 0
    unpacked_bytes: int = 0

    def counts(self) -> dict[str, int]:
        names = ("members", "nested_bytes", "unpacked_bytes")
        return {name: getattr(self, name) for name in names}

    def take(self, members: Iterator[Member], prefix: str, depth: int = 0) -> None:
        """Every member; `prefix` ("hw/") goes before its name."""
        for member in members:
            self.members += 1
            if self.members > self.caps.members:
                raise SubmissionError(
                    f"holds more than {self.caps.members:,} files", remedy="hand in your source files only"
                )
            name = prefix + member.name
            if member.closed:
                self.closed.append(plain(name))
            if member.is_folder:
                if member.refusal:
                    self.leave_out(name, member.refusal)
                continue
            refusal = member.refusal or bad_path(member.name) or bad_path(name)
            if refusal:
                self.leave_out(name, refusal)
            elif _is_litter(member.name):
                continue
            elif PurePosixPath(member.name).suffix.lower() in SUFFIXES:
                self._add(member, str(PurePosixPath(name)))
            elif is_archive(member.name):
                self._open(member, name, depth + 1)
            elif member.name.lower().endswith(_UNREADABLE):
                self.leave_out(name, "only .zip and .tar archives are read")
            elif member.name.lower().endswith(".toml.txt"):
                self.leave_out(name, "a file of answers has a name that ends in .toml")
            elif member.name.lower().endswith(_MISNAMED):
                self.leave_out(name, f"a source file's name ends in {', '.join(SOURCES)}")

    def leave_out(self, name: str, why: str) -> None:
        self.notes.append(f"left out {plain(name)}: {why}")

    def _add(self, member: Member, name: str) -> None:
        content = member.read(self.caps.file_bytes)
        self.unpacked_bytes += len(content)
        if self.unpacked_bytes > self.caps.unpacked_bytes:  # of members that are left out, too
            raise SubmissionError(f"unpacks to more than {self.caps.unpacked_bytes // _MIB} MiB")
        if len(content) > self.caps.file_bytes:
            self.leave_out(name, f"larger than {self.caps.file_bytes // _MIB} MiB")
            return
        if name in self.files:
            self.notes.append(f"{plain(name)} is there twice: the last one counts")
        self.files[name] = content
        if len(self.files) > self.caps.files or sum(map(len, self.files.values())) > self.caps.source_bytes:
            most = f"{self.caps.files} source files or {self.caps.source_bytes // _MIB} MiB of them"
            raise SubmissionError(f"holds more than {most}")

    def _open(self, member: Member, name: str, depth: int) -> None:
        if depth > self.caps.depth:
            self.leave_out(name, f"more than {self.caps.depth} archives deep")
            return
        left = self.caps.archive_bytes - self.nested_bytes
        content = member.read(left)
        if len(content) > left:
            raise SubmissionError(f"holds archives of more than {self.caps.archive_bytes // _MIB} MiB")
        self.nested_bytes += len(content)
        try:
            if self.open_archive:
                self.open_archive(self, content, name, depth)
            else:
                self.take(of_archive(name, lambda: io.BytesIO(content), self.caps), below("", name), depth)
        except BROKEN as error:
            self.leave_out(name, f"cannot be read: {why(error)}")


def below(prefix: str, name: str) -> str:
    return f"{prefix}{stem(name)}/"


def _is_litter(name: str) -> bool:
    """Whether it is a hidden file or one that operating systems leave behind."""
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def bad_path(name: str) -> str:
    if name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        return "an absolute path"
    if ".." in name.replace("\\", "/").split("/"):
        return "a path that leads out of the submission"
    if len(name) > MOST_NAME or "\0" in name:
        return "not a usable name"
    return ""


def plain(text: str) -> str:
    """Text from outside without control characters, and short."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)[:200]


def why(error: Exception) -> str:
    return plain(str(error)) or type(error).__name__
