"""Places of a finding in the program's terms: As[14][0] and "row 32 of A", not bytes.

The emulator knows bytes. The shape of a lab's array is in lab.toml, or its elements are those of the
kernel's parameter of that name; that of a shared or __device__ array is in its declaration, whose bounds are
evaluated if they are numbers and constants of the same file.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...core import formatting
from ...course import arrays
from ...course.expressions import ExpressionError, NoValue, parse
from ...records import Case, Finding, Lab, Memory

_BYTES = {
    "bool": 1, "char": 1, "uchar": 1, "uint8_t": 1, "int8_t": 1, "short": 2, "uint16_t": 2, "int16_t": 2,
    "half": 2, "__half": 2, "int": 4, "unsigned": 4, "float": 4, "uint32_t": 4, "int32_t": 4, "uint": 4,
    "float2": 8, "int2": 8, "long": 8, "double": 8, "size_t": 8, "uint64_t": 8, "int64_t": 8,
    "float4": 16, "int4": 16, "uint4": 16, "double2": 16,
}  # fmt: skip
_DECLARATION = re.compile(
    r"\b__(?:shared|device)__\b([^;={}()]{1,200}(?:\([^()]{0,20}\))?[^;={}()]{0,200})[;={]"
)
_DECLARED = re.compile(r"(?<!\w)(\w++)\s*((?:\[[^\[\]]{1,80}\]\s*+)++)")
_ALIAS = re.compile(
    r"\busing\s++(\w++)\s*+=([^=;{}()\[]{1,80})((?:\[[^\[\]]{1,80}\]\s*+)++);"
)  # using Tile = float[8][9];
_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\s+[\w:\s]{1,40}?\b(\w+)\s*=\s*([^;]{1,200});"
    r"|^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.{1,80})$",
    re.MULTILINE,
)
_PARAMETER = re.compile(
    r"(?<!\w)(\w++)\s*+\*\s*+(?:(?:const|volatile|__restrict__|__restrict)\s++)*+(\w++)(?=\s*+[,)])"
)
_MOST_CONSTANTS = 200
_SUFFIX = re.compile(r"\b(\d+)[uUlL]+\b")
_AXES = ("plane", "row", "column")
_MATRIX = 2  # dimensions


@dataclass(frozen=True)
class ArrayType:
    shape: tuple[int, ...]  # the slowest dimension first
    element: int  # bytes
    added_from: int = 0  # the first column that a bound such as [TILE + 1] adds; 0: none does
    has_halo: bool = False  # bounds add rows and columns: [TILE + 2][TILE + 2]


def linear_index(index: Sequence[int], extents: Sequence[int]) -> int:
    """The number of an element in row-major order. `index`, `extents`: the slowest dimension first."""
    number = 0
    for at, extent in zip(index, extents, strict=True):
        number = number * extent + at
    return number


def in_program_terms(
    finding: Finding, text: str, lab: Lab | None = None, case: Case | None = None
) -> Finding:
    """The finding with its place as the program has it; unchanged where the array's shape is not known.

    `text`: the kernel's source without comments.
    """
    memory = finding.memory
    if memory is None or not memory.words or memory.words not in finding.message:
        return finding
    words = place(memory, array_type(memory, text, lab, case))
    if not words:
        return finding
    message = finding.message.replace(memory.words, words, 1)
    return replace(finding, message=message, memory=replace(memory, words=words))


def array_type(memory: Memory, text: str, lab: Lab | None, case: Case | None) -> ArrayType | None:
    """Shape and element size of the array that a place lies in or beside."""
    name = memory.array
    shape = arrays.shapes(lab, case).get(name) if lab and case else None
    if shape is not None and memory.space == "global":
        count = math.prod(shape)
        whole = count > 0 and memory.allocation_bytes % count == 0
        return ArrayType(shape, memory.allocation_bytes // count) if whole else None
    fit = (each for each in _declared(text).get(name, ()) if _size(each) == memory.allocation_bytes)
    return next(fit, None) or _pointed_at(memory, name, text)


def _pointed_at(memory: Memory, name: str, text: str) -> ArrayType | None:
    """An array of the elements that the kernels' parameter of this name points to, if they all agree."""
    sizes = _parameters(text).get(name, frozenset()) if memory.space == "global" else frozenset()
    if len(sizes) != 1:
        return None
    (element,) = sizes
    count, rest = divmod(memory.allocation_bytes, element)
    return ArrayType((count,), element) if count and not rest else None


