"""Where documents come from: a term's folder, folders of kernels, the course's own solutions.

A term's folder holds what was compiled when it was graded. Other kernels are compiled once, in the sandbox,
and kept by their hash.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..build.compiler import FATBIN, Compiler, build
from ..core import ceiling
from ..core.errors import UsageError
from ..core.paths import text_hash, typed
from ..grading import saved_grades
from ..records import Grades, Lab, SourceFile, Submission
from .documents import CLASS, KNOWN, PAST, Candidate, document, ptx_of, without

_MOST_FILE = 1 << 20  # bytes of a known kernel
_CLASS_FILE = "class.json"


@dataclass(frozen=True)
class Gathered:
    """Documents of a lab without the skeleton, and who could not be read."""

    documents: tuple[Candidate, ...]
    unread: tuple[str, ...] = ()


def collect(lab: Lab, compiler: Compiler, out: Path, others: tuple[Path, ...], jobs: int) -> Gathered:
    """The class in `out`, and what it is compared with: the course's solutions, the folders `others`.

    A folder that holds class.json is an earlier term; any other one holds kernels, below folders with the
    lab's name if there are any.
    """
    grades = saved_grades.load(out)
    root = compiler.repository
    skeleton = _compiled("skeleton", KNOWN, root.labs / lab.name / lab.files[0], lab, compiler)
    known = [
        root.solution(lab.name) / lab.files[0],
        *sorted((root.solution(lab.name) / "styles").glob("*.cu")),
    ]
    unread: list[str] = []
    found = list(_graded(grades, lab, out, CLASS, "", unread))
    for folder in others:
        if not folder.is_dir():
            raise UsageError("is no folder", file=folder, remedy="name a term's folder or one of kernels")
        if (folder / _CLASS_FILE).is_file():
            found += _graded(saved_grades.load(folder), lab, folder, PAST, f"{folder.name}/", unread)
        else:
            known += _kernels(folder, lab)
    if not any(each.kind == CLASS for each in found):
        raise UsageError(
            f"holds nobody's {lab.name}", file=out, remedy=f"{typed(f'grade --lab {lab.name}')} first"
        )
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        made = pool.map(lambda path: _compiled(_name(path, root.root), KNOWN, path, lab, compiler), known)
        found += [each for each in made if each is not None]
    return Gathered(tuple(without(each, skeleton) if skeleton else each for each in found), tuple(unread))


def _graded(
    grades: Grades, lab: Lab, out: Path, kind: str, prefix: str, unread: list[str]
) -> Iterator[Candidate]:
    """One document for each student: the attempt that counts."""
    for student in grades.students:
        result = next((each for each in student.results if each.lab == lab.name), None)
        submission = result.submission if result else None
        if result is None or submission is None or not submission.files:
            continue
        text = "\n".join(file.text for file in submission.files)
        ptx = ptx_of(saved_grades.folder_of(out, student.id, result) / FATBIN)
        try:
            with ceiling.own_time():
                yield document(f"{prefix}{student.id}", kind, text, ptx)
        except ceiling.Exceeded:
            unread.append(f"{prefix}{student.id}")


def _kernels(folder: Path, lab: Lab) -> list[Path]:
    files = sorted(path for path in folder.rglob("*.cu") if path.is_file() and not path.is_symlink())
    of_lab = [path for path in files if lab.name in path.relative_to(folder).parts]
    return of_lab or files


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root) if path.is_relative_to(root) else Path(path.parent.name, path.name))


def _compiled(name: str, kind: str, path: Path, lab: Lab, compiler: Compiler) -> Candidate | None:
    """The file as a document; by its source alone where it does not compile as this lab's kernel."""
    if not path.is_file() or path.stat().st_size > _MOST_FILE:
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    folder = compiler.repository.output / "similarity" / text_hash(lab.name, lab.hash, text)[:16]
    if not (folder / FATBIN).is_file() and not (folder / "failed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        submission = Submission("known", lab.name, name, (SourceFile(lab.files[0], text),), "")
        build(submission, lab, compiler, folder, machine_code=False)
        if not (folder / FATBIN).is_file():
            (folder / "failed").touch()
    return document(name, kind, text, ptx_of(folder / FATBIN))
