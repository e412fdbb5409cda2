"""The members of a folder or an archive, one after another. Runs inside the sandbox for archives.

An archive is hostile until shown otherwise. Lists of members, headers and streams are bounded before they
are read, and a decompressor writes no more than a cap to disk and takes no more than a share of memory.
"""

from __future__ import annotations

import bz2
import errno
import io
import lzma
import os
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Protocol, cast

from ..core.errors import SubmissionError

_MIB = 1 << 20
_MOST_HEADER_BYTES = 64 << 10  # of a tar's header: names, and what goes with them
_MOST_STREAMS = 1000  # one after another in one file, each of which may hold nothing
_MOST_MEMORY = 128 * _MIB  # of a decompressor
MOST_NAME = 500  # characters of a path in a submission
_PIECE = 64 << 10
_END_OF_ZIP, _END_BYTES, _MOST_COMMENT = b"PK\5\6", 22, 1 << 16
_END_OF_HUGE_ZIP, _HUGE_BYTES = b"PK\6\6", 56  # a second such record, with longer numbers
_IS_UTF_8 = 1 << 11  # a flag of a zip's member; without it Python reads the name as cp437
_LOCATOR_OF_HUGE_ZIP, _LOCATOR_BYTES = b"PK\6\7", 20
_LONG_HEADERS = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE,
                 tarfile.SOLARIS_XHDTYPE)  # fmt: skip
_PAX_HEADERS = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_MAGICS = {b"PK\3\4": ".zip", _END_OF_ZIP: ".zip", b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz"}
_TAR_KIND, _TAR_MAGIC = 156, 257  # offsets in a header's block
BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError,
          NotImplementedError, RuntimeError)  # fmt: skip

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True)
class Caps:
    """Bounds on one submission, all its archives together."""

    members: int = 10_000
    directory_bytes: int = 4 * _MIB  # of a zip's list of members
    unpacked_bytes: int = 256 * _MIB
    files: int = 200  # source files
    file_bytes: int = 1 * _MIB
    source_bytes: int = 8 * _MIB
    archive_bytes: int = 64 * _MIB  # of one archive, and of all archives in archives
    depth: int = 3  # archives in archives


class Member:
    """A name, why it must be left out ("" if not), and how to open it; a folder has no opener.

    `closed`: it is left out because the grader lacks a permission, which is no fault of the student.
    """

    def __init__(
        self, name: str, refusal: str, opener: Callable[[], object] | None, closed: bool = False
    ) -> None:
        self.name, self.refusal, self._opener, self.closed = name, refusal, opener, closed

    @property
    def is_folder(self) -> bool:
        return self._opener is None

    def read(self, most: int) -> bytes:
        """Up to one byte more than `most`, which shows that there is more."""
        assert self._opener is not None
        with cast("IO[bytes]", self._opener()) as stream:
            return stream.read(most + 1)


def open_plain(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def of_folder(top: Path) -> Iterator[Member]:
    """Every file and folder; never through a link. OSError if `top` cannot be read."""
    waiting = [""]  # not os.walk(), whose recursion ends at a thousand folders in folders
    while waiting:
        inside = waiting.pop()
        folders = []
        for path in sorted((top / inside).iterdir()):
            inner = f"{inside}{path.name}"
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode):
                refusal = "" if stat.S_ISREG(mode) else "not a regular file"
                closed = "" if refusal else why_closed(path)
                yield Member(inner, refusal or closed, partial(open_plain, path), bool(closed))
                continue
            closed = why_closed(path) if len(inner) <= MOST_NAME else ""
            refusal = closed or ("" if len(inner) <= MOST_NAME else "too many folders in folders")
            yield Member(inner, refusal, None, bool(closed))
            if not refusal:
                folders.append(f"{inner}/")
        waiting += reversed(folders)


