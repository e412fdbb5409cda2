"""Make the students' files in labs/ from the marked files in solutions/."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core import store
from . import markers

_CUT_SUFFIXES = frozenset({".cu", ".cuh"})


@dataclass(frozen=True)
class Skeleton:
    """What one file of a lab ought to hold."""

    lab: str
    source: Path  # the marked file in solutions/
    path: Path  # the student's file in labs/
    text: str

    @property
    def fresh(self) -> bool:
        """Whether the file in labs/ holds these very bytes."""
        try:
            return self.path.read_bytes() == self.text.encode()
        except FileNotFoundError:
            return False


def all_of(root: Path) -> tuple[Skeleton, ...]:
    """The skeletons of every lab under `root`. Raises InstructorError for a bad marker."""
    return tuple(_skeletons(root))


def write(skeletons: tuple[Skeleton, ...]) -> tuple[Skeleton, ...]:
    """Write those that are stale or missing, and return them."""
    stale = tuple(skeleton for skeleton in skeletons if not skeleton.fresh)
    for skeleton in stale:
        store.write_text(skeleton.path, skeleton.text)
    return stale


def make(root: Path, check: bool) -> list[Skeleton]:
    """The stale skeletons under `root`; they are written unless `check` only asks."""
    stale = tuple(skeleton for skeleton in all_of(root) if not skeleton.fresh)
    return list(stale if check else write(stale))


def student_text(text: str, file: str, lab: str) -> str:
    """A marked file as a student opens it. `file` is its path below the repository's root."""
    return _head(file, lab) + markers.cut(text, file, markers.View.STUDENT).lstrip("\n")


def _skeletons(root: Path) -> Iterator[Skeleton]:
    for source in sorted((root / "solutions").glob("*/*")):
        if source.suffix not in _CUT_SUFFIXES:
            continue
        lab = source.parent.name
        text = student_text(source.read_text(encoding="utf-8"), source.relative_to(root).as_posix(), lab)
        yield Skeleton(lab, source, root / "labs" / lab / source.name, text)


def _head(file: str, lab: str) -> str:
    """Two readers open this file; each line speaks to one of them."""
    return (
        f"// Lab {lab}: this file is yours. Fill in the TODOs, then type: make check LAB={lab}\n"
        f"// (Course staff: made by `make skeletons` from {file}; edit that one.)\n\n"
    )
