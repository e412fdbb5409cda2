"""Names of folders whose paths have a given CRC-32.

nvcc names a module by the CRC-32 of its source's path, and what is local to a file by its module. Sources in
folders of one CRC-32 become the same machine code.
"""

from __future__ import annotations

import functools
import zlib

_LETTERS = 12
_PLAIN = b"p" * _LETTERS  # p to w differ in three bits
_BITS = 3


def letters(before: bytes, wanted: int) -> str:
    """Letters that make the CRC-32 of `before` and themselves `wanted`.

    CRC-32 is linear over GF(2): a bit of a letter flips the same bits of the sum, whatever else there is.
    """
    missing = zlib.crc32(_PLAIN, zlib.crc32(before)) ^ wanted
    flips = 0
    for bit in reversed(range(32)):
        if missing >> bit & 1:
            change, flipped = _changes()[bit]
            missing ^= change
            flips ^= flipped
    return bytes(_flipped(flips)).decode()


@functools.cache
def _changes() -> dict[int, tuple[int, int]]:
    """Highest bit → a change of the sum with that highest bit, and the bits of the letters that cause it."""
    found: dict[int, tuple[int, int]] = {}
    for each in range(_LETTERS * _BITS):
        flipped = 1 << each
        change = zlib.crc32(bytes(_flipped(flipped))) ^ zlib.crc32(_PLAIN)
        while change and (highest := change.bit_length() - 1) in found:
            change ^= found[highest][0]
            flipped ^= found[highest][1]
        if change:
            found[change.bit_length() - 1] = change, flipped
    return found


def _flipped(flips: int) -> list[int]:
    every = (1 << _BITS) - 1
    return [letter ^ (flips >> _BITS * place & every) for place, letter in enumerate(_PLAIN)]
