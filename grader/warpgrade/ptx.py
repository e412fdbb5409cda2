"""The little that the pipeline reads from PTX and from ptxas: kernels, parameters, resources."""

from __future__ import annotations

import math
import re

from .records import Resources

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?")
# Inline assembly may bring comments and strings that look like code. As ptxas reads it, a string ends at the
# next quote, whatever stands before it, and may span lines; a comment ends at a newline and at nothing else.
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"', re.DOTALL)
_AROUND_SIGNS = re.compile(r"\s*([,;:{}()\[\]])\s*")
_VARIABLE = re.compile(
    r"^[ \t]*(?:\.\w+[ \t]+)*\.global\b[^;={(\[]*?\.[bsuf](\d+)[ \t]+[\w$]+((?:\[\d+\])*)", re.MULTILINE
)
_TENSOR = re.compile(r"(?<![\w.$%])(?:w?mma|wgmma|tcgen05)\s*\.[\w.:]+")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)[^,\[]*(\[\d+\])?")
_TOO_MUCH_SHARED = re.compile(r"Entry function '([\w$]+)' uses too much shared data \((0x[0-9a-f]+) bytes")


def kernels(text: str) -> dict[str, tuple[str, ...]]:
    """Name of each kernel → PTX types of its parameters, such as ("u64", "u64", "u32")."""
    return {
        name: tuple(kind + array for kind, array in _PARAMETER.findall(parameters))
        for name, parameters in _ENTRY.findall(_NO_CODE.sub(" ", text))
    }


def essence(text: str) -> str:
    """What the assembler sees of it: no comments, and blanks only where they part words."""
    code = _NO_CODE.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)
    return _AROUND_SIGNS.sub(r"\1", " ".join(code.split()))


def packed(fatbin: bytes) -> str:
    """The first PTX in a fat binary that is not compressed."""
    start = max(0, fatbin.find(b".version"))
    return fatbin[start:].partition(b"\0")[0].decode("utf-8", "replace")


def tensor_instruction(text: str) -> tuple[str, int] | None:
    """The first instruction of the tensor cores and its line (from 1); None where there is none."""
    code = _NO_CODE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)
    match = _TENSOR.search(code)
    return (match[0], code.count("\n", 0, match.start()) + 1) if match else None


def global_bytes(text: str) -> int:
    """Device memory that the module's own variables take. ptxas counts it too, but in 32 bits."""
    total = 0
    for bits, dimensions in _VARIABLE.findall(text):
        total += int(bits) // 8 * math.prod(map(int, re.findall(r"\d+", dimensions)))
    return total


def unmangled(name: str) -> str:
    """The function's own name in a C++ symbol: _Z12matmul_tiledPKf → matmul_tiled."""
    match = re.match(r"_Z(?:N\w*?)?(\d+)", name)
    return name[match.end() : match.end() + int(match[1])] if match else name


def resources(report: str, kernel: str, architecture: str) -> Resources | None:
    """What `ptxas -v` says about the kernel; None where it says nothing."""
    too_much = _TOO_MUCH_SHARED.search(report)
    if too_much and too_much[1] == kernel:
        return Resources(architecture, 0, int(too_much[2], 16), 0, 0, 0, 0, 0)
    start = report.find(f"Compiling entry function '{kernel}'")
    if start < 0:
        return None
    about = report[start:].split("Compiling entry function")[1]

    def number(pattern: str) -> int:
        match = re.search(pattern, about)
        return int(match[1]) if match else 0

    return Resources(
        architecture=architecture,
        registers=number(r"Used (\d+) registers"),
        shared_bytes=number(r"(\d+) bytes smem"),
        stack_bytes=number(r"(\d+) bytes stack frame"),
        spill_stores=number(r"(\d+) bytes spill stores"),
        spill_loads=number(r"(\d+) bytes spill loads"),
        barriers=number(r"used (\d+) barriers"),
        constant_bytes=sum(map(int, re.findall(r"(\d+) bytes cmem", about))),
    )
