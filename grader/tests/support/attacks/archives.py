"""Archives and folders that no honest tool makes, from a recipe in an attack.toml.

[archive]
kind = "zip"                  # zip, tar, tar.gz, folder, file, link
empty_streams = 5000          # so many streams of nothing before a .tar.gz
[[archive.member]]
name = "../../escape/kernel.cu"
type = "file"                 # file, symlink, hardlink, device, fifo, folder, header (of a tar)
text = "…"                    # what a file holds; `from` takes it from a file of the attack,
times = 1000                  #   and it is repeated so many times
target = "/etc/passwd"        # of a link
count = 100000                # so many members; {} in the name is the number
controls = 200                # so many control characters before the name
mode = 0o644
claims = 4611686018427387904  # bytes that a tar's header says it has, where that is not so
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_TAR_TYPES = {
    "file": tarfile.REGTYPE, "symlink": tarfile.SYMTYPE, "hardlink": tarfile.LNKTYPE,
    "device": tarfile.CHRTYPE, "fifo": tarfile.FIFOTYPE, "folder": tarfile.DIRTYPE, "header": tarfile.XHDTYPE,
}  # fmt: skip
_MODES = {"file": stat.S_IFREG, "symlink": stat.S_IFLNK, "device": stat.S_IFCHR, "fifo": stat.S_IFIFO}


@dataclass(frozen=True)
class Member:
    name: str
    type: str
    content: bytes
    target: str
    mode: int
    claims: int


def forge(recipe: dict[str, Any], path: Path, folder: Path) -> None:
    """Make what the recipe says at `path`; `folder` holds the files that it refers to."""
    kind = recipe["kind"]
    if kind == "link":
        path.symlink_to(recipe["target"])
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "file":
        path.write_bytes(next(_members(recipe, folder)).content)
    elif kind == "folder":
        _folder(_members(recipe, folder), path)
    elif kind == "zip":
        _zip(_members(recipe, folder), path)
    else:
        with path.open("wb") as raw:
            raw.write(gzip.compress(b"") * recipe.get("empty_streams", 0))
            _tar(_members(recipe, folder), gzip.GzipFile("", "wb", 1, raw, 0) if kind == "tar.gz" else raw)
    for offset, value in recipe.get("patch", {}).items():
        _patch(path, int(offset), bytes.fromhex(value))


def _members(recipe: dict[str, Any], folder: Path) -> Iterator[Member]:
    for row in recipe.get("member", ()):
        text = (folder / row["from"]).read_bytes() if "from" in row else row.get("text", "").encode()
        content = text * row.get("times", 1)
        for number in range(row.get("count", 1)):
            name = "\1" * row.get("controls", 0) + row["name"].replace("{}", str(number))
            yield Member(
                name, row.get("type", "file"), content, row.get("target", ""), row.get("mode", 0o644),
                row.get("claims", len(content)),
            )  # fmt: skip


def _folder(members: Iterator[Member], top: Path) -> None:
    top.mkdir()
    for member in members:
        path = top / member.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.type == "symlink":
            path.symlink_to(member.target)
        elif member.type == "fifo":
            os.mkfifo(path)
        elif member.type == "folder":
            path.mkdir()
        else:
            path.write_bytes(member.content)
            path.chmod(member.mode)


def _zip(members: Iterator[Member], path: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # the same name twice is what some attacks are about
        for member in members:
            info = zipfile.ZipInfo(member.name)
            info.filename = member.name  # the constructor tidies it
            info.compress_type = zipfile.ZIP_DEFLATED if member.content else zipfile.ZIP_STORED
            info.external_attr = (_MODES.get(member.type, 0) | member.mode) << 16
            archive.writestr(info, member.target.encode() or member.content)


def _tar(members: Iterator[Member], stream: IO[bytes] | gzip.GzipFile) -> None:
    with stream, tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member in members:
            info = tarfile.TarInfo(member.name)
            info.type, info.linkname, info.mode = _TAR_TYPES[member.type], member.target, member.mode
            info.size = len(member.content) if member.type in ("file", "header") else 0
            info.devmajor, info.devminor = (1, 5) if member.type == "device" else (0, 0)
            if member.claims != len(member.content):
                info.size = member.claims
                stream.write(info.tobuf(tarfile.GNU_FORMAT))
                continue
            archive.addfile(info, io.BytesIO(member.content))


def _patch(path: Path, offset: int, value: bytes) -> None:
    """Overwrite bytes of the directory at a zip's end; offsets count from its first record."""
    content = path.read_bytes()
    start = content.index(b"PK\x01\x02") + offset
    path.write_bytes(content[:start] + value + content[start + len(value) :])
