"""What archives say of themselves is bounded before it is believed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.errors import SubmissionError
from warpgrade.sandbox import process
from warpgrade.submission import archive
from warpgrade.submission.members import Caps

_MIB = 1 << 20
SANDBOX = "none" if process.why_unavailable("bwrap") else "bwrap"
CAPS = Caps()


def read(path: Path, caps: Caps = CAPS) -> archive.Contents:
    return archive.read(path, SANDBOX, caps)


def refused(path: Path, words: str, caps: Caps = CAPS) -> None:
    """And without much memory."""
    tracemalloc.start()
    with pytest.raises(SubmissionError, match=words):
        read(path, caps)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16 * _MIB


def with_long_header(path: Path, kind: bytes, size: int) -> Path:
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, size
    with gzip.open(path, "wb", 1) as stream:
        stream.write(header.tobuf(tarfile.USTAR_FORMAT))
        stream.write(f"{size} path=".encode().ljust(size - 1, b"a") + b"\n")
        stream.write(tarfile.TarInfo("01-basic/kernel.cu").tobuf() + bytes(1024))
    return path


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_header_of_many_megabytes(tmp_path: Path, kind: bytes) -> None:
    refused(with_long_header(tmp_path / "a.tar.gz", kind, 8 * _MIB), "holds a header of more than 64 KiB")


def test_a_long_header_right_behind_another(tmp_path: Path) -> None:
    """tarfile reads the second one on behalf of the first."""
    first = tarfile.TarInfo("x")
    content = b"20 path=01-basic/k.\n"
    first.type, first.size = tarfile.XHDTYPE, len(content)
    behind = gzip.decompress(
        with_long_header(tmp_path / "b.tar.gz", tarfile.GNUTYPE_LONGNAME, 8 * _MIB).read_bytes()
    )
    path = tmp_path / "a.tar"
    path.write_bytes(first.tobuf(tarfile.USTAR_FORMAT) + content.ljust(512, b"\0") + behind)
    refused(path, "holds a header of more than 64 KiB")


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_streams_one_after_another(tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as target:
        info = tarfile.TarInfo("01-basic/kernel.cu")
        info.size = 3
        target.addfile(info, io.BytesIO(b"abc"))
    content = stream.getvalue()
    path = tmp_path / f"a.tar.{ending}"
    path.write_bytes(pack(content[:700]) + pack(b"") + pack(content[700:]))
    assert read(path).files == {"01-basic/kernel.cu": b"abc"}
    path.write_bytes(pack(content)[:60])
    with pytest.raises(SubmissionError, match="cannot be read"):
        read(path)
    path.write_bytes(pack(b"") * 5000 + pack(content))
    refused(path, "is packed in more than 1,000 pieces")


def test_a_dictionary_of_gigabytes(tmp_path: Path) -> None:
    stream = bytearray(lzma.compress(bytes(2048), filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    end = 12 + (stream[12] + 1) * 4 - 4
    stream[stream.index(b"\x21\x01") + 2] = 40  # 4 GiB
    stream[end : end + 4] = struct.pack("<I", zlib.crc32(bytes(stream[12:end])))
    (tmp_path / "a.tar.xz").write_bytes(stream)
    refused(tmp_path / "a.tar.xz", "Memory usage limit")


def test_folders_count(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz", compresslevel=1) as target:
        for number in range(CAPS.members + 1):
            info = tarfile.TarInfo(str(number))
            info.type = tarfile.DIRTYPE
            target.addfile(info)
    refused(tmp_path / "a.tar.gz", "holds more than 10,000 files")


def test_what_is_left_out_counts_when_it_was_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as target:
        for number in range(5):
            target.writestr(f"{number}.cu", b" " * (_MIB + 1))
    refused(tmp_path / "a.zip", "unpacks to more than", replace(CAPS, unpacked_bytes=3 * _MIB))


def test_the_end_that_counts_is_the_one_that_is_read(tmp_path: Path) -> None:
    """Its count of members looks like the start of another end record, with nothing behind it."""
    row = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 5, *[0] * 6) + b"a.txt"
    directory = row * (CAPS.directory_bytes // len(row) + 1)
    end = struct.pack("<4sHH4sIIH", b"PK\5\6", 0, 0, b"PK\5\6", len(directory), 0, 0)
    (tmp_path / "a.zip").write_bytes(directory + end)
    refused(tmp_path / "a.zip", "holds more than 10,000 files")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar", "a.zip", "a.tar.xz"])
def test_what_a_file_is_counts_and_not_what_it_is_called(tmp_path: Path, mode: str, name: str) -> None:
    with tarfile.open(tmp_path / name, mode) as target:  # type: ignore[call-overload]
        info = tarfile.TarInfo("01-basic/kernel.cu")
        info.size = 3
        target.addfile(info, io.BytesIO(b"abc"))
    assert read(tmp_path / name).files == {"01-basic/kernel.cu": b"abc"}


def test_a_zip_that_is_called_otherwise(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as target:
        target.writestr("kernel.cu", "k")
    path = (tmp_path / "a.zip").rename(tmp_path / "a.tgz")
    assert read(path).files == {"kernel.cu": b"k"}


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Jürgen".encode(), "Jürgen"),
        ("Łukasz 日".encode(), "Łukasz 日"),
        ("Jürgen".encode("cp437"), "Jürgen"),
        (b"plain", "plain"),
    ],
)
def test_names_of_a_zip_without_the_flag_of_utf_8(tmp_path: Path, raw: bytes, name: str) -> None:
    """As Info-ZIP writes them where the locale is C, and older tools of Windows."""
    held = "x" * len(raw)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as target:
        target.writestr(f"{held}/kernel.cu", "k")
    packed = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(packed.replace(held.encode(), raw))
    assert read(tmp_path / "a.zip").files == {f"{name}/kernel.cu": b"k"}


def test_separators_of_windows(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as target:
        for name in ("01-basic\\kernel.cu", "..\\02-tiled\\kernel.cu"):
            info = zipfile.ZipInfo("x")
            info.filename = name
            target.writestr(info, "k")
    found = read(tmp_path / "a.zip")
    assert found.files == {"01-basic/kernel.cu": b"k"}
    assert found.notes == ("left out ../02-tiled/kernel.cu: a path that leads out of the submission",)


@pytest.mark.parametrize("claimed", [1 << 62, 300 * _MIB])
@pytest.mark.parametrize("by_pax", [True, False])
def test_a_member_that_claims_to_go_on_for_ever(tmp_path: Path, claimed: int, by_pax: bool) -> None:
    """tarfile goes to its end step by step, also where there is nothing: for centuries."""
    header = tarfile.TarInfo("a.bin")
    header.size = claimed if not by_pax else 0
    if by_pax:
        header.pax_headers = {"size": str(claimed)}
    path = tmp_path / "a.tar.gz"
    with gzip.open(path, "wb", 1) as stream:
        stream.write(header.tobuf(tarfile.PAX_FORMAT if by_pax else tarfile.GNU_FORMAT) + bytes(512))
    refused(path, "unpacks to more than 256 MiB")


@pytest.mark.parametrize(
    "headers",
    [{"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}, {"GNU.sparse.map": "0,1"}, {"GNU.sparse.size": "9"}],
)
def test_a_list_of_twenty_million_holes(tmp_path: Path, headers: dict[str, str]) -> None:
    holes = b"20000000\n" + b"0\n" * 20_000_000
    header = tarfile.TarInfo("a.cu")
    header.size, header.pax_headers = len(holes), headers
    path = tmp_path / "a.tar.xz"
    with lzma.open(path, "wb", preset=0) as stream:
        stream.write(header.tobuf(tarfile.PAX_FORMAT) + holes + bytes(-len(holes) % 512))
    refused(path, "holds a file with holes")


def test_holes_as_older_tools_write_them(tmp_path: Path) -> None:
    header = tarfile.TarInfo("a.cu")
    header.type = tarfile.GNUTYPE_SPARSE
    path = tmp_path / "a.tar"
    path.write_bytes(header.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    refused(path, "holds a file with holes")


def with_long_numbers(path: Path, directory_bytes: int | None = None) -> Path:
    """A zip with the record that some tools always write, for archives of more than 4 GiB."""
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("01-basic/kernel.cu", "int x;")
    whole = path.read_bytes()
    end = whole.rindex(b"PK\5\6")
    size, start = struct.unpack_from("<II", whole, end + 12)
    size = size if directory_bytes is None else directory_bytes
    record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    last = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(whole[:end] + record + locator + last)
    return path


def test_a_small_zip_with_long_numbers(tmp_path: Path) -> None:
    assert read(with_long_numbers(tmp_path / "a.zip")).files == {"01-basic/kernel.cu": b"int x;"}


def test_long_numbers_are_bounded_too(tmp_path: Path) -> None:
    refused(with_long_numbers(tmp_path / "a.zip", 8 * _MIB), "holds more than 10,000 files")
