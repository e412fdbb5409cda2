"""The students' archive: labs, harness, emulator, their part of the grader, and their handouts.

It contains only those modules of the grader that the students' commands import. Solutions and mutants are not
packed, except the solutions of labs that course.toml names. Hidden cases are removed from lab.toml. Of other
solutions the archive holds only counters and build facts. A test unpacks the archive, searches it, and runs a
lab there.
"""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import tomlkit
from tomlkit.items import Comment, Table

from ..build import emu
from ..core import store
from ..core.build_sources import build_sources, files_below
from ..core.code_hash import closure
from ..core.errors import GraderError, InstructorError
from ..core.paths import ORIGINAL, Repository, need
from ..course import lab, question_file
from ..grading.reference import RELEASED, Released
from ..grading.session import Options, PreparedLab, Session, prepare
from ..handouts import course
from ..handouts.pages import Edition
from ..handouts.pages import make as make_handouts
from ..player import solution
from ..records import Lab, LabKind, Visibility
from ..run.run import run
from ..run.timed_launch import is_reference
from ..sandbox import process
from ..solution import markers
from ..solution.markers import View
from ..submission.admit import from_file

FOLDER = "cuda-labs"  # what the archive unpacks to
_LIMITS = process.ResourceLimits(seconds=60)  # of a tool
_TOOLS = "type `make tools LEVELS=all`"


@dataclass(frozen=True)
class ArchiveFile:
    """A file of the archive; `path` is below its top folder."""

    path: str
    content: bytes
    executable: bool = False


def make(repository: Repository, out: Path, modules: Sequence[str], *, pdf: bool = False) -> Path:
    """Write <out>/cuda-labs.tar.gz. `modules`: those of the students' commands, each as its __name__.

    The same sources give the same bytes, except for the dates in PDF files. GraderError if a tool is
    missing, InstructorError if a lab cannot be released.
    """
    files = sorted(_files(repository, modules, pdf), key=lambda packed: packed.path)
    target, raw = out / f"{FOLDER}.tar.gz", io.BytesIO()
    # Level 9 takes three times as long and saves a hundredth.
    with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0, compresslevel=6) as stream:
        _write(files, stream)
    store.write_bytes(target, raw.getvalue())
    return target


def _write(files: list[ArchiveFile], stream: gzip.GzipFile) -> None:
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for packed in files:
            about = tarfile.TarInfo(f"{FOLDER}/{packed.path}")
            about.size = len(packed.content)
            about.mode = 0o755 if packed.executable else 0o644
            about.uname = about.gname = "root"
            archive.addfile(about, io.BytesIO(packed.content))


def _files(repository: Repository, modules: Sequence[str], pdf: bool) -> Iterator[ArchiveFile]:
    labs = lab.find(repository)
    # Students have no secret: their kernels are timed at sizes that everybody knows, beside these counters.
    session = prepare(repository, labs, Options("emulator", public=True))
    for prepared in session.prepared_labs:
        yield from _lab(repository, prepared, session)
    for path in build_sources(repository):
        packed = _copied(repository, path)
        yield replace(packed, path="grader/build.mk") if packed.path == "Makefile" else packed
    for path in _python(repository.root / "grader" / "warpgrade", modules):
        yield _copied(repository, path)
    yield from _examples(repository)
    yield from _solutions(repository, labs)
    yield from _tools(repository, labs)
    yield from _handouts(repository, pdf)
    for path in sorted((repository.root / "grader" / "release").iterdir()):
        if path.is_file():
            yield replace(_copied(repository, path), path=path.name)
    yield _copied(repository, repository.root / ".devcontainer" / "devcontainer.json")
    yield _packages_stage(repository)


def _copied(repository: Repository, path: Path) -> ArchiveFile:
    content = need(path, "get a whole copy of the course's files").read_bytes()
    name = path.relative_to(repository.root).as_posix()
    return ArchiveFile(name, content, bool(path.stat().st_mode & 0o100))


# --- a lab -------------------------------------------------------------------------------------


