"""What the card's own assembler made of a kernel: reads a cubin, the code that `ptxas` writes.

PTX is not what runs: ptxas merges loads, drops moves and orders instructions so that their registers
collide more or less. A cubin is an ELF file with a section .text.KERNEL of 16-byte instructions for
every card since Volta. This reads from each: what it does, how wide an access is, which registers a
multiply-add reads, and how long the next one has to wait (the last two bytes: stall count, scoreboards).
Opcodes and fields were found by assembling small kernels and looking.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import line_table
from .line_table import Lines

MAGIC = b"\x7fELF"
_CUDA = 190  # machine
_INSTRUCTION = 16  # bytes
_TEXT = ".text."
_FORM = 0x1FF  # the low nine bits say what; the three above, where operands come from
_SHARED_LOAD, _SHARED_STORE, _GLOBAL_LOAD, _GLOBAL_STORE = (
    "shared load",
    "shared store",
    "global load",
    "global store",
)
_KINDS = {
    0x181: _GLOBAL_LOAD, 0x180: _GLOBAL_LOAD, 0x186: _GLOBAL_STORE, 0x185: _GLOBAL_STORE,
    0x184: _SHARED_LOAD, 0x188: _SHARED_STORE, 0x183: "local load", 0x187: "local store",
    0x1A8: "atomic", 0x1A9: "atomic", 0x18A: "atomic", 0x18E: "atomic", 0x1AA: "atomic",
    0x1A3: "atomic", 0x1A6: "atomic",
    0x18C: "shared atomic", 0x18D: "shared atomic", 0x1AE: "asynchronous copy",
    0x1BA: "bulk copy",
    0x023: "ffma", 0x021: "fp32", 0x020: "fp32", 0x147: "branch", 0x144: "call", 0x150: "return",
    0x14D: "exit", 0x118: "nothing", 0x11D: "barrier",
    0x108: "special", 0x104: "special", 0x105: "special", 0x106: "special", 0x109: "special",
    0x100: "special",
    0x02B: "fp64", 0x028: "fp64", 0x029: "fp64", 0x02A: "fp64",
    0x024: "multiply", 0x025: "multiply", 0x027: "multiply",
    0x010: "integer", 0x011: "integer", 0x012: "integer", 0x00C: "integer", 0x019: "integer",
    0x007: "integer",
    0x016: "integer", 0x00B: "integer", 0x009: "integer", 0x008: "integer", 0x017: "integer",
    0x01C: "integer",
    0x189: "shuffle", 0x086: "uniform vote",
}  # fmt: skip
_FLOATING = (0x1A3, 0x1A6)  # atomics; before sm_90 they share the integers' opcodes
_WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 8, 6: 16}  # bytes a lane
_ZERO_REGISTER = 255
_PROGRAM = 1  # type of a section that holds code or data
_LONG_BRANCHES = 90
_NO_BYTES = 8  # of one that takes no room in the file
_RESERVED = 1024  # bytes of shared memory that each block's driver part takes, counted in since sm_80
_WITH_VALUES, _REGISTER_COUNT, _SYMBOL = 4, 0x2F, 24


@dataclass(frozen=True)
class Instruction:
    kind: str
    bytes: int  # a lane, of an access to memory; else 0
    collides: int  # cycles that its operands need beyond one, for all of them lie in one bank of registers
    stall: int  # cycles until the warp's next instruction
    sets: int  # scoreboard that its result releases, -1: none
    waits: int  # bits of the scoreboards that it waits for
    target: int = -1  # of a branch: number of an instruction
    line: int = 0  # of the PTX that it comes from, where the cubin says so
    floating: bool = False  # an atomic on floating point


@dataclass(frozen=True)
class Loop:
    """From its first instruction to the branch back; `inner` loops lie in it."""

    first: int
    last: int


@dataclass(frozen=True)
class Code:
    kernel: str
    instructions: tuple[Instruction, ...]
    registers: int  # a thread
    shared_bytes: int  # a block, static
    loops: tuple[Loop, ...] = field(default=())

    def homes(self) -> list[int]:
        """Of each instruction the innermost loop that holds it, -1 where none does."""
        found = [-1] * len(self.instructions)
        widest = sorted(range(len(self.loops)), key=lambda n: self.loops[n].first - self.loops[n].last)
        for number in widest:
            loop = self.loops[number]
            found[loop.first : loop.last + 1] = [number] * (loop.last + 1 - loop.first)
        return found


def architecture(header: bytes) -> str:
    """ "sm_90" from a cubin's first 64 bytes; empty where they are another file's."""
    if header[:4] != MAGIC or len(header) < 64 or struct.unpack_from("<H", header, 18)[0] != _CUDA:
        return ""
    flags = struct.unpack_from("<I", header, 48)[0]
    return f"sm_{flags >> 8 & 255}"


def read(cubin: bytes) -> dict[str, Code]:
    """Kernels of a cubin by name. ValueError where it is none."""
    needs, found = sizes(cubin), {}
    sections = list(_sections(cubin))
    lines = _lines(cubin, {each.name: each for each in sections})
    for number, each in enumerate(sections):
        if each.name.startswith(_TEXT) and each.kind == _PROGRAM:
            kernel = each.name.removeprefix(_TEXT)
            text = cubin[each.start : each.start + each.size]
            code = _instructions(text, lines.get(number, Lines()), _generation(cubin))
            found[kernel] = Code(kernel, code, *needs[kernel], _loops(code))
    return found


def _generation(cubin: bytes) -> int:
    """90 of a cubin for sm_90. ValueError where it is none."""
    of = architecture(cubin[:64])
    if not of:
        raise ValueError("not a cubin")
    return int(of.removeprefix("sm_"))


def sizes(cubin: bytes) -> dict[str, tuple[int, int]]:
    """Registers a thread and static shared bytes a block, by kernel. ValueError where it is no cubin."""
    reserved = _RESERVED if _generation(cubin) >= 80 else 0
    sections = {each.name: each for each in _sections(cubin)}
    shared = {
        name.split(".shared.", 1)[1]: each.size for name, each in sections.items() if ".shared." in name
    }
    registers = _registers(cubin, sections)
    kernels = (name.removeprefix(_TEXT) for name, each in sections.items()
               if name.startswith(_TEXT) and each.kind == _PROGRAM)  # fmt: skip
    return {name: (registers.get(name, 0), max(0, shared.get(name, 0) - reserved)) for name in kernels}


def of_program(program: bytes, wanted: str) -> dict[str, Code]:
    """Kernels by name of every cubin for an architecture, "sm_90", that lies in a program or fat binary.

    What lies in a cubin is its own data, also where somebody wrote the bytes of another cubin there.
    """
    found: dict[str, Code] = {}
    at = program.find(MAGIC)
    while at >= 0:
        behind = at + 1
        of = architecture(program[at : at + 64])
        if of:
            behind = max(behind, at + _size(program[at:]))
        if of == wanted:
            found = read(program[at:]) | found
        at = program.find(MAGIC, behind)
    return found


def _size(cubin: bytes) -> int:
    """Bytes of all that its table of sections names, and of the table."""
    at, count = struct.unpack_from("<Q", cubin, 40)[0], struct.unpack_from("<H", cubin, 60)[0]
    ends = (each.start + each.size for each in _sections(cubin) if each.kind != _NO_BYTES)
    return max(int(at) + 64 * int(count), *ends)


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    start: int
    size: int


def _sections(cubin: bytes) -> Iterator[_Section]:
    at = struct.unpack_from("<Q", cubin, 40)[0]
    count, names = struct.unpack_from("<HH", cubin, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + 64 * row) for row in range(count)]
    for row in rows:
        begin = rows[names][4] + row[0]
        yield _Section(_string(cubin, begin), row[1], row[4], row[5])


def _string(cubin: bytes, begin: int) -> str:
    return cubin[begin : cubin.index(b"\0", begin)].decode("utf-8", "replace")


def _registers(cubin: bytes, sections: dict[str, _Section]) -> dict[str, int]:
    """Registers a thread by kernel: rows of .nv.info, each with the number of a symbol and a value."""
    info, symbols, names = (sections.get(name) for name in (".nv.info", ".symtab", ".strtab"))
    found: dict[str, int] = {}
    if info is None or symbols is None or names is None:
        return found
    at, end = info.start, info.start + info.size
    while at + 4 <= end:
        form, attribute, size = struct.unpack_from("<BBH", cubin, at)
        if form == _WITH_VALUES and attribute == _REGISTER_COUNT:
            symbol, registers = struct.unpack_from("<II", cubin, at + 4)
            name = struct.unpack_from("<I", cubin, symbols.start + _SYMBOL * symbol)[0]
            found[_string(cubin, names.start + name)] = registers
        at += 4 + (size if form == _WITH_VALUES else 0)
    return found


def _lines(cubin: bytes, sections: dict[str, _Section]) -> dict[int, Lines]:
    """By number of the section of code."""
    names = (".nv_debug_line_sass", ".rela.nv_debug_line_sass", ".symtab")
    table, relocations, symbols = (
        cubin[each.start : each.start + each.size] if (each := sections.get(name)) else b"" for name in names
    )
    count = len(symbols) // _SYMBOL
    homes = {row: struct.unpack_from("<H", symbols, _SYMBOL * row + 6)[0] for row in range(count)}
    try:
        return line_table.read(table, relocations, homes)
    except ValueError:
        return {}  # lines are a help, not a need


def _instructions(text: bytes, lines: Lines, generation: int) -> tuple[Instruction, ...]:
    words = [
        struct.unpack_from("<QQ", text, at) for at in range(0, len(text) - _INSTRUCTION + 1, _INSTRUCTION)
    ]
    found = []
    kept: tuple[tuple[int, ...], int] | None = None  # operands of the multiply-add before, and which stay
    for number, (low, high) in enumerate(words):
        kind = _KINDS.get(low & _FORM, "other")
        registers: tuple[int, ...] = ()
        reuse = high >> 58 & 7
        if kind == "ffma":
            registers = _operands(low, high)
        collides = _collisions(registers, kept) if kind == "ffma" else 0
        kept = (registers, reuse) if kind == "ffma" else None
        width = _width(kind, low, high)
        sets = high >> 46 & 7
        target = _target(number, low, high, generation) if kind in ("branch", "call") else -1
        waits = high >> 52 & 63
        stall, line = high >> 41 & 15, lines.of(number * _INSTRUCTION)
        sets = sets if sets != 7 else -1
        floating = low & _FORM in _FLOATING
        found.append(Instruction(kind, width, collides, stall, sets, waits, target, line, floating))
    return tuple(found)


def _operands(low: int, high: int) -> tuple[int, ...]:
    """The three registers of a multiply-add; one that comes from elsewhere counts as none."""
    form = low >> 9 & 7
    second = low >> 32 & 255 if form == 1 else _ZERO_REGISTER
    return low >> 24 & 255, second, high & 255


def _collisions(registers: tuple[int, ...], kept: tuple[tuple[int, ...], int] | None) -> int:
    """Registers lie in two banks, even and odd, with one read a cycle and bank that serves a whole warp."""
    fetched = set()
    for place, register in enumerate(registers):
        held = kept is not None and kept[1] >> place & 1 and kept[0][place] == register
        if register != _ZERO_REGISTER and not held:
            fetched.add(register)
    even = sum(1 for register in fetched if register % 2 == 0)
    return max(even, len(fetched) - even, 1) - 1


def _width(kind: str, low: int, high: int) -> int:
    if kind.endswith(("load", "store")) or kind == "asynchronous copy":
        return _WIDTHS.get(high >> 9 & 7, 4)
    return 0


def _target(number: int, low: int, high: int, generation: int) -> int:
    """Relative to the instruction behind, in units of four bytes; since 9.0 with eight more bits below."""
    distance, bits = (low >> 34 | (high & 0x3FFFF) << 30) & (1 << 48) - 1, 48
    if generation >= _LONG_BRANCHES:
        distance, bits = distance << 8 | low >> 16 & 255, 56
    if distance >> (bits - 1):
        distance -= 1 << bits
    return number + 1 + distance // 4


def _loops(code: tuple[Instruction, ...]) -> tuple[Loop, ...]:
    """One for each place that is branched back to; an endless branch to itself ends each section."""
    ends: dict[int, int] = {}
    for number, instruction in enumerate(code):
        if instruction.kind == "branch" and 0 <= instruction.target < number:
            ends[instruction.target] = max(number, ends.get(instruction.target, 0))
    return tuple(Loop(first, last) for first, last in sorted(ends.items()))
