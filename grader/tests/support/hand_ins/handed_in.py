"""Fixtures handed in: a text of a lab's first file, and the lab's other files as they lie in a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warpgrade.core.paths import here, text_hash
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.records import Lab, Result, SourceFile, Submission


def beside(folder: Path, lab: Lab) -> tuple[SourceFile, ...]:
    """The lab's files but the first, as far as the folder has them."""
    found = (folder / name for name in lab.files[1:])
    return tuple(SourceFile(path.name, path.read_text(encoding="utf-8")) for path in found if path.is_file())


def submission(lab: Lab, text: str, folder: Path, student: str = "somebody") -> Submission:
    """`text` as the lab's first file, with the files of `folder` beside it."""
    files = (SourceFile(lab.files[0], text), *beside(folder, lab))
    hashed = text_hash(*(part for file in files for part in (file.name, file.text)))
    return Submission(student, lab.name, lab.files[0], files, hashed)


def with_headers(text: bytes, folder: Path) -> bytes:
    """A fixture's text with the headers of `folder`, which fixtures share, in place of their #include."""
    for header in folder.glob("*.cuh"):
        text = text.replace(f'#include "{header.name}"\n'.encode(), header.read_bytes())
    return text


def wanted(file: Path) -> str:
    """What the first line of a fixture names: `//! returned-early`."""
    return file.read_text(encoding="utf-8").splitlines()[0].removeprefix("//!").strip()


def labs_of(files: Iterable[Path]) -> dict[str, Lab]:
    """The labs that these files, <lab>/<name>.cu, belong to."""
    return {name: lab.load(here().labs / name) for name in sorted({file.parent.name for file in files})}


def graded(
    files: Sequence[Path], options: Options, workers: int | None = os.cpu_count()
) -> dict[Path, Result]:
    """The result of each of these files, <lab>/<name>.cu, handed in beside the skeleton's other files."""
    repository = here()
    session = prepare(repository, list(labs_of(files).values()), options)
    prepared = {each.lab.name: each for each in session.prepared_labs}

    def result(file: Path, out: Path) -> Result:
        item = prepared[file.parent.name]
        text = with_headers(file.read_bytes(), file.parent).decode()
        handed = submission(item.lab, text, repository.labs / item.lab.name)
        return pipeline.grade_one(handed, item, out / file.parent.name / file.name, session)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        return dict(zip(files, pool.map(lambda file: result(file, Path(folder)), files), strict=True))
