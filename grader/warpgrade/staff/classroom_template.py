"""The folders for a classroom service: a students' repository and, where the service needs one, the staff's.

grader/release/classrooms/SERVICE/ holds what the service needs in them: `student/` is laid over the unpacked
students' archive, `staff/` gets the archive beside it, so that nothing that grades comes from a student.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..core import store
from ..core.build_sources import files_below
from ..core.errors import UsageError
from ..core.paths import Repository
from . import release


def make(repository: Repository, service: str, out: Path, modules: Sequence[str]) -> list[Path]:
    """Write <out>/student and, if the service has one, <out>/staff. UsageError if `out` is not empty."""
    if out.is_dir() and any(out.iterdir()):
        raise UsageError("is not empty", file=out, remedy="name a new folder with --out, or remove it")
    source = folder_of(repository, service)
    with tempfile.TemporaryDirectory(prefix="warpgrade-template-") as folder:
        archive = release.make(repository, Path(folder), modules)
        return write(archive, source, out)


def folder_of(repository: Repository, service: str) -> Path:
    return repository.root / "grader" / "release" / "classrooms" / service.replace("-", "_")


def write(archive: Path, source: Path, out: Path) -> list[Path]:
    """The folders for one service, from the students' archive and the service's own files."""
    student, staff = out / "student", out / "staff"
    with tempfile.TemporaryDirectory(prefix="warpgrade-template-") as folder:
        with tarfile.open(archive) as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
            packed.extractall(folder)
        out.mkdir(parents=True, exist_ok=True)
        shutil.move(Path(folder) / release.FOLDER, student)
    _lay(source / "student", student)
    if not (source / "staff").is_dir():
        return [student]
    _lay(source / "staff", staff)
    store.write_bytes(staff / archive.name, archive.read_bytes())
    return [student, staff]


def _lay(source: Path, target: Path) -> None:
    for path in files_below(source):
        store.write_bytes(target / path.relative_to(source), path.read_bytes(), path.stat().st_mode & 0o777)
