"""The students' archive: labs, harness, emulator, their part of the grader, and their handouts.

What students must not have is left out by what it is, not by where it happens to stand: solutions and
mutants are in no folder that is packed, hidden cases are cut from lab.toml, and of the reference
only counted numbers are told. A test unpacks the archive, searches it, and runs a lab there.
"""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import tomlkit
from tomlkit.items import Comment, Table

from ..core import store
from ..core.errors import GraderError, InstructorError
from ..core.paths import Repository, need
from ..course import lab
from ..course import markers as excerpts
from ..course.markers import View
from ..grading import session
from ..grading.reference import RELEASED, Released
from ..grading.session import Place, Workshop
from ..handouts.pages import Edition
from ..handouts.pages import make as make_handouts
from ..records import Lab, Visibility
from ..run.run import is_reference, run
from ..sandbox import process
from ..student.hand_in import ORIGINAL
from ..submission.admit import from_file

FOLDER = "cuda-labs"  # what the archive unpacks to
# Packages that only course staff need; some hold what a student should not get ready-made.
STAFF_PACKAGES = frozenset({"handouts", "staff"})
_SOURCES = (
    "grader/cmake", "grader/emulator", "grader/harness", "grader/gpus", "grader/setup", "labs/common",
    "handouts/languages",
)  # fmt: skip
_FILES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "warpgrade", "grader/requirements.txt",
          "datasets/generate.cpp")  # fmt: skip
_SUFFIXES = frozenset(
    {".cmake", ".cpp", ".hpp", ".h", ".cu", ".cuh", ".def", ".map", ".toml", ".py", ".sh", ".txt", ".json",
     ".css", ".js", ".j2"}
)  # fmt: skip
_STRIP = process.ResourceLimits(seconds=60)


@dataclass(frozen=True)
class Packed:
    """A file of the archive; `path` is below its top folder."""

    path: str
    content: bytes
    executable: bool = False


def make(
    repository: Repository, out: Path, *, pdf: bool = False, tell: Callable[[Path], None] | None = None
) -> Path:
    """Write <out>/cuda-labs.tar.gz. The same sources give the same bytes, but for PDF files' dates.

    GraderError where a tool is missing, InstructorError where a lab cannot be given away as it is.
    """
    files = sorted(_files(repository, pdf), key=lambda packed: packed.path)
    target, raw = out / f"{FOLDER}.tar.gz", io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as stream:
        _write(files, stream)
    store.write_bytes(target, raw.getvalue())
    if tell:
        tell(target)
    return target


def _write(files: list[Packed], stream: gzip.GzipFile) -> None:
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for packed in files:
            about = tarfile.TarInfo(f"{FOLDER}/{packed.path}")
            about.size = len(packed.content)
            about.mode = 0o755 if packed.executable else 0o644
            about.uname = about.gname = "root"
            archive.addfile(about, io.BytesIO(packed.content))


def _files(repository: Repository, pdf: bool) -> Iterator[Packed]:
    labs = lab.find(repository)
    shop = session.prepare(repository, labs, session.Wish("emulator"))
    for place in shop.places:
        yield from _lab(repository, place, shop)
    for folder in _SOURCES:
        yield from _folder(repository, folder)
    for name in _FILES:
        yield _copied(repository, name)
    yield from _python(repository)
    yield from _examples(repository)
    yield from _tools(repository, labs)
    yield from _handouts(repository, pdf)
    yield replace(_copied(repository, "Makefile"), path="grader/build.mk")
    for name in ("Makefile", "README.md"):
        yield replace(_copied(repository, f"grader/release/{name}"), path=name)


def _copied(repository: Repository, name: str) -> Packed:
    path = need(repository.root / name, "is this the whole repository?")
    return Packed(name, path.read_bytes(), bool(path.stat().st_mode & 0o100))


def _folder(repository: Repository, folder: str) -> Iterator[Packed]:
    for path in sorted((repository.root / folder).rglob("*")):
        name = path.relative_to(repository.root).as_posix()
        kept = path.suffix in _SUFFIXES and "__pycache__" not in path.parts
        if path.is_file() and kept:
            yield _copied(repository, name)


# --- a lab -------------------------------------------------------------------------------------


