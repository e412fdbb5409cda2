"""Whether the toolkit's headers are as its wheels installed them: a truncated header causes errors on lines
of the file that includes it. A toolkit of the system has no list of its files, and is not compared.
"""

from __future__ import annotations

import base64
import csv
import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LISTS = "*.dist-info/RECORD"  # next to the folder "nvidia" of a wheel: path, "sha256=…", bytes
_KIND = "sha256="


@dataclass(frozen=True)
class _Header:
    file: Path
    digest: str
    bytes: int

    @property
    def is_whole(self) -> bool:
        try:
            if self.file.stat().st_size != self.bytes:
                return False
            found = hashlib.sha256(self.file.read_bytes()).digest()
        except OSError:
            return False
        return base64.urlsafe_b64encode(found).rstrip(b"=").decode() == self.digest


@functools.lru_cache(maxsize=8)
def damaged_header(folder: Path) -> Path | None:
    """The first header below `folder`, the toolkit's, that differs from its wheel's list."""
    return next((header.file for header in _headers(folder) if not header.is_whole), None)


def _headers(folder: Path) -> Iterator[_Header]:
    for root in folder.parents[:2]:  # wheels/nvidia/cu13 has its lists in wheels/
        for listed in sorted(root.glob(_LISTS)):
            with listed.open(encoding="utf-8", newline="") as rows:
                for name, digest, size, *_ in csv.reader(rows):
                    file = root / name
                    if digest.startswith(_KIND) and size and file.is_relative_to(folder / "include"):
                        yield _Header(file, digest.removeprefix(_KIND), int(size))
