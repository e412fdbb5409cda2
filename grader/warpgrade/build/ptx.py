"""What the grader reads from PTX. `emu` reads the text, in the sandbox (emu.py): inline assembly can hold anything."""

from __future__ import annotations

import re
from dataclasses import dataclass


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
    has_preprocessor_line: bool  # such as `# 3 "file"`: ptxas accepts some of them
    without_long_comments: str | None  # the text without comments of several lines, None if it has none


def packed(fatbin: bytes) -> str:
    """The first PTX in a fat binary that is not compressed."""
    start = max(0, fatbin.find(b".version"))
    return fatbin[start:].partition(b"\0")[0].decode("utf-8", "replace")


def unmangled(name: str) -> str:
    """The function's own name in a C++ symbol: _Z12matmul_tiledPKf → matmul_tiled."""
    match = re.match(r"_Z(?:N\w*?)?(\d{1,4})", name)
    return name[match.end() : match.end() + int(match[1])] if match else name
