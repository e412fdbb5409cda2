"""A student's files: packs the archive to hand in, and resets a lab to its skeleton."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core import store
from ..core.errors import UsageError
from ..core.paths import Repository, typed
from ..records import Lab
from ..solution.skeletons import original

_STAMP = (2020, 1, 1, 0, 0, 0)  # a fixed time: the same files give the same bytes


@dataclass(frozen=True)
class Packed:
    """An archive to hand in. `untouched`: labs left out because their files are still skeletons."""

    content: bytes
    labs: tuple[str, ...]
    untouched: tuple[str, ...]


def pack(repository: Repository, labs: Sequence[Lab]) -> Packed:
    """Write a zip file with <lab>/<file> for each lab whose files differ from the skeleton."""
    stream = io.BytesIO()
    packed, untouched = [], []
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for lab in labs:
            texts = {name: _read(repository.labs / lab.name / name) for name in lab.files}
            if all(text == original(repository, lab.name, name) for name, text in texts.items()):
                untouched.append(lab.name)
                continue
            packed.append(lab.name)
            for name, text in texts.items():
                entry = zipfile.ZipInfo(f"{lab.name}/{name}", _STAMP)
                entry.external_attr = 0o100644 << 16
                archive.writestr(entry, text)
    if not packed:
        remedy = f"fill in a kernel.cu in labs/; {typed('list')} to see them"
        raise UsageError("nothing to hand in: no lab's files have changed", remedy=remedy)
    return Packed(stream.getvalue(), tuple(packed), tuple(untouched))


def reset(repository: Repository, lab: Lab) -> list[tuple[Path, Path]]:
    """Restore the skeletons. Returns (file, copy of the student's version) for each file that changed."""
    done = []
    for name in lab.files:
        file, text = repository.labs / lab.name / name, original(repository, lab.name, name)
        if text is None:
            raise UsageError(
                f"the skeleton of {lab.name} is missing", remedy="take it from the course's archive"
            )
        if file.is_file() and file.read_bytes() == text:
            continue
        copy = store.free_name(file)
        if file.is_file():
            file.replace(copy)
        store.write_bytes(file, text)
        done.append((file, copy))
    return done


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=file) from None
