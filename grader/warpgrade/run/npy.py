"""Read and write .npy files without NumPy, which a students' copy does not need."""

from __future__ import annotations

import ast
import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass

_MAGIC = b"\x93NUMPY"
_MOST_HEAD = 4096
_MOST = 1 << 40  # of an extent, and more than any file has
_ALIGNMENT = 64  # of the first element
# NumPy's letter and size of an element type → the letter of `struct`.
_FORMATS = {
    "f4": "f", "f8": "d", "f2": "e", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
    "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "B",
}  # fmt: skip
_KINDS = {"f": "float", "i": "int", "u": "uint"}
_TYPE = re.compile(r"[<|=]?([fiub])([1248])")


class NotNpy(ValueError):
    """The file is no .npy file that can be read; the text says why."""


@dataclass(frozen=True)
class NpyArray:
    """`body`: the elements in C order, little-endian."""

    dtype: str  # "f4"
    shape: tuple[int, ...]
    body: bytes

    @property
    def values(self) -> Sequence[float]:
        return struct.unpack(f"<{math.prod(self.shape)}{_FORMATS[self.dtype]}", self.body)


def read(data: bytes) -> NpyArray:
    """The array in the contents of a file. NotNpy if the format is another one, or if the length differs from
    the header.
    """
    if not data:
        raise NotNpy("was not written, or is empty")
    if data[:6] != _MAGIC or len(data) < 12:
        raise NotNpy("does not begin as a .npy file does: \\x93NUMPY, version, length of the head")
    (length,) = struct.unpack_from("<H" if data[6] == 1 else "<I", data, 8)
    begin = (10 if data[6] == 1 else 12) + length
    if length > _MOST_HEAD or begin > len(data):
        raise NotNpy("has a head that is longer than the file")
    head = _head(data[begin - length : begin])
    match = _TYPE.fullmatch(str(head.get("descr")))
    shape = head.get("shape")
    if match is None or match[1] + match[2] not in _FORMATS:
        raise NotNpy(f"holds elements of type {str(head.get('descr'))[:20]!r}")
    if not isinstance(shape, tuple) or not all(isinstance(each, int) and 0 <= each < _MOST for each in shape):
        raise NotNpy("has no shape in its head")
    if head.get("fortran_order") and len(shape) > 1:
        raise NotNpy("is in column-major order; write rows, with 'fortran_order': False")
    dtype = match[1] + match[2]
    body = data[begin:]
    wanted = math.prod(shape) * int(match[2])
    if len(body) != wanted:
        raise NotNpy(f"holds {len(body):,} bytes of elements; its shape {shape} needs {wanted:,}")
    return NpyArray(dtype, tuple(map(int, shape)), body)  # True is an integer, too


def written(array: NpyArray) -> bytes:
    """The array as a file of version 1.0, always in the same bytes."""
    order = "|" if array.dtype.endswith("1") else "<"
    head = f"{{'descr': '{order}{array.dtype}', 'fortran_order': False, 'shape': {array.shape}, }}"
    before = len(_MAGIC) + 4  # version, and two bytes for the length
    head += " " * (-(before + len(head) + 1) % _ALIGNMENT) + "\n"
    return _MAGIC + b"\x01\x00" + struct.pack("<H", len(head)) + head.encode() + array.body


def name_of(dtype: str) -> str:
    """NumPy's name of a type in bits, as in numpy.uint64: its short one, u8, is that of 8 bits elsewhere."""
    return f"{_KINDS[dtype[0]]}{8 * int(dtype[1:])}" if dtype[0] in _KINDS else "bool"


def _head(text: bytes) -> dict[str, object]:
    try:
        found = ast.literal_eval(text.decode("latin-1").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise NotNpy("has a head that is no Python dictionary") from None
    if not isinstance(found, dict):
        raise NotNpy("has a head that is no Python dictionary")
    return found
