"""A submission's files as the compiler sees them: the same at every build.

A compiler writes the time of a build and that of a source file into what it makes: ptxas the latter, with
-lineinfo. Both are constant here, so that the same source gives the same file on every machine. A kernel
cannot learn the time, either.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..core.paths import Repository
from ..records import Lab, SourceFile
from ..sandbox import process
from .headers.cut import leading_headers

_SECONDS = 946684800  # 2000-01-01
NO_CLOCK = {"SOURCE_DATE_EPOCH": str(_SECONDS)}  # environment of a compiler, for __DATE__ and __TIME__


def write(files: Iterable[SourceFile], folder: Path) -> None:
    for file in files:
        (folder / file.name).write_text(file.text, encoding="utf-8", newline="\n")
        os.utime(folder / file.name, (_SECONDS, _SECONDS))


def without_place(made: bytes, work: Path) -> bytes:
    """The output of a compiler that ran in `work`. If the sandbox mounts nothing, the output contains that
    folder's name, which is replaced by the name of the box, padded with slashes so that offsets stay the
    same.
    """
    real = os.fsencode(work.resolve())
    return made.replace(real, process.BOX.encode().ljust(len(real), b"/"))


def given_lines(repository: Repository, lab: Lab) -> frozenset[str]:
    """The lines of the skeleton, which a student starts from."""
    files = (repository.labs / lab.name / name for name in lab.files)
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file())
    return frozenset(line for text in texts for line in text.split("\n") if line.strip())


def given_headers(repository: Repository, lab: Lab, file: SourceFile) -> tuple[str, ...]:
    """The headers of the toolkit with which both this file of a submission and its skeleton begin; none if
    they begin with different ones.
    """
    skeleton = repository.labs / lab.name / file.name
    found = leading_headers(file.text)
    if not found or file.name not in lab.files or not skeleton.is_file():
        return ()
    text = skeleton.read_text(encoding="utf-8", errors="replace")
    return found if found == leading_headers(text) else ()