def _lab(repository: Repository, prepared: PreparedLab, session: Session) -> Iterator[ArchiveFile]:
    """The students' files, lab.toml without hidden cases, and the solution's build and counters.

    Of a lab of questions: the students' files, lab.toml, the program that they ask about, and the sealed
    questions.
    """
    item = prepared.lab
    folder = f"labs/{item.name}"
    given = [path for name in item.files if (path := repository.labs / item.name / name).is_file()]
    for path in given:
        yield _copied(repository, path)
    for path in given:  # a copy for `warpgrade reset`
        yield replace(_copied(repository, path), path=f"{folder}/{ORIGINAL}/{path.name}")
    if prepared.questions:
        yield _copied(repository, repository.root / folder / lab.FILE)
        if item.profiled:
            yield _copied(repository, repository.labs / item.name / item.profiled.file)
        sealed = question_file.seal(prepared.questions.document.text)
        yield ArchiveFile(f"{folder}/{question_file.SEALED}", sealed.encode())
        return
    own = repository.labs / item.name
    for path in (own / "harness.cpp", *sorted(own.glob("*.hpp"))):  # the harness, and the headers beside it
        yield replace(_copied(repository, path), content=_as_student_sees(repository, path))
    text = (repository.root / folder / lab.FILE).read_text(encoding="utf-8")
    yield ArchiveFile(f"{folder}/{lab.FILE}", without_hidden(text, item).encode())
    released = store.text_of("", _released(repository, prepared, session))
    yield ArchiveFile(f"{folder}/{RELEASED}.json", released.encode())


def without_hidden(text: str, item: Lab) -> str:
    """lab.toml without its hidden cases. Their points become `elsewhere` in the table `points`."""
    hidden = {case.name: case.points for case in item.cases if case.visibility is Visibility.HIDDEN}
    for technique in item.techniques:
        if technique.case in hidden:
            raise InstructorError(
                f"the technique {technique.name!r} is measured on the hidden case {technique.case!r}",
                file=Path(item.folder) / lab.FILE,
                remedy="measure it on a case that students have",
            )
    document = tomlkit.parse(text)
    if hidden:
        points = sum(hidden.values(), 0.0)
        elsewhere = tomlkit.item(int(points) if points.is_integer() else points)
        document["points"].append("elsewhere", elsewhere.comment("for cases that your instructor has"))
        _remove_tables(document, "case", [row["name"] in hidden for row in document["case"]])
    return document.as_string()


def _remove_tables(document: tomlkit.TOMLDocument, name: str, removed: list[bool]) -> None:
    """Remove the tables [[name]] that `removed` marks, each with the comment lines right above its header.

    TOML Kit keeps such lines at the end of the table before the header.
    """
    rows = document[name]
    names = [key.key if key else "" for key, _ in document.body]
    before = document.body[names.index(name) - 1][1] if names.index(name) else None
    owners = [before, *rows][: len(rows)]
    for owner, is_removed in zip(owners, removed, strict=True):
        if is_removed and isinstance(owner, Table):
            _remove_last_comments(owner)
    for index in reversed(range(len(rows))):
        if removed[index]:
            del rows[index]


def _remove_last_comments(table: Table) -> None:
    body = table.value.body
    while body and isinstance(body[-1][1], Comment):
        body.pop()


def _released(repository: Repository, prepared: PreparedLab, session: Session) -> Released:
    """Run the solution and return its build and counters, without source lines."""
    reference, item = prepared.reference, prepared.lab
    build = replace(reference.build, diagnostics=(), summary="", fatbin="", fatbin_hash="")
    if item.kind is LabKind.PROGRAM:
        return Released(build, ())  # no times are modelled
    if reference.fatbin is None:
        raise GraderError("this is a students' copy: it cannot be released again")
    handed = from_file(repository.solution(item.name) / item.files[0], item, "reference")
    ran = run(reference.build, reference.fatbin, handed, item, session.runner, reference, prepared.data)
    if ran.problem:
        raise GraderError(
            f"{item.name}: {ran.problem.message}", remedy=ran.problem.remedy or "type `make tools`"
        )
    launches = tuple(replace(launch, sites=()) for launch in ran.launches if is_reference(launch))
    if not launches:
        raise InstructorError("the solution is not right in every case", file=repository.solution(item.name))
    return Released(build, launches)


