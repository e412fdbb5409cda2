"""The data of a program's cases, as a lab's harness makes it."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warpgrade.run import npy

_OF = {"float": "f4", "double": "f8", "u8": "u1", "i32": "i4", "u32": "u4"}  # NumPy's names
_LETTERS = {"f4": "f", "f8": "d", "u1": "B", "i4": "i", "u4": "I"}  # those of `struct`


@dataclass(frozen=True)
class CaseArray:
    """`values`: before the program runs. `expected`: what it must write, and how far that may be off."""

    role: str
    type: str
    values: Sequence[float] = ()
    expected: Sequence[float] = ()
    tolerance: float = 0
    shape: tuple[int, ...] = ()

    @property
    def extents(self) -> tuple[int, ...]:
        return self.shape or (len(self.values or self.expected),)


def file(type: str, values: Sequence[float], shape: tuple[int, ...] = ()) -> bytes:
    """The values as a .npy file of that type of elements."""
    name = _OF[type]
    body = struct.pack(f"<{len(values)}{_LETTERS[name]}", *values)
    return npy.written(npy.NpyArray(name, shape or (len(values),), body))


def write(folder: Path, cases: Mapping[str, Mapping[str, CaseArray]]) -> Path:
    """The folder with the data of these cases."""
    rows = []
    folder.chmod(0o755)  # the sandbox reads it
    for case, arrays in cases.items():
        (folder / case).mkdir()
        for name, array in arrays.items():
            for at, content in _files(array).items():
                (folder / case / f"{name}{at}.npy").write_bytes(content)
        described = [
            {"name": name, "type": array.type, "shape": array.extents, "role": array.role}
            for name, array in arrays.items()
        ]
        rows.append({"name": case, "parameters": {}, "values": "", "seed": "1", "arrays": described})
    (folder / "cases.json").write_text(json.dumps({"lab": "a-lab", "cases": rows}))
    return folder


def _files(array: CaseArray) -> dict[str, bytes]:
    """By what follows the array's name."""
    wide = "double" if array.type in ("float", "double") else array.type
    files = {}
    if array.role in ("input", "inout"):
        files[""] = file(array.type, array.values, array.shape)
    if array.role in ("output", "inout"):
        expected = ".expected" if array.role == "inout" else ""
        files[expected] = file(wide, array.expected, array.shape)
        if array.tolerance:
            bounds = [array.tolerance] * math.prod(array.extents)
            files[".tolerance"] = file("double", bounds, array.shape)
    return files
