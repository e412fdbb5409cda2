"""Submissions of whole labs: a text of the first file, and the lab's other files as they lie in a folder."""

from __future__ import annotations

from pathlib import Path

from warpgrade.core.paths import text_hash
from warpgrade.records import Lab, SourceFile, Submission


def beside(folder: Path, lab: Lab) -> tuple[SourceFile, ...]:
    """The lab's files but the first, as far as the folder has them."""
    found = (folder / name for name in lab.files[1:])
    return tuple(SourceFile(path.name, path.read_text(encoding="utf-8")) for path in found if path.is_file())


def submission(lab: Lab, text: str, folder: Path, student: str = "somebody") -> Submission:
    """`text` as the lab's first file, with the files of `folder` beside it."""
    files = (SourceFile(lab.files[0], text), *beside(folder, lab))
    hashed = text_hash(*(part for file in files for part in (file.name, file.text)))
    return Submission(student, lab.name, lab.files[0], files, hashed)
