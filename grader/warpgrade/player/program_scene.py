"""A recording of any program on the emulator, which its user made: WARPGRADE_RECORD=FILE ./program."""

from __future__ import annotations

from pathlib import Path

from ..records import Finding, SourceFile, Submission
from ..run.harness import finding_of
from . import moments, recording, scene
from .scene import Scene

_BEGIN = b'{"format":'
_LARGEST = 1 << 20  # bytes of a source that is shown
_NO_NAMES = "This build has no names of variables: compile with -G to see them."


def is_recording(path: Path) -> bool:
    """Whether the file begins as a recording does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_BEGIN)) == _BEGIN


def of_file(path: Path) -> Scene:
    """The first recording in the file, with the source that it names, where that can be read."""
    made = recording.read(path.read_bytes())
    source = _source(made)
    text = source.read_text(encoding="utf-8", errors="replace") if source else ""
    scene.with_source(made, source.name if source else "", text)
    own = Submission("you", "", path.name, (SourceFile(made.head["source_name"], text),), "")
    found = [finding_of(row, own) for row in made.head["findings"]]
    here = tuple(made.head["block_index"])
    ours: tuple[Finding, ...] = tuple(each for each in found if tuple(each.place.block) in (here, ()))
    made.head["findings"] = moments.rows(ours, made)
    made.head["start"] = "#finding=1" if ours else "#step=1"
    notes = ("" if made.head["variables"] else _NO_NAMES, scene.cut_note(made))
    return Scene(made, made.head, tuple(filter(None, notes)))


def _source(made: recording.BlockRecording) -> Path | None:
    """The file in which most of the kernel's instructions are, if it is here."""
    count: dict[int, int] = {}
    for rows in made.head["instructions"]:
        for _, file, _, _ in rows:
            count[file] = count.get(file, 0) + 1
    for file in sorted(count, key=lambda each: -count[each]):
        path = Path(made.head["files"][file])
        if path.is_file() and path.stat().st_size < _LARGEST:
            return path
    return None
