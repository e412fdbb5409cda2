"""Saved stages: one JSON file for each, under build/grades/<student>/<lab>/.

A file holds a record and the key of the inputs that the record was made from. It is written under a
temporary name, synced and renamed, so that it is complete or absent whenever the grader stops.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar

from .errors import UsageError, unwritable
from .serialize import dumps, from_data

T = TypeVar("T")
_PATIENCE = 5.0  # seconds to wait for the lock of a dead grader
_LONGEST_MAKE = 120.0  # seconds to wait for a process that makes what this one needs as well


def save(folder: Path, stage: str, key: str, record: Any) -> None:
    """Write <folder>/<stage>.json. GraderError where the disk is full or read-only."""
    write_text(folder / f"{stage}.json", text_of(key, record))


def text_of(key: str, record: Any) -> str:
    """The text that `save` writes."""
    return dumps({"key": key, "record": record})


def load(folder: Path, stage: str, key: str | None, kind: type[T]) -> T | None:
    """The saved record if its key is `key` (None: any key), else None."""
    try:
        data = json.loads((folder / f"{stage}.json").read_text(encoding="utf-8"))
        if key is not None and data["key"] != key:
            return None
        return from_data(kind, data["record"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # missing, damaged, or of an older grader: the stage runs again


def kept(folder: Path, stage: str, key: str, kind: type[T], make: Callable[[], T]) -> T:
    """The saved record; where there is none, `make` makes it and it is saved. Of several processes that need
    it at the same time one makes it, and the others wait.
    """
    known = load(folder, stage, key, kind)
    if known is None:
        with one_maker(folder / stage):
            known = load(folder, stage, key, kind)
            if known is None:
                known = make()
                save(folder, stage, key, known)
    return known


@contextlib.contextmanager
def one_maker(path: Path) -> Iterator[None]:
    """Let one process or thread at a time make what is to be kept at `path`. The others wait, for two minutes
    at most; they look then whether it is there. Nobody waits where no lock can be taken (a read-only disk).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.with_name(f".{path.name}.lock").open("a")
    except OSError:
        yield
        return
    with stream:
        _wait(stream)
        try:
            yield
        finally:  # not by closing it: a child that was forked meanwhile has it open
            with contextlib.suppress(OSError):
                fcntl.flock(stream, fcntl.LOCK_UN)


def _wait(stream: TextIO) -> None:
    patience = time.monotonic() + _LONGEST_MAKE
    while time.monotonic() < patience:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(0.01)
        except OSError:  # a file system without locks
            return


def write_text(path: Path, text: str) -> None:
    """Write the file atomically. A file with the same content is not touched."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes, mode: int | None = None) -> None:
    """`write_text` for bytes. `mode`: permissions of the file, for a program."""
    with contextlib.suppress(OSError):
        is_same = path.is_file() and path.read_bytes() == content
        if is_same and mode in (None, stat.S_IMODE(path.stat().st_mode)):
            return
    _write(path, (content,), mode)


def free_name(file: Path) -> Path:
    """kernel.cu → kernel.cu.1, or the first number without a file: for a copy of what is overwritten."""
    number = 1
    while (copy := file.with_name(f"{file.name}.{number}")).exists():
        number += 1
    return copy


def write_pieces(path: Path, pieces: Iterable[str]) -> None:
    """`write_text` for a text that is generated in pieces."""
    _write(path, (piece.encode() for piece in pieces))


def publish(made: Path, folder: Path) -> None:
    """Rename a finished folder, whose files are synced first: after a power cut it is complete or absent.

    OSError where the disk refuses, or where `folder` is there already.
    """
    for path in (*sorted(made.rglob("*")), made):
        _sync(path)
    made.rename(folder)
    _sync(folder.parent)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _write(path: Path, pieces: Iterable[bytes], mode: int | None = None) -> None:
    # Two threads may write the same file.
    beside = path.with_name(f".{path.name}.{threading.get_native_id()}")
    try:
        # A device such as /dev/stdout cannot be replaced.
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                stream.writelines(pieces)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise unwritable(path, error) from None


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """GraderError where the disk refuses what is written at `path`, or below it."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


def _sweep(folder: Path) -> None:
    """Remove temporary files of graders that were killed. The caller holds the lock."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.startswith(".") and name.rpartition(".")[2].isdecimal():
                with contextlib.suppress(OSError):
                    (Path(place) / name).unlink()


def _lock(stream: TextIO) -> str | None:
    """Take the lock. Returns the process number of a live holder, None if the lock was taken.

    A grader that was killed between fork and exec leaves a child that holds the lock for a moment, so a dead
    holder is waited for.
    """
    patience = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return None
        except OSError:
            stream.seek(0)
            holder = stream.read().strip()
        if _alive(holder) or time.monotonic() > patience:
            return holder
        time.sleep(0.01)


def _alive(process: str) -> bool:
    return process.isdigit() and Path("/proc", process).exists()


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Lock the folder. UsageError if another grader holds the lock."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / ".lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error) from None
    with stream:
        holder = _lock(stream)
        if holder is not None:
            raise UsageError(
                f"another grader (process {holder or '?'}) is at work here",
                file=folder,
                remedy="wait for it, or name another folder with --out",
            )
        _sweep(folder)
        stream.truncate(0)
        stream.write(f"{os.getpid()}\n")
        stream.flush()
        yield
