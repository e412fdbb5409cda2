"""A recording of any program on the emulator, which its user made: WARPGRADE_RECORD=FILE ./program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..records import Finding, SourceFile, Submission
from ..run.emulator_rows import finding_of
from . import memory, moments, recording, scene
from .scene import Scene

_BEGIN = b'{"format":'
_LARGEST = 1 << 20  # bytes of a source that is shown
_NO_NAMES = "This build has no names of variables: compile with -G to see them."


def is_recording(path: Path) -> bool:
    """Whether the file begins as a recording does, or is one into which no launch was recorded."""
    if not path.is_file():
        return False
    if path.stat().st_size == 0:
        return path.suffix != ".cu"
    with path.open("rb") as file:
        return file.read(len(_BEGIN)) == _BEGIN


def of_file(path: Path) -> Scene:
    """The first recording in the file, with the source that it names, where that can be read."""
    if not is_recording(path):
        problem = (
            "is no recording" if path.exists() else "is not there; beside a recording stands another one"
        )
        raise UsageError(problem, file=path, remedy="make one: WARPGRADE_RECORD=FILE ./program")
    content = path.read_bytes()
    if not content:
        raise UsageError(
            "is empty: no launch had the kernel and the block that were asked for",
            file=path,
            remedy="leave out WARPGRADE_RECORD_KERNEL and WARPGRADE_RECORD_BLOCK",
        )
    made = recording.read(content)
    source = _source(made)
    _with_memory_of_findings(made.head)
    memory.complete(made)
    text = source.read_text(encoding="utf-8", errors="replace") if source else ""
    scene.with_source(made, source.name if source else "", text)
    own = Submission("you", "", path.name, (SourceFile(made.head["source_name"], text),), "")
    found = [finding_of(row, own) for row in made.head["findings"]]
    here = tuple(made.head["block_index"])
    ours: tuple[Finding, ...] = tuple(filter(None, (moments.seen_from(here, each) for each in found)))
    made.head["findings"] = moments.rows([_worded(each, made.head) for each in ours], made)
    made.head["start"] = "#finding=1" if ours else "#step=1"
    notes = ("" if made.head["variables"] else _NO_NAMES, scene.cut_note(made))
    return Scene(made, made.head, tuple(filter(None, notes)))


def _with_memory_of_findings(head: dict[str, Any]) -> None:
    """Add memory that a finding names and the recording does not: the emulator lists what has a name."""
    known = {int(row["address"], 16) for row in head["arrays"]}
    for place in (each.get("memory") or {} for each in head["findings"]):
        if place.get("space") != "global" or place.get("relation") != "inside":
            continue
        begin = int(place["address"], 16) - place["distance"]
        if begin not in known:
            row = {"name": place["allocation"], "address": hex(begin), "bytes": place["allocation_bytes"]}
            head["arrays"].append(row)
            known.add(begin)


def _worded(finding: Finding, head: dict[str, Any]) -> Finding:
    """The finding in the page's names of memory, which the emulator called "byte 4 of allocation 3"."""
    words = memory.words_of(head, finding.memory)
    if not words or finding.memory is None or not finding.memory.words:
        return finding
    return replace(finding, message=finding.message.replace(finding.memory.words, words))


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
