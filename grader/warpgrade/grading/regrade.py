"""A second grading of a class, in a folder beside the first one's until it is accepted."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..core import store
from ..core.errors import GraderError, UsageError, unwritable
from ..core.paths import typed
from ..records import Grades
from . import by_hand, saved_grades


def aside(out: Path) -> Path:
    """The folder of a second grading of `out` until it is accepted."""
    return out.with_name(f"{out.name}.regraded")


def start(out: Path) -> Path:
    """The folder for the new grading: a copy of the old one, so that only what is stale runs again."""
    place = aside(out)
    if not (out / "class.json").is_file():
        raise UsageError("holds no saved grades", file=out, remedy=f"{typed('grade')} first")
    try:
        shutil.copytree(out, place, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise unwritable(place, error) from None
    return place


def accept(out: Path, seen: Grades | None = None) -> Path:
    """Put the new grading in the old one's place. Returns the path to which the old one was moved.

    `seen`: the grades that were graded again. UsageError where the folder holds other ones by now.
    """
    number = 1
    while (kept := out.with_name(f"{out.name}.before-{number}")).exists():
        number += 1
    with store.claimed(out), store.claimed(aside(out)):
        if seen is not None and saved_grades.known(out) != seen:
            raise UsageError("was graded meanwhile", file=out, remedy=f"{typed('regrade')} again")
        try:
            out.rename(kept)
            aside(out).rename(out)
            _keep_by_hand(kept, out)
        except OSError as error:
            raise GraderError(f"cannot be renamed: {error.strerror}", file=out) from None
    return kept


def _keep_by_hand(old: Path, new: Path) -> None:
    """What people wrote into the folder since the second grading began counts, too."""
    for path in map(old.joinpath, by_hand.NAMES):
        if path.is_dir():
            shutil.copytree(path, new / path.name, dirs_exist_ok=True)
        elif path.is_file():
            shutil.copy2(path, new / path.name)
