"""The little that the pipeline reads from PTX and from ptxas: kernels, parameters, resources.

Inline assembly puts any text into PTX, and all of this runs before anyone has looked at it: each pattern
takes time in proportion to the text, whatever stands there, and numbers have an end.
"""

from __future__ import annotations

import math
import re

from ..records import Resources

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^()]*)\))?")
# Inline assembly may bring comments and strings that look like code. As ptxas reads it, a string ends at the
# next quote, whatever stands before it, and may span lines; a comment ends at a newline and at nothing else.
# What never ends goes on to the end: ptxas refuses it.
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"]*(?:"|\Z)', re.DOTALL)
_LONG_COMMENT = re.compile(r"/\*[^\n]*\n")
_AROUND_SIGNS = re.compile(r"\s*([,;:{}()\[\]])\s*")
_TYPE = re.compile(r"\.[bsuf](\d{1,3})")
_SIZES = re.compile(r"\[([^\[\]]*)\]")
_MOST_DIGITS = 18
_ARRAY = re.compile(r"[\w$]+((?:\s*\[[^\[\]]*\])*)")
_DIRECTIVE = re.compile(r"^[ \t\r\f\v]*#", re.MULTILINE)
_FUNCTION = re.compile(r"\.func(?![\w$])")
_TENSOR = re.compile(r"(?<![\w.$%])(?:w?mma|wgmma|tcgen05)\s*\.[\w.:]+")
_TEXTURE = re.compile(r"(?<![\w.$%])(?:tex|tld4|txq|suld|sust|sured|suq)\s*\.[\w.:]+")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)[^,\[]*(\[\d+\])?")
_ERROR = re.compile(r"ptxas .*\b(?:error|fatal)\s*:(?! Ptx assembly aborted)")
_TOO_MUCH_SHARED = re.compile(
    r"ptxas error\s*: Entry function '([\w$]+)' uses too much shared data \((0x[0-9a-f]{1,16}) bytes"
)


def kernels(text: str) -> dict[str, tuple[str, ...]]:
    """Name of each kernel → PTX types of its parameters, such as ("u64", "u64", "u32")."""
    return {
        name: tuple(kind + array for kind, array in _PARAMETER.findall(parameters))
        for name, parameters in _ENTRY.findall(_NO_CODE.sub(" ", text))
    }


def essence(text: str) -> str:
    """What the assembler sees of it, each line in its place: no comments, and blanks only between words."""
    code = _NO_CODE.sub(lambda match: match[0] if match[0].startswith('"') else _blank(match), text)
    lines = (_AROUND_SIGNS.sub(r"\1", " ".join(line.split())) for line in code.split("\n"))
    return "\n".join(lines).strip("\n")


def without_long_comments(text: str) -> str:
    """Comments of several lines as empty lines: fatbinary drops these lines, and ptxas counts them."""
    return _NO_CODE.sub(lambda match: _blank(match) if _LONG_COMMENT.match(match[0]) else match[0], text)


def has_directive(text: str) -> bool:
    """Whether there is a line for a preprocessor, such as `# 3 "file"`: ptxas takes some of them."""
    return _DIRECTIVE.search(_NO_CODE.sub(_blank, text)) is not None


def _blank(match: re.Match[str]) -> str:
    """In the place of what is no code; what stands behind it stays on its line."""
    return " " + "\n" * match[0].count("\n")


def packed(fatbin: bytes) -> str:
    """The first PTX in a fat binary that is not compressed."""
    start = max(0, fatbin.find(b".version"))
    return fatbin[start:].partition(b"\0")[0].decode("utf-8", "replace")


def tensor_instruction(text: str) -> tuple[str, int] | None:
    """The first instruction of the tensor cores and its line (from 1); None where there is none."""
    return _first(_TENSOR, text)


def texture_instruction(text: str) -> tuple[str, int] | None:
    """The same of those that want a texture or a surface."""
    return _first(_TEXTURE, text)


def _first(pattern: re.Pattern[str], text: str) -> tuple[str, int] | None:
    code = _NO_CODE.sub(_blank, text)
    match = pattern.search(code)
    return (match[0], code.count("\n", 0, match.start()) + 1) if match else None


def calls_functions(text: str) -> bool:
    """Whether it has functions that are called: those that nvcc has not put into the kernel itself."""
    pieces = re.findall(r"[^;{]*[;{]", _NO_CODE.sub(" ", text) + ";")  # the last one ends, too
    return any(piece.endswith("{") and _FUNCTION.search(piece) for piece in pieces)


def global_bytes(text: str) -> int:
    """Device memory that the module's own variables take. ptxas counts it too, but in 32 bits."""
    total = 0
    for statement in _NO_CODE.sub(" ", text).split(";"):
        head = re.split(r"[{}]", statement.partition("=")[0])[-1]
        words = head.split()
        if ".global" not in words:
            continue
        kind = next(filter(None, map(_TYPE.fullmatch, words)), None)
        lanes = next((int(word[2:]) for word in words if word in (".v2", ".v4")), 1)
        names = head.partition(kind[0])[2] if kind else ""
        each = int(kind[1]) // 8 * lanes if kind else 0
        total += sum(each * math.prod(map(_size, _SIZES.findall(name[1]))) for name in _ARRAY.finditer(names))
    return total


def _size(text: str) -> int:
    """A dimension as nvcc writes it; what inline assembly writes otherwise is more than anyone may have."""
    text = text.strip() or "1"
    return int(text) if text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS else 1 << 62


def unmangled(name: str) -> str:
    """The function's own name in a C++ symbol: _Z12matmul_tiledPKf → matmul_tiled."""
    match = re.match(r"_Z(?:N\w*?)?(\d{1,4})", name)
    return name[match.end() : match.end() + int(match[1])] if match else name


def too_much_shared(report: str, kernel: str) -> int | None:
    """Bytes that a block wants, where ptxas refuses the kernel for that and nothing else; else None.

    What stands in the file may stand in the report, too, but not in place of an error.
    """
    errors = [line for line in report.split("\n") if _ERROR.match(line)]
    wanted = [match for match in map(_TOO_MUCH_SHARED.match, errors) if match and match[1] == kernel]
    return int(wanted[0][2], 16) if wanted and len(wanted) == len(errors) else None


def resources(report: str, kernel: str, architecture: str, registers: int, shared_bytes: int) -> Resources:
    """What `ptxas -v` says about the kernel beside what decides, which stands in the machine code itself:
    a warning that quotes inline assembly may hold lines that look like these."""
    begin = report.rfind(f"Compiling entry function '{kernel}'")
    about = report[begin:].split("Compiling entry function")[1] if begin >= 0 else ""

    def number(pattern: str) -> int:
        match = re.search(pattern, about)
        return int(match[1]) if match else 0

    return Resources(
        architecture=architecture,
        registers=registers,
        shared_bytes=shared_bytes,
        stack_bytes=number(r"(\d{1,9}) bytes stack frame"),
        spill_stores=number(r"(\d{1,9}) bytes spill stores"),
        spill_loads=number(r"(\d{1,9}) bytes spill loads"),
        barriers=number(r"used (\d{1,9}) barriers"),
        constant_bytes=sum(map(int, re.findall(r"(\d{1,9}) bytes cmem", about))),
    )
