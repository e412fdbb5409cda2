"""A recording of any program on the emulator, which its user made: WARPGRADE_RECORD=FILE ./program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..records import Finding, SourceFile, Submission
from ..run.harness import finding_of
from . import moments, recording, scene
from .scene import Scene

_BEGIN = b'{"format":'
_LARGEST = 1 << 20  # bytes of a source that is shown
_UNNAMED = "allocation "  # what the emulator calls memory without a name
_WORD = 4
_ELEMENTS = {  # bytes of those types that are no word
    **dict.fromkeys(("bool", "char", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("short", "unsigned short", "__half"), 2),
    **dict.fromkeys(("double", "long", "unsigned long", "long long", "unsigned long long"), 8),
}
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
    content = path.read_bytes()
    if not content:
        raise UsageError(
            "is empty: no launch had the kernel and the block that were asked for",
            file=path,
            remedy="leave out WARPGRADE_RECORD_KERNEL, or name the kernel as the emulator's report does",
        )
    made = recording.read(content)
    source = _source(made)
    _with_memory_of_findings(made.head)
    _with_pointers(made.head)
    text = source.read_text(encoding="utf-8", errors="replace") if source else ""
    scene.with_source(made, source.name if source else "", text)
    own = Submission("you", "", path.name, (SourceFile(made.head["source_name"], text),), "")
    found = [finding_of(row, own) for row in made.head["findings"]]
    here = tuple(made.head["block_index"])
    ours: tuple[Finding, ...] = tuple(filter(None, (moments.seen_from(here, each) for each in found)))
    made.head["findings"] = moments.rows(ours, made)
    made.head["start"] = "#finding=1" if ours else "#step=1"
    notes = ("" if made.head["variables"] else _NO_NAMES, scene.cut_note(made))
    return Scene(made, made.head, tuple(filter(None, notes)))


def _with_memory_of_findings(head: dict[str, Any]) -> None:
    """Add memory that a finding names and the recording does not: the emulator lists what has a name."""
    known = {int(row["address"], 16) for row in head["arrays"]}
    for memory in (each.get("memory") or {} for each in head["findings"]):
        if memory.get("space") != "global" or memory.get("relation") != "inside":
            continue
        begin = int(memory["address"], 16) - memory["distance"]
        if begin not in known:
            row = {"name": memory["allocation"], "address": hex(begin), "bytes": memory["allocation_bytes"]}
            head["arrays"].append(row)
            known.add(begin)


def _with_pointers(head: dict[str, Any]) -> None:
    """Call memory without a name as the kernel's parameter that points to its begin, with its elements."""
    names = {row["name"] for row in head["arrays"]}
    for variable in head["variables"]:
        for place in variable["places"]:
            value = head["parameters"][place[3]]["value"] if place[2] == "parameter" else None
            for row in head["arrays"]:
                if value is None or int(row["address"], 16) != int(value, 16) or variable["name"] in names:
                    continue
                row["element"] = _ELEMENTS.get(variable["type"]["name"].removesuffix("*"), _WORD)
                row["shape"] = [row["bytes"] // row["element"]]
                if row["name"].startswith(_UNNAMED):
                    row["name"] = variable["name"]


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
