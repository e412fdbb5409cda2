"""Reads one archive inside the sandbox: python3 -m warpgrade.submission.archive_worker

The folder it runs in holds `archive` and `request`, a JSON object. It writes `answer`: one line of JSON, and
after it the contents of the files that the line names, in that order. `archive.py` starts it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..core.errors import SubmissionError
from .collection import Collection, bad_path, plain, why
from .members import Caps, of_archive, open_plain

ARCHIVE, REQUEST, ANSWER, CLASS = (Path(name) for name in ("archive", "request", "answer", "class"))
_MIB = 1 << 20
MOST_CLASS_MEMBERS = 200_000
MOST_CLASS_BYTES = 4096 * _MIB
_MOST_NOTES = 500  # in an answer, whose line has a largest size


def main() -> None:
    request = json.loads(REQUEST.read_text(encoding="utf-8"))
    answer: dict[str, Any] = {"files": [], "notes": []}
    contents: list[bytes] = []
    try:
        if request["what"] == "collect":
            _collect(request, answer, contents)
        else:
            _unpack(request, answer["notes"])
    except SubmissionError as error:
        answer["refused"] = [error.message, error.remedy]
    except MemoryError:
        answer["refused"] = ["needs too much memory to unpack", "pack it again as .zip"]
    except Exception as error:  # whatever an archive makes Python's readers raise is the archive's fault
        answer["broken"] = why(error)
    answer["notes"] = _first(answer["notes"])
    with ANSWER.open("wb") as stream:
        stream.write(json.dumps(answer).encode() + b"\n")
        stream.writelines(contents)


def _collect(request: dict[str, Any], answer: dict[str, Any], contents: list[bytes]) -> None:
    """Gather source files; `request` holds the state of the submission so far, `answer` the new one."""
    before = {name: bytes(size) for name, size in request["files"].items()}
    found = Collection(Caps(**request["caps"]), files=dict(before), **request["counts"])
    try:
        members = of_archive(request["name"], lambda: open_plain(ARCHIVE), found.caps)
        found.take(members, request["prefix"], request["depth"])
    finally:
        files = {name: text for name, text in found.files.items() if text is not before.get(name)}
        answer["files"] = [[name, len(text)] for name, text in files.items()]
        answer["notes"] = found.notes
        answer["counts"] = found.counts()
        contents += files.values()


def _unpack(request: dict[str, Any], notes: list[str]) -> None:
    """The regular files of a whole class's archive, below the folder CLASS."""
    caps, total = Caps(**request["caps"]), 0
    for count, member in enumerate(of_archive(request["name"], lambda: open_plain(ARCHIVE), caps), 1):
        if member.is_folder:
            continue
        refusal = member.refusal or bad_path(member.name)
        content = b"" if refusal else member.read(caps.archive_bytes)
        total += len(content)
        if count > MOST_CLASS_MEMBERS or total > MOST_CLASS_BYTES:
            raise SubmissionError("is too large for a class", remedy="unpack it and name the folder")
        if len(content) > caps.archive_bytes:
            refusal = f"larger than {caps.archive_bytes // _MIB} MiB"
        refusal = refusal or _write(CLASS / member.name, content)
        if refusal:
            notes.append(f"left out {plain(member.name)}: {refusal}")


def _first(notes: list[str]) -> list[str]:
    """The first notes, and how many more there are: an archive may have ten thousand names of any letters."""
    more = len(notes) - _MOST_NOTES
    return [*notes[:_MOST_NOTES], f"and {more:,} more notes"] if more > 0 else notes


def _write(path: Path, content: bytes) -> str:
    """Why the file could not be written; "" if it was."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(content)
    except OSError as error:
        return error.strerror or "it cannot be written"
    return ""


if __name__ == "__main__":
    main()