# --- the rest ----------------------------------------------------------------------------------


def _python(package: Path, modules: Sequence[str]) -> Iterator[Path]:
    """The import closure of `modules`, and the data files of its packages."""
    kept = closure(tuple(modules), package)
    yield from kept
    folders = {path.parent for path in kept}
    for path in files_below(package):
        owner = next(folder for folder in path.parents if (folder / "__init__.py").is_file())
        if path.suffix != ".py" and owner in folders:
            yield path


def _packages_stage(repository: Repository) -> ArchiveFile:
    """The Containerfile's first stage, which students' development containers start from."""
    packed = _copied(repository, repository.root / "Containerfile")
    first, _ = re.findall(rb"^FROM .*?(?=^(?:#.*\n)?FROM |\Z)", packed.content, re.DOTALL | re.MULTILINE)
    return replace(packed, content=first.rstrip() + b"\n")


def _examples(repository: Repository) -> Iterator[ArchiveFile]:
    """The example programs of the handouts, without markers."""
    for path in sorted((repository.root / "handouts" / "examples").glob("*.cu")):
        name = path.relative_to(repository.root).as_posix()
        yield ArchiveFile(name, _as_student_sees(repository, path))


def _solutions(repository: Repository, labs: Sequence[Lab]) -> Iterator[ArchiveFile]:
    """The solutions that course.toml gives to students, as course staff see them."""
    allowed = course.load(repository.root).compare_with_solution
    for item in (item for item in labs if item.name in allowed):
        if item.kind not in (LabKind.KERNELS, LabKind.DEBUG) or len(item.files) > 1:
            raise InstructorError(
                f"compare_with_solution names {item.name}, which has no one kernel that a harness launches",
                file=repository.root / course.FILE,
                remedy="leave it out",
            )
        path = repository.solution(item.name) / item.files[0]
        text = need(path, "get a whole copy of the course's files").read_text(encoding="utf-8")
        shown = markers.cut(text, path.relative_to(repository.root).as_posix(), View.STAFF)
        yield ArchiveFile(f"labs/{item.name}/{solution.RELEASED}", shown.encode())


def _as_student_sees(repository: Repository, path: Path) -> bytes:
    name = path.relative_to(repository.root).as_posix()
    return markers.cut(path.read_text(encoding="utf-8"), name, View.STUDENT).encode()


def _need_all_processors(repository: Repository) -> None:
    """GraderError if the emulator was built for the processor of this machine only."""
    if emu.why_not_here(repository, "v1"):
        raise GraderError(
            "the emulator was built for processors like this one, and students have others",
            file=repository.emulator,
            remedy=_TOOLS,
        )


def _tools(repository: Repository, labs: tuple[Lab, ...]) -> Iterator[ArchiveFile]:
    """The emulator and the harnesses as built here, without debug information."""
    _need_all_processors(repository)
    with tempfile.TemporaryDirectory(prefix="warpgrade-release-") as folder:
        for path in (
            repository.emulator,
            repository.backend,
            repository.frontend,
            repository.emu,
            repository.confine,
            *(repository.harness(item.name) for item in labs if item.kind is not LabKind.ANSWERS),
        ):
            stripped = Path(folder) / path.name
            shutil.copyfile(need(path, _TOOLS), stripped)
            outcome = process.run_trusted(["strip", "--strip-unneeded", str(stripped)], {}, _LIMITS)
            if outcome.status != 0:
                raise GraderError(f"strip failed: {outcome.stderr.strip()[:200]}", file=path)
            yield ArchiveFile(
                path.relative_to(repository.root).as_posix(), stripped.read_bytes(), executable=True
            )


def _handouts(repository: Repository, pdf: bool) -> Iterator[ArchiveFile]:
    with tempfile.TemporaryDirectory(prefix="warpgrade-release-") as folder:
        make_handouts(repository.root, Path(folder), pdf=pdf, editions=(Edition.STUDENT,))
        for path in sorted((Path(folder) / Edition.STUDENT).iterdir()):
            if path.suffix == ".html" or (pdf and path.suffix == ".pdf"):
                yield ArchiveFile(f"handouts/{path.name}", path.read_bytes())
