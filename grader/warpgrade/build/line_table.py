"""Which line of PTX each machine instruction of a cubin comes from, as `ptxas -lineinfo` writes it.

The section .nv_debug_line_sass is a line number program of DWARF 2 (section 6.2); its relocations name the
section of code that each of its sequences is about.
"""

from __future__ import annotations

import bisect
import struct
from collections import defaultdict
from dataclasses import dataclass, field

_VERSION = 2
_EXTENDED, _COPY, _ADVANCE_ADDRESS, _ADVANCE_LINE, _CONST_ADD, _FIXED_ADVANCE = 0, 1, 2, 3, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2
_RELOCATION = 24  # bytes


@dataclass
class Lines:
    """Of one section: where a line begins, lowest address first."""

    at: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)

    def of(self, address: int) -> int:
        """0 where nothing is known."""
        place = bisect.bisect_right(self.at, address)
        return self.line[place - 1] if place else 0


def read(table: bytes, relocations: bytes, section_of_symbol: dict[int, int]) -> dict[int, Lines]:
    """By number of the section. Empty for a table that is none; ValueError where it is cut off."""
    try:
        about = {}
        for at in range(0, len(relocations) - _RELOCATION + 1, _RELOCATION):
            offset, info = struct.unpack_from("<QQ", relocations, at)
            about[offset] = section_of_symbol.get(info >> 32, 0)
        found: defaultdict[int, dict[int, int]] = defaultdict(dict)
        begin = 0
        while begin + 4 <= len(table):
            (size,) = struct.unpack_from("<I", table, begin)
            _Unit(table, begin + 4, begin + 4 + size, about, found).run()
            begin += 4 + size
    except (struct.error, IndexError):
        raise ValueError("the cubin's line table is cut off") from None
    return {
        section: Lines(*map(list, zip(*sorted(rows.items()), strict=True))) for section, rows in found.items()
    }


class _Unit:
    def __init__(
        self, table: bytes, at: int, end: int, about: dict[int, int], found: dict[int, dict[int, int]]
    ) -> None:
        self._table, self._at, self._end, self._about, self._found = table, at, end, about, found
        self._address, self._line, self._section = 0, 1, -1

    def _byte(self) -> int:
        self._at += 1
        return self._table[self._at - 1]

    def _leb(self, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def run(self) -> None:
        version, header = struct.unpack_from("<HI", self._table, self._at)
        if version != _VERSION:
            return
        program = self._at + 6 + header
        step, _, base, width, first = struct.unpack_from("<BBbBB", self._table, self._at + 6)
        operands = self._table[self._at + 11 : self._at + 10 + first]
        if not width or not first:
            raise ValueError("the cubin's line table has an impossible header")
        self._at = program
        while self._at < self._end:
            code = self._byte()
            if code >= first:
                self._address += (code - first) // width * step
                self._line += base + (code - first) % width
                self._row()
            elif code == _EXTENDED:
                self._extended()
            elif code == _COPY:
                self._row()
            elif code == _ADVANCE_ADDRESS:
                self._address += self._leb() * step
            elif code == _ADVANCE_LINE:
                self._line += self._leb(signed=True)
            elif code == _CONST_ADD:
                self._address += (255 - first) // width * step
            elif code == _FIXED_ADVANCE:
                self._address += struct.unpack_from("<H", self._table, self._at)[0]
                self._at += 2
            else:  # what these say (file, column …) is not needed
                for _ in range(operands[code - 1]):
                    self._leb()

    def _row(self) -> None:
        if self._section >= 0:
            self._found[self._section][self._address] = self._line

    def _extended(self) -> None:
        size = self._leb()
        if not size:
            return
        behind = self._at + size
        code = self._byte()
        if code == _END_SEQUENCE:
            self._address, self._line, self._section = 0, 1, -1
        elif code == _SET_ADDRESS and size == 9:
            self._section = self._about.get(self._at, -1)
            self._address = struct.unpack_from("<Q", self._table, self._at)[0]
        self._at = behind
