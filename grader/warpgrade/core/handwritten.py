"""Read a file that a person wrote, such as lab.toml, the salt or a roster, before anything parses it."""

from __future__ import annotations

import shlex
from pathlib import Path

from .errors import InstructorError

MOST_BYTES = 4 << 20


def is_there(file: Path) -> bool:
    """Whether anything has this name. A link to a missing file counts, as when a folder is not mounted: such
    a file must be reported, and not be treated as one that nobody wrote.
    """
    return file.exists() or file.is_symlink()


def content(file: Path, remedy: str) -> bytes:
    """The file's bytes. InstructorError if it is no regular file, too large, or cannot be read.
    FileNotFoundError if nothing has this name.
    """
    if file.exists() and not file.is_file():  # reading a pipe would wait for ever
        what = "is a folder, not a file" if file.is_dir() else "is not a regular file"
        raise InstructorError(what, file=file, remedy=remedy)
    try:
        if file.stat().st_size > MOST_BYTES:
            what = f"is larger than {MOST_BYTES >> 20} MiB, which is too large to be what it should be"
            raise InstructorError(what, file=file, remedy=remedy)
        return file.read_bytes()
    except FileNotFoundError:
        if not is_there(file):
            raise
        raise InstructorError("is a link to a file that is missing", file=file, remedy=remedy) from None
    except PermissionError as error:
        remedy = f"type `chmod u+r {shlex.quote(str(file))}`, if it is yours"
        raise InstructorError(f"cannot be read: {error.strerror}", file=file, remedy=remedy) from None
    except OSError as error:
        raise InstructorError(f"cannot be read: {error.strerror}", file=file, remedy=remedy) from None


def text(file: Path, remedy: str) -> str:
    """The content as UTF-8, without a byte order mark. Errors as content()."""
    try:
        return content(file, remedy).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InstructorError("is not UTF-8", file=file, remedy=remedy) from None
