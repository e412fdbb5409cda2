"""Where documents come from: a term's folder, folders of kernels, the course's own solutions.

A term's folder holds what was compiled when it was graded. Other kernels are compiled once, in the sandbox,
and kept by their hash.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from ..build.compiler import FATBIN, Compiler, build
from ..build.emu import Emu
from ..core.concurrency import ceiling
from ..core.errors import UsageError
from ..core.paths import text_hash, typed
from ..grading import saved_grades
from ..records import Lab, SourceFile, Submission
from .documents import CLASS, COURSE, KNOWN, PAST, Candidate, document, without

_MOST_FILE = 1 << 20  # bytes of a known kernel
_CLASS_FILE = "class.json"


@dataclass(frozen=True)
class Gathered:
    """The documents of a lab without the skeleton's fingerprints, and the names of those that could not be
    read.
    """

    documents: tuple[Candidate, ...]
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Source:
    """A file that is compared, and what was compiled from it, if it compiles."""

    name: str
    kind: str
    text: str
    fatbin: Path


def collect(lab: Lab, compiler: Compiler, out: Path, others: tuple[Path, ...], jobs: int) -> Gathered:
    """The class in `out`, and what it is compared with: the course's solutions, the folders `others`.

    A folder that holds class.json is an earlier term; any other one holds kernels, below folders with the
    lab's name if there are any.
    """
    root = compiler.repository
    skeleton = root.labs / lab.name / lab.files[0]
    solution = root.solution(lab.name)
    own = [solution / lab.files[0], *sorted((solution / "styles").glob("*.cu"))]
    known: list[Path] = []
    sources = list(graded(lab, out, CLASS, ""))
    if not sources:
        raise UsageError(
            f"holds nobody's {lab.name}", file=out, remedy=f"{typed(f'grade --lab {lab.name}')} first"
        )
    for folder in others:
        if not folder.is_dir():
            raise UsageError("is no folder", file=folder, remedy="name a term's folder or one of kernels")
        if (folder / _CLASS_FILE).is_file():
            sources += graded(lab, folder, PAST, f"{folder.name}/")
        else:
            known += _kernels(folder, lab)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        kinds = [(skeleton, KNOWN), *((path, COURSE) for path in own), *((path, KNOWN) for path in known)]
        made = pool.map(lambda each: _compiled(each[0], each[1], lab, compiler), kinds)
        of_skeleton, *of_known = (each for each in made if each is not None)
    return _gathered(of_skeleton, sources + of_known, Emu(root, compiler.sandbox))


def _gathered(skeleton: _Source, sources: list[_Source], emu: Emu) -> Gathered:
    """The documents of the sources, without the fingerprints of the skeleton."""
    given, *compiled = emu.fingerprints([each.fatbin for each in (skeleton, *sources)])
    everybodys = document(skeleton.name, skeleton.kind, skeleton.text, given)
    documents, unread = [], []
    for source, fingerprint in zip(sources, compiled, strict=True):
        try:
            with ceiling.own_time():
                own = document(source.name, source.kind, source.text, fingerprint)
            documents.append(without(own, everybodys))
        except ceiling.Exceeded:
            unread.append(source.name)
    return Gathered(tuple(documents), tuple(unread))


def graded(lab: Lab, out: Path, kind: str, prefix: str) -> Iterator[_Source]:
    """One source for each student: the attempt that counts. What another member of the group has handed in is
    that member's alone.
    """
    of_groups = set[tuple[str, str]]()
    for student in saved_grades.load(out).students:
        result = next((each for each in student.results if each.lab == lab.name), None)
        submission = result.submission if result else None
        if result is None or submission is None or not submission.files:
            continue
        key = (student.group, submission.hash)
        if not submission.entry or (student.group and key in of_groups):
            continue
        of_groups.add(key)
        text = "\n".join(file.text for file in submission.files)
        fatbin = saved_grades.folder_of(out, student.id, result) / FATBIN
        yield _Source(f"{prefix}{student.id}", kind, text, fatbin)


def _kernels(folder: Path, lab: Lab) -> list[Path]:
    files = sorted(path for path in folder.rglob("*.cu") if path.is_file() and not path.is_symlink())
    of_lab = [path for path in files if lab.name in path.relative_to(folder).parts]
    return of_lab or files


def _name(path: Path, root: Path) -> str:
    return str(path.relative_to(root) if path.is_relative_to(root) else Path(path.parent.name, path.name))


def _compiled(path: Path, kind: str, lab: Lab, compiler: Compiler) -> _Source | None:
    """The file, compiled as this lab's kernel; None if it is missing or too long."""
    if not path.is_file() or path.stat().st_size > _MOST_FILE:
        return None
    name, text = _name(path, compiler.repository.root), path.read_text(encoding="utf-8", errors="replace")
    folder = compiler.repository.output / "similarity" / text_hash(lab.name, lab.hash, text)[:16]
    if not (folder / FATBIN).is_file() and not (folder / "failed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        submission = Submission("known", lab.name, name, (SourceFile(lab.files[0], text),), "")
        build(submission, lab, replace(compiler, machine_code=False), folder)
        if not (folder / FATBIN).is_file():
            (folder / "failed").touch()
    return _Source(name, kind, text, folder / FATBIN)