def _lab(repository: Repository, place: Place, shop: Workshop) -> Iterator[Packed]:
    """The students' files, lab.toml without hidden cases, and what the solution came to in numbers."""
    item = place.lab
    folder = f"labs/{item.name}"
    for name in ("harness.cpp", *item.files):
        if (repository.root / folder / name).is_file():
            yield _copied(repository, f"{folder}/{name}")
    for name in item.files:  # a second time, for `warpgrade reset`
        if (repository.root / folder / name).is_file():
            yield replace(_copied(repository, f"{folder}/{name}"), path=f"{folder}/{ORIGINAL}/{name}")
    text = (repository.root / folder / lab.FILE).read_text(encoding="utf-8")
    yield Packed(f"{folder}/{lab.FILE}", without_hidden(text, item).encode())
    told = store.text_of("", _released(repository, place, shop))
    yield Packed(f"{folder}/{RELEASED}.json", told.encode())


def without_hidden(text: str, item: Lab) -> str:
    """lab.toml without its hidden cases; their points stand under points.elsewhere."""
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
    """Remove these of the tables [[name]], each with the comment lines right above its header.

    TOML kit keeps such lines at the end of what stands before the header.
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


def _released(repository: Repository, place: Place, shop: Workshop) -> Released:
    """Time the solution beside itself and keep what was counted, without its places in the source."""
    reference, item = place.reference, place.lab
    if reference.fatbin is None:
        raise GraderError("this is a students' copy: it cannot be released again")
    solution = from_file(repository.solution(item.name) / item.files[0], item, "reference")
    ran = run(reference.build, reference.fatbin, solution, item, shop.bench, reference, place.data)
    if ran.problem:
        raise GraderError(
            f"{item.name}: {ran.problem.message}", remedy=ran.problem.remedy or "type `make tools`"
        )
    launches = tuple(replace(launch, sites=()) for launch in ran.launches if is_reference(launch))
    if not launches:
        raise InstructorError("the solution is not right in every case", file=repository.solution(item.name))
    build = replace(reference.build, diagnostics=(), summary="", fatbin="", fatbin_hash="")
    return Released(build, launches)


# --- the rest ----------------------------------------------------------------------------------


def _python(repository: Repository) -> Iterator[Packed]:
    """Their part of the grader."""
    package = "grader/warpgrade"
    for packed in _folder(repository, package):
        below = Path(packed.path).relative_to(package)
        if below.parts[0] not in STAFF_PACKAGES:
            yield packed


def _examples(repository: Repository) -> Iterator[Packed]:
    """The handouts' programs, without markers."""
    for path in sorted((repository.root / "handouts" / "examples").glob("*.cu")):
        name = path.relative_to(repository.root).as_posix()
        text = excerpts.cut(path.read_text(encoding="utf-8"), name, View.STUDENT)
        yield Packed(name, text.encode())


def _tools(repository: Repository, labs: tuple[Lab, ...]) -> Iterator[Packed]:
    """The emulator, the harnesses and the generator, as they are built here, without debug information."""
    with tempfile.TemporaryDirectory(prefix="warpgrade-release-") as folder:
        for path in (
            repository.emulator,
            repository.generator,
            *(repository.harness(item.name) for item in labs),
        ):
            stripped = Path(folder) / path.name
            shutil.copyfile(need(path, "type `make tools`"), stripped)
            outcome = process.run_trusted(["strip", "--strip-unneeded", str(stripped)], {}, _STRIP)
            if outcome.status != 0:
                raise GraderError(f"strip failed: {outcome.stderr.strip()[:200]}", file=path)
            yield Packed(path.relative_to(repository.root).as_posix(), stripped.read_bytes(), executable=True)


def _handouts(repository: Repository, pdf: bool) -> Iterator[Packed]:
    with tempfile.TemporaryDirectory(prefix="warpgrade-release-") as folder:
        make_handouts(repository.root, Path(folder), pdf=pdf)
        for path in sorted((Path(folder) / Edition.STUDENT).iterdir()):
            if path.suffix == ".html" or (pdf and path.suffix == ".pdf"):
                yield Packed(f"handouts/{path.name}", path.read_bytes())
