"""The results of a class while it is graded: in a file, as 100,000 of them do not fit in memory."""

from __future__ import annotations

import pickle
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..core import store
from ..records import Result


class ResultFile(Mapping[str, Result]):
    """Results by the folder of their submission. Threads may add and read them at the same time.

    The file has no name, so it ends with the process; only this process can write to what is unpickled.
    """

    def __init__(self, out: Path) -> None:
        """`out`: an existing folder, on whose disk the file lies. GraderError where it cannot be made."""
        with store.writing(out):
            self._file = tempfile.TemporaryFile(dir=out)  # noqa: SIM115 - open as long as this object lives
        self._out, self._starts = out, dict[str, int]()
        self._lock = threading.Lock()

    def add(self, folder: str, result: Result) -> None:
        """GraderError where the disk is full."""
        with self._lock, store.writing(self._out):
            start = self._file.seek(0, 2)
            pickle.dump(result, self._file)
            self._file.flush()
            self._starts[folder] = start

    def __getitem__(self, folder: str) -> Result:
        start = self._starts[folder]
        with self._lock:
            self._file.seek(start)
            result: Result = pickle.load(self._file)
        return result

    def __contains__(self, folder: object) -> bool:
        return folder in self._starts

    def __iter__(self) -> Iterator[str]:
        return iter(self._starts)

    def __len__(self) -> int:
        return len(self._starts)