def why_closed(path: Path) -> str:
    """Why the folder or file cannot be read; "" if it can."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
        if path.is_dir() and not os.access(path, os.X_OK, effective_ids=True):  # can be listed, not entered
            return f"cannot be read: {os.strerror(errno.EACCES)}"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return ""


def of_archive(name: str, opener: Opener, caps: Caps) -> Iterator[Member]:
    """The kind of an archive is what its first bytes say. Its name decides only where they say nothing:
    browsers decompress .tar.gz and leave the name, and people rename files."""
    with opener() as stream:
        begin = stream.read(tarfile.BLOCKSIZE)
    kind = next((kind for magic, kind in _MAGICS.items() if begin.startswith(magic)), None)
    if kind is None:  # a zip may begin with anything
        is_tar = not name.lower().endswith(".zip") or begin.startswith(b"ustar", _TAR_MAGIC)
        kind = ".tar" if is_tar else ".zip"
    return _zip(opener, caps) if kind == ".zip" else _tar(kind, opener, caps)


# --- zip ---------------------------------------------------------------------------------------


def _zip(opener: Opener, caps: Caps) -> Iterator[Member]:
    with opener() as stream:
        _bounded_directory(stream, caps)
        yield from _zipped(stream)


def _bounded_directory(stream: IO[bytes], caps: Caps) -> None:
    """Check the size of the list of members, which the archive's last record states, before ZipFile reads it.

    The record must be the one that ZipFile will take: bytes that look like one stand where anyone likes.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _END_BYTES - _MOST_COMMENT))
    tail = stream.read()
    stream.seek(0)
    last = tail[-_END_BYTES:]
    plain = last.startswith(_END_OF_ZIP) and last.endswith(b"\0\0")
    end = len(tail) - _END_BYTES if plain else tail.rfind(_END_OF_ZIP)
    if end < 0 or len(tail) < end + _END_BYTES:
        return  # no archive: ZipFile says so
    claimed = int.from_bytes(tail[end + 12 : end + 16], "little")
    locator = max(0, end - _LOCATOR_BYTES)
    if tail.startswith(_LOCATOR_OF_HUGE_ZIP, locator, end):  # some tools always write it
        record = tail[max(0, locator - _HUGE_BYTES) : end]
        claimed = int.from_bytes(record[40:48], "little") if record.startswith(_END_OF_HUGE_ZIP) else claimed
    if claimed > caps.directory_bytes:
        raise SubmissionError(
            f"holds more than {caps.members:,} files", remedy="hand in your source files only"
        )


def _zipped(stream: IO[bytes]) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            refusal = "" if kind in (0, stat.S_IFREG) else "not a regular file"
            if info.flag_bits & 1:
                refusal = "locked with a password"
            name = _decoded(info)
            name = name if "/" in name else name.replace("\\", "/")  # as some Windows tools write it
            yield Member(name, refusal, None if info.is_dir() else partial(archive.open, info))


def _decoded(info: zipfile.ZipInfo) -> str:
    """The name, as UTF-8 where its bytes are that: Info-ZIP stores it so and does not always set the flag."""
    if info.flag_bits & _IS_UTF_8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


# --- tar ---------------------------------------------------------------------------------------


