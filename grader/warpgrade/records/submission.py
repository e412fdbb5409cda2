"""What a student handed in for one lab."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceFile:
    """One handed-in file as text: no byte-order mark, `\\n` line ends, same line numbers."""

    name: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    student: str  # safe as a folder's name and as an HTML id
    lab: str
    entry: str  # what it came from, relative to the class folder: "alice.zip"
    files: tuple[SourceFile, ...]
    hash: str
    notes: tuple[str, ...] = ()

    def source(self, name: str) -> str | None:
        """Text of one handed-in file, None where there is none of that name."""
        return next((file.text for file in self.files if file.name == name), None)
