"""What a student handed in for one lab."""

from __future__ import annotations

from dataclasses import dataclass, field

_IF_SET = {"saved": "if set"}


@dataclass(frozen=True)
class SourceFile:
    """One handed-in file as text: no byte-order mark, `\\n` line ends, same line numbers."""

    name: str  # as the lab calls it
    text: str  # the whole file
    notes: tuple[str, ...] = ()  # what was normalised


@dataclass(frozen=True)
class Submission:
    student: str  # safe as a folder's name and as an HTML id
    lab: str  # name of the lab
    entry: str  # what it came from, relative to the class folder: "alice.zip"; "": another's of the group
    files: tuple[SourceFile, ...]  # that the lab asks for
    hash: str  # sha256 over the files
    notes: tuple[str, ...] = ()  # of admitting the entry
    unused: tuple[str, ...] = ()  # further files of the main one's kind, which are not graded
    names: tuple[str, ...] | None = field(default=None, metadata=_IF_SET)  # of the student; labs of questions

    def source(self, name: str) -> str | None:
        """Text of the handed-in file with that name; None if it does not exist."""
        return next((file.text for file in self.files if file.name == name), None)
