"""A submission's files as its compiler finds them: the same at every build.

A compiler writes the time of a build and that of a source file into what it makes: ptxas the latter, with
-lineinfo. Both are constant here, so that the same source makes the same file, wherever it is graded. Nor can
a kernel know when that is.
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
    """What a compiler made in `work`. Where the sandbox mounts nothing, it holds that folder's name: the name
    of the box takes its place, with slashes behind it, so that nothing moves.
    """
    real = os.fsencode(work.resolve())
    return made.replace(real, process.BOX.encode().ljust(len(real), b"/"))


def given_lines(repository: Repository, lab: Lab) -> frozenset[str]:
    """The lines of the skeleton, which a student starts from."""
    files = (repository.labs / lab.name / name for name in lab.files)
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file())
    return frozenset(line for text in texts for line in text.split("\n") if line.strip())


def given_headers(repository: Repository, lab: Lab, file: SourceFile) -> tuple[str, ...]:
    """The headers of the toolkit with which both this file of a submission and its skeleton begin; none where
    they do not begin with the same.
    """
    skeleton = repository.labs / lab.name / file.name
    found = leading_headers(file.text)
    if not found or file.name not in lab.files or not skeleton.is_file():
        return ()
    text = skeleton.read_text(encoding="utf-8", errors="replace")
    return found if found == leading_headers(text) else ()