def added_columns(memory: Memory, text: str) -> int:
    """The first of the columns that a declaration adds to a row, if a place lies in one of them; else 0."""
    array = array_type(memory, text, None, None)
    if array is None or memory.relation != "inside" or not array.added_from:
        return 0
    column = indices(memory.distance // array.element, array.shape)[-1]
    return array.added_from if column >= array.added_from else 0


def is_corner(memory: Memory, text: str) -> bool:
    """Whether a place lies in a corner of an array that has a halo, or of one of its planes."""
    array = array_type(memory, text, None, None)
    if array is None or memory.relation != "inside" or not array.has_halo:
        return False
    at = indices(memory.distance // array.element, array.shape)
    return all(i in (0, side - 1) for i, side in zip(at[-2:], array.shape[-2:], strict=True))


def place(memory: Memory, array: ArrayType | None) -> str:
    """ "As[14][0]" inside an array; beside it, what it has instead of that; empty where no index is known."""
    name = memory.array
    if array is None or not name or not memory.relation:
        return ""
    offset = memory.distance + (memory.allocation_bytes if memory.relation == "after" else 0)
    index, rest = divmod(offset, array.element)
    if memory.relation == "inside":
        part = f", byte {rest}" if rest else ""
        return name + "".join(f"[{at}]" for at in indices(index, array.shape)) + part
    if reaches_out(memory) and len(array.shape) == 1:
        last = index + memory.bytes // array.element - 1
        return f"elements {index:,} to {last:,} of {name}, which has elements 0 to {array.shape[0] - 1:,}"
    return _beside(name, index, array.shape)


def reaches_out(memory: Memory) -> bool:
    """Whether an access begins in the array and ends behind it."""
    return memory.relation == "after" and -memory.bytes < memory.distance < 0


def _beside(name: str, index: int, shape: Sequence[int]) -> str:
    """A place before or behind the array, by the dimension that an index leaves."""
    if index < 0 or len(shape) > len(_AXES):
        number = formatting.count(index).replace("-", "−")
        return f"element {number} of {name}, which has elements 0 to {math.prod(shape) - 1:,}"
    at = indices(index, shape)
    axis = _AXES[-len(shape) :][0] if len(shape) > 1 else "element"
    words = f"{axis} {at[0]:,} of {name}, which has {axis}s 0 to {shape[0] - 1:,}"
    return words if len(shape) == 1 else f"{name}{''.join(f'[{i}]' for i in at)}, {words}"


def indices(index: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The row-major index as one for each dimension; only the first may be too large."""
    found: list[int] = []
    for extent in reversed(shape[1:]):
        index, at = divmod(index, extent)
        found.append(at)
    return (index, *reversed(found))


def _size(array: ArrayType) -> int:
    return math.prod(array.shape) * array.element


# --- declarations ------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4)  # each finding of a submission asks for it
def _declared(text: str) -> Mapping[str, tuple[ArrayType, ...]]:
    """Arrays by name; those whose type or bounds are not understood are left out."""
    constants = _constants(text)
    aliases = {each[1]: (each[2], each[3]) for each in _ALIAS.finditer(text)}
    found: dict[str, tuple[ArrayType, ...]] = {}
    for statement in itertools.islice(_DECLARATION.finditer(text), _MOST_CONSTANTS):
        words = statement[1]
        first = _DECLARED.search(words)
        before = words[: first.start()] if first else ""
        of, inner = next((aliases[word] for word in re.findall(r"\w+", before) if word in aliases), ("", ""))
        bytes = max((_BYTES.get(word, 0) for word in re.findall(r"\w+", before + of)), default=0)
        # Of the same file: another one, before or behind, may give the name another value.
        known = {name: value for at, name, value in constants if at < statement.start()}
        for name, bounds in _DECLARED.findall(words) if bytes else ():
            texts = re.findall(r"\[([^\[\]]+)\]", bounds + inner)
            sides = [_value(bound, known) for bound in texts]
            if all(side is not None and side > 0 for side in sides):
                term, plus, _ = texts[-1].partition("+")
                used = _value(term, known) if plus and len(sides) > 1 else None
                has_halo = all("+" in bound for bound in texts[-_MATRIX:]) and len(sides) >= _MATRIX
                array = ArrayType(tuple(side for side in sides if side), bytes, used or 0, has_halo)
                found[name] = (*found.get(name, ()), array)
    return found


@functools.lru_cache(maxsize=4)
def _parameters(text: str) -> Mapping[str, frozenset[int]]:
    """Bytes of an element that a pointer among the parameters points to, by the parameter's name."""
    found: dict[str, frozenset[int]] = {}
    for type, name in _PARAMETER.findall(text):
        if type in _BYTES:
            found[name] = found.get(name, frozenset()) | {_BYTES[type]}
    return found


def declared(name: str, text: str) -> tuple[ArrayType, ...]:
    """The shared and device arrays of this name, as far as their declarations are understood."""
    return _declared(text).get(name, ())


def declared_sizes(text: str) -> list[tuple[str, int]]:
    """Name and bytes of each shared and device array that is understood. `text` has no comments."""
    return [(name, _size(array)) for name, arrays in _declared(text).items() for array in arrays]


def value_of(words: str, text: str, parameters: Mapping[str, int]) -> int | None:
    """The value of an expression of the program's constants and of parameters that a case sets."""
    return _value(words, {**parameters, **{name: value for _, name, value in _constants(text)}})


@functools.lru_cache(maxsize=4)
def _constants(text: str) -> list[tuple[int, str, int]]:
    """Named constants in the order of the text, each with its place. Its value may use those before it."""
    found: dict[str, int] = {}
    listed = []
    for match in itertools.islice(_CONSTANT.finditer(text), _MOST_CONSTANTS):
        name, words = (match[1], match[2]) if match[1] else (match[3], match[4])
        first, *others = words.split(",")
        parts = (each.partition("=") for each in others)  # const int X = 128, Y = 16;
        for each, value_text in ((name, first), *((other.strip(), value) for other, _, value in parts)):
            value = _value(value_text, found)
            if value is not None:
                found[each] = value
                listed.append((match.start(), each, value))
    return listed


def _value(words: str, constants: Mapping[str, int]) -> int | None:
    """The value of an integer expression of C; None for an unknown name or any other text."""
    text = _SUFFIX.sub(r"\1", words).replace("/", "//")
    try:
        value = parse(text.strip()).value(constants)
    except (ExpressionError, NoValue, KeyError):
        return None
    return int(value) if value == int(value) else None