class _TarFile(io.RawIOBase):
    """A seekable tar file that refuses headers of any size and lists of holes before tarfile reads them.

    While `reads_headers` holds, tarfile reads one header after another: a block of 512 bytes, and the content
    of a header that has one (a long name, PAX records) with one read() right after its block. Versions of
    tarfile differ in the methods that they call for it, and agree in these reads.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.reads_headers, self._kind = stream, True, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def read(self, size: int = -1) -> bytes:
        if not self.reads_headers:
            return self._stream.read(size)
        if not 0 <= size <= _MOST_HEADER_BYTES:
            raise SubmissionError(f"holds a header of more than {_MOST_HEADER_BYTES >> 10} KiB")
        content = self._stream.read(size)
        if self._kind in _LONG_HEADERS:  # this is its content
            if self._kind in _PAX_HEADERS and b"GNU.sparse." in content:
                raise _holes()
            self._kind = b""
        elif size == tarfile.BLOCKSIZE:
            self._kind = content[_TAR_KIND : _TAR_KIND + 1]
            if self._kind == tarfile.GNUTYPE_SPARSE:
                raise _holes()
        return content


def _holes() -> SubmissionError:
    """A list of holes is as long as it says, and tarfile reads all of it into memory."""
    return SubmissionError("holds a file with holes", remedy="pack it again without --sparse, or as .zip")


def _tar(kind: str, opener: Opener, caps: Caps) -> Iterator[Member]:
    with opener() as packed, tempfile.TemporaryFile(dir=".") as unpacked:
        cut = _unpack(_decompressed(kind, packed), unpacked, caps)
        file = _TarFile(unpacked)
        try:
            with tarfile.open(fileobj=file, mode="r:") as archive:
                for info in archive:
                    if info.offset_data + info.size > caps.unpacked_bytes:
                        raise _too_large(caps)
                    refusal = "" if info.isreg() or info.isdir() else "not a regular file"
                    opened = None if info.isdir() else partial(archive.extractfile, info)
                    file.reads_headers = False
                    yield Member(info.name, refusal, opened)
                    file.reads_headers = True
        except tarfile.TarError:
            if cut is None:
                raise
            raise cut from None
    if cut:
        raise cut


def _unpack(stream: IO[bytes], target: IO[bytes], caps: Caps) -> Exception | None:
    """Write the tar to `target`, up to the cap. Returns what cut it off: members before count."""
    written, error = 0, None
    try:
        while piece := stream.read(_MIB):
            written += len(piece)
            if written > caps.unpacked_bytes:
                raise _too_large(caps)
            target.write(piece)
    except BROKEN as cut:
        error = cut
    target.seek(0)
    return error


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """zlib's decompressor as those of bz2 and lzma look."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.eof and not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max(0, max_length))


def _decompressed(kind: str, packed: IO[bytes]) -> IO[bytes]:
    """`kind`: ".gz", ".bz2", ".xz", or ".tar" for none of them."""

    def xz() -> _Decompressor:
        return lzma.LZMADecompressor(memlimit=_MOST_MEMORY)

    makers: dict[str, Callable[[], _Decompressor]] = {".gz": _Gzip, ".bz2": bz2.BZ2Decompressor, ".xz": xz}
    return cast("IO[bytes]", _Streams(packed, makers[kind])) if kind in makers else packed


class _Streams(io.RawIOBase):
    """The contents of a file's streams, one after another; zeros may follow each."""

    def __init__(self, packed: IO[bytes], make: Callable[[], _Decompressor]) -> None:
        self._packed, self._make = packed, make
        self._stream, self._left, self._begun = make(), b"", 1

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while True:
            if self._stream.eof and not self._next():
                return b""
            data = self._left or (self._packed.read(_PIECE) if self._stream.needs_input else b"")
            if not data and self._stream.needs_input:
                raise EOFError("it ends in the middle")
            self._left = b""
            piece = self._stream.decompress(data, size if size > 0 else _PIECE)
            if piece:
                return piece

    def _next(self) -> bool:
        """Begin the next stream. Return whether there is one."""
        left = self._stream.unused_data.lstrip(b"\0")
        while not left:
            piece = self._packed.read(_PIECE)
            if not piece:
                return False
            left = piece.lstrip(b"\0")
        self._begun += 1
        if self._begun > _MOST_STREAMS:
            raise SubmissionError(f"is packed in more than {_MOST_STREAMS:,} pieces")
        self._stream, self._left = self._make(), left
        return True


def _too_large(caps: Caps) -> SubmissionError:
    return SubmissionError(f"unpacks to more than {caps.unpacked_bytes // _MIB} MiB")
