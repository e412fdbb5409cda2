"""Journals: files of lines that one process appends and others read while it writes.

A line is one JSON object. It is synced, so that other machines that share the folder see it, and a writer
that is killed loses at most its last line.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import unwritable


class JournalWriter:
    """Appends to a journal that no other process writes. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise unwritable(path, error) from None

    def write(self, **row: Any) -> None:
        line = json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n"
        with self._lock:
            try:
                os.write(self._file, line.encode())
                os.fsync(self._file)
            except OSError as error:
                raise unwritable(self._path, error) from None


class JournalReader:
    """Reads what was appended since the last time. It holds no file open."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset = path, 0

    def rows(self) -> Iterator[dict[str, Any]]:
        """The new complete lines. A line that is no object is skipped."""
        try:
            if self._path.stat().st_size <= self._offset:
                return
            with self._path.open("rb") as stream:
                stream.seek(self._offset)
                new = stream.read()
        except OSError:  # not there yet, or the file server does not answer
            return
        whole = new[: new.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row
