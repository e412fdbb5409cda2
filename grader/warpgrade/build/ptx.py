"""What the grader reads from PTX. `emu` reads the text, in the sandbox (emu.py): inline assembly can hold
anything.
"""

from __future__ import annotations

import bisect
import fnmatch
import re
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True)
class FoundInstruction:
    form: str  # "mma.sync.aligned.m16n8k8"
    line: int  # of the PTX text, from 1


@dataclass(frozen=True)
class PtxSummary:
    """A PTX text before it is assembled, as `emu --dump=summary` writes it (docs/json-formats.md)."""

    kernels: dict[str, tuple[str, ...]]  # name → PTX types of its parameters, such as ("u64", "b8[24]")
    global_bytes: int  # of the module's variables. ptxas counts it too, but in 32 bits
    tensor: FoundInstruction | None  # the first instruction for tensor cores
    texture: FoundInstruction | None  # the first instruction that needs a texture or a surface
    opcodes: dict[str, int]  # opcode with its modifiers, "atom.global.add.f32" → instructions
    has_preprocessor_line: bool  # such as `# 3 "file"`: ptxas accepts some of them
    without_long_comments: str | None  # the text without comments of several lines, None if it has none


@dataclass(frozen=True)
class SourceLocations:
    """The .file and .loc directives of a PTX text, as `emu --dump=locations` writes them."""

    files: dict[str, str]  # number → path
    locs: tuple[tuple[int, int, int], ...]  # line of the PTX, number of the file, line in it; in order

    def at(self, line: int, of: str = "") -> tuple[str, int | None]:
        """File and line of the nearest .loc at or above this line of the PTX; with `of`, one of that file."""
        last = bisect.bisect_right(self.locs, line, key=lambda loc: loc[0])
        for _, number, source_line in reversed(self.locs[:last] if of else self.locs[last - 1 : last]):
            name = PurePosixPath(self.files.get(str(number), "")).name
            if of in ("", name):
                return name, source_line
        return "", None


NO_LOCATIONS = SourceLocations({}, ())


def counted(opcodes: dict[str, int], pattern: str) -> int:
    """Instructions whose opcode matches the pattern: * is any text, ? any sign."""
    return sum(count for opcode, count in opcodes.items() if fnmatch.fnmatchcase(opcode, pattern))


def unmangled(name: str) -> str:
    """The function's own name in a C++ symbol: _Z5scaleiPKf → scale."""
    match = re.match(r"_Z(?:N\w*?)?(\d{1,4})", name)
    return name[match.end() : match.end() + int(match[1])] if match else name
