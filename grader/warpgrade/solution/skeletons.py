"""Make the students' files in labs/ from the marked files in solutions/."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..core import store, toml
from ..core.paths import IN_A_CHECKOUT, ORIGINAL, Repository, file_hash
from ..course import fault_sheet, question_file
from . import markers

_CUT = "skeletons"  # build/skeletons.json: the hash of each file as it was cut last
_CUT_SUFFIXES = frozenset({".cu", ".cuh"})


@dataclass(frozen=True)
class Skeleton:
    """One file of a lab as it is cut from the solution."""

    lab: str
    source: Path  # the marked file in solutions/
    path: Path  # the student's file in labs/
    text: str

    @property
    def key(self) -> str:
        return f"{self.lab}/{self.path.name}"

    @property
    def fresh(self) -> bool:
        """Whether the file in labs/ has this text."""
        try:
            return self.path.read_bytes() == self.text.encode()
        except FileNotFoundError:
            return False


def all_of(root: Path) -> tuple[Skeleton, ...]:
    """The skeletons of every lab under `root`. Raises InstructorError for a bad marker."""
    return tuple(_skeletons(root))


def original(repository: Repository, lab: str, name: str) -> bytes | None:
    """The skeleton's file; None if neither a copy of it nor the solution that it is cut from exists."""
    given = repository.labs / lab / ORIGINAL / name
    if given.is_file():
        return given.read_bytes()
    if not repository.solution(lab).is_dir():
        return None
    wanted = repository.labs / lab / name
    return next((each.text.encode() for each in all_of(repository.root) if each.path == wanted), None)


def write(skeletons: tuple[Skeleton, ...]) -> tuple[Skeleton, ...]:
    """Write the skeletons that are stale or missing; returns them."""
    stale = tuple(skeleton for skeleton in skeletons if not skeleton.fresh)
    for skeleton in stale:
        store.write_text(skeleton.path, skeleton.text)
    return stale


def begin(root: Path, lab: str) -> tuple[Path, ...]:
    """Write the students' files of a lab that is new. Nobody has filled them in: `make` may replace them."""
    cut = write(tuple(each for each in all_of(root) if each.lab == lab))
    _remember(root, {**_cut_last(root), **_hashes(cut)})
    return tuple(each.path for each in cut)


def make(root: Path, check: bool) -> list[tuple[Skeleton, Path | None]]:
    """The stale skeletons under `root`, each with the copy of what somebody had written into its file.

    Writes them unless `check`.
    """
    skeletons = all_of(root)
    if check:
        return [(skeleton, None) for skeleton in skeletons if not skeleton.fresh]
    known = _cut_last(root)
    copies = {skeleton.path: _set_aside(skeleton, known) for skeleton in skeletons}
    stale = write(skeletons)
    _remember(root, _hashes(skeletons))
    return [(skeleton, copies[skeleton.path]) for skeleton in stale]


def _hashes(skeletons: tuple[Skeleton, ...]) -> dict[str, str]:
    return {each.key: file_hash(each.path) for each in skeletons}


def _cut_last(root: Path) -> dict[str, str]:
    return store.load(root / "build", _CUT, None, dict[str, str]) or {}


def _remember(root: Path, hashes: dict[str, str]) -> None:
    store.save(root / "build", _CUT, "", hashes)


def _set_aside(skeleton: Skeleton, known: Mapping[str, str]) -> Path | None:
    """Rename a file that is neither this skeleton nor the one that was cut last. Its new name."""
    file = skeleton.path
    if skeleton.fresh or not file.is_file() or known.get(skeleton.key) == file_hash(file):
        return None
    return file.replace(store.free_name(file))


def student_text(text: str, file: str, lab: str) -> str:
    """The student's version of a marked file. `file`: its path below the repository's root."""
    return _head(file, lab) + markers.cut(text, file, markers.View.STUDENT).lstrip("\n")


def _skeletons(root: Path) -> Iterator[Skeleton]:
    for source in sorted((root / "solutions").glob("*/*")):
        if source.name == question_file.FILE:
            yield from _sheets(root, source)
        if source.suffix == ".toml":
            yield from _fault_sheets(root, source)
        if source.suffix not in _CUT_SUFFIXES:
            continue
        lab = source.parent.name
        text = student_text(source.read_text(encoding="utf-8"), source.relative_to(root).as_posix(), lab)
        yield Skeleton(lab, source, root / "labs" / lab / source.name, text)


def _sheets(root: Path, source: Path) -> Iterator[Skeleton]:
    """The file of answers of a lab of questions, as students get it."""
    folder = root / "labs" / source.parent.name
    if (folder / "lab.toml").is_file():
        text = question_file.blank_sheet(folder.name)
        yield Skeleton(folder.name, source, folder / question_file.ANSWERS, text)


def _fault_sheets(root: Path, source: Path) -> Iterator[Skeleton]:
    """The file in which students name faults, where `source` is the solution's."""
    folder = root / "labs" / source.parent.name
    if not (folder / "lab.toml").is_file():
        return
    try:
        rows = toml.parsed((folder / "lab.toml").read_bytes())[1].get("fault", [])
    except toml.TomlMistake:
        return  # whoever loads the lab reports it
    faults = [row for row in rows if row.get("answers") == source.name]
    if faults:
        text = fault_sheet.blank(folder.name, source.name, faults)
        yield Skeleton(folder.name, source, folder / source.name, text)


def _head(file: str, lab: str) -> str:
    """A line for the student and a line for course staff."""
    return (
        f"// Lab {lab}: this file is yours. Fill in the TODOs, then type: {IN_A_CHECKOUT} check {lab}\n"
        f"// (Course staff: made by `make skeletons` from {file}; edit that one.)\n\n"
    )
