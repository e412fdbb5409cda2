"""What the names of files in a download from Canvas, Moodle or Blackboard say."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from . import archive

# Sortable name, optional LATE, user, attachment, file. Anonymous downloads have LATE_ before anon_.
_CANVAS = re.compile(
    r"^(?P<name>[^_]+)(?P<late>_LATE)?_(?P<user>\d+)_(?P<stamp>\d+)_(?P<file>.+)$", re.DOTALL
)
_CANVAS_BLIND = re.compile(r"^(?P<late>LATE_)?anon_(?P<user>[^_]+)_(?P<stamp>\d+)_(?P<file>.+)$", re.DOTALL)
_CANVAS_COPY = re.compile(r"-\d+(?=\.[A-Za-z0-9.]+$)")  # kernel-1.cu: the name of a second upload
_MOODLE = re.compile(
    r"^(?P<name>.+?)_(?P<user>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?$", re.DOTALL
)
# The pattern is greedy for folders, whose names end with Moodle's own part, and lazy for files, whose names
# end with a part that the student chose: a student's choice never looks like Moodle's part.
_MOODLE_FOLDER = re.compile(_MOODLE.pattern.replace("(?P<name>.+?)", "(?P<name>.+)"), re.DOTALL)
# Task and user are separated by "_", which both may contain: see without_task.
_BLACKBOARD = re.compile(
    r"^(?P<who>.+?)_attempt_(?P<stamp>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)$", re.DOTALL
)


@dataclass(frozen=True)
class Piece:
    """One file or folder of one student's attempt."""

    user: str
    name: str
    stamp: str  # sorts in the order of the attempts
    file: str  # its name in the submission; "": the folder is the submission
    path: Path
    late: bool = False
    submitted: str = ""
    excluded: str = ""  # why it is not part of the submission


Pieces = dict[tuple[str, str], list[Piece]]  # by user id and name: both must agree


def _canvas(path: Path) -> Piece | None:
    match = _CANVAS_BLIND.match(path.name) or _CANVAS.match(path.name)
    if match is None or not path.is_file():
        return None
    name = match["name"] if "name" in match.groupdict() else f"anon {match['user']}"
    stamp = match["stamp"].rjust(20, "0")
    return Piece(match["user"], name, stamp, match["file"], path, bool(match["late"]))


def _moodle(path: Path) -> Piece | None:
    match = (_MOODLE_FOLDER if path.is_dir() else _MOODLE).match(path.name)
    if match is None:
        return None
    excluded = "a text typed online is no source file" if match["kind"] == "onlinetext" else ""
    file = "" if path.is_dir() else match["file"] or ""
    if not excluded and not file and not path.is_dir():
        return None
    return Piece(match["user"], match["name"], "", file, path, excluded=excluded)


def _blackboard(path: Path) -> Piece | None:
    match = _BLACKBOARD.match(path.name)
    if match is None or not path.is_file():
        return None
    day, clock = match["stamp"][:10], match["stamp"][11:].replace("-", ":")
    excluded = "" if match["file"] else "manifest"
    return Piece(match["who"], match["who"], match["stamp"], match["file"] or "", path,
                  submitted=valid_time(f"{day}T{clock}"), excluded=excluded)  # fmt: skip


def without_task(pieces: Pieces) -> Pieces:
    """Blackboard's users without the task, the common prefix of all names: Lab 2_j_doe → j_doe."""
    first, last = min(pieces, default=("", ""))[0], max(pieces, default=("", ""))[0]
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    task = "".join(letter for letter, _ in alike).rpartition("_")[0]
    return {key: [replace(piece, name=key[0][len(task) + 1 :] if task else key[0]) for piece in group]
            for key, group in pieces.items()}  # fmt: skip


PARSERS: dict[str, Callable[[Path], Piece | None]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "blackboard": _blackboard,
}


def latest_uploads(group: Sequence[Piece]) -> list[Piece]:
    """Canvas's files of one student, without those that a later upload of the same name replaced.

    Canvas names the second upload of kernel.cu kernel-1.cu. Both names occur only if both attempts were
    downloaded; a single kernel-1.cu is the latest kernel.cu.
    """
    names = {piece.file for piece in group}
    latest: dict[str, Piece] = {}
    for piece in group:
        plain = _CANVAS_COPY.sub("", piece.file)
        again = plain in names or plain.endswith(archive.SUFFIXES)
        latest[plain if again else piece.file] = piece
    return [replace(piece, file=name) for name, piece in latest.items()]


def valid_time(stamp: str) -> str:
    """The stamp, "" if there is no such day or hour."""
    try:
        datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    return stamp
