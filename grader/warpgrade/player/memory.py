"""The arrays of a recording, in shared and global memory: their names, and what their elements are.

The emulator lists the pointers among the kernel's parameters, each with the type that it points to
(docs/player.md). Memory without a name gets the name of the first pointer into it, and its elements are
counted from there.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..records.finding import Memory
from .parts import leaves
from .recording import BlockRecording, accessed

_UNNAMED = "allocation "  # what the emulator calls memory without a name
_WIDTHS = (1, 2, 4, 8)  # bytes of an element
_HALVES = ("__half", "half")
_MOST_COLUMNS = 64
_WORD = 4


@dataclass(frozen=True)
class Pointed:
    """What a pointer points to: an array of `extents` whose elements have `columns`, the members of a
    struct. A plain value is one column without a name.
    """

    width: int  # bytes of a column
    columns: tuple[dict[str, str], ...]  # name (".x") and kind of each
    extents: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return self.width * len(self.columns) * math.prod(self.extents)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.extents, *((len(self.columns),) if len(self.columns) > 1 else ()))


def complete(made: BlockRecording) -> None:
    """Give each array in the recording's head a name, elements and a shape; list variables of the module."""
    head = made.head
    pointers = head.pop("pointers", [])
    for row in head["shared"]:
        _shape_of_shared(row, head)
    taken = {row["name"] for rows in (head["arrays"], head["shared"], head["variables"]) for row in rows}
    taken -= {pointer["name"] for pointer in pointers}
    for row in head["arrays"]:
        begin = int(row["address"], 16)
        own = [each for each in pointers if begin <= int(each["address"], 16) < begin + row["bytes"]]
        if "shape" in row:  # of a lab: its author has said what it is
            element = next((_pointed(each["to"]) for each in own), None)
            row["kind"] = element.columns[0]["kind"] if element else "float"
            continue
        _shape(row, begin, own, made)
        if row["name"].startswith(_UNNAMED):
            row |= {"allocation": row["name"], "name": _name(row, own, taken)}
        taken.add(row["name"])
    head["arrays"] += _of_module(head)


def _of_module(head: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Variables of the module, and static ones."""
    rows = []
    for variable in head["variables"]:
        type = variable["type"]
        size = type["bytes"] * math.prod(type["extents"])
        for place in variable["places"]:
            if place[2] == "global" and size:
                row = {"name": variable["name"], "address": hex(place[3]), "bytes": size}
                rows.append(row | _elements(type, size))
    return rows


def _shape_of_shared(row: dict[str, Any], head: Mapping[str, Any]) -> None:
    size = row["bytes"] or head["shared_bytes"] - row["offset"]  # the last one may have no size of its own
    types = (
        variable["type"]
        for variable in head["variables"]
        for place in variable["places"]
        if place[2] == "shared" and place[3] == row["offset"]
    )
    row |= _elements(next(types, None), size) | {"allocation": f"shared array {row['name']}"}


def _elements(type: Mapping[str, Any] | None, size: int) -> dict[str, Any]:
    """Elements and shape of a variable of so many bytes; words where its type cannot be shown."""
    known = _pointed(type)
    if type is None or known is None:
        return {"element": _WORD, "kind": "float", "shape": [size // _WORD]}
    inner, columns = known.extents[1:], known.columns if len(known.columns) > 1 else ()
    count = size // (known.width * len(known.columns) * math.prod(inner))
    rows = (count, *inner) if type["extents"] or count > 1 else ()
    row = {"element": known.width, "kind": known.columns[0]["kind"]}
    if columns:
        return row | {"shape": [*rows, len(columns)], "columns": list(columns)}
    return row | {"shape": list(rows)}


def _shape(row: dict[str, Any], begin: int, own: Sequence[Mapping[str, Any]], made: BlockRecording) -> None:
    """Elements as the first pointer has them, counted from where it points."""
    element = next((_pointed(each["to"]) for each in own[:1]), None)
    first = int(own[0]["address"], 16) - begin if own else 0
    if element is None or first % element.size:
        element, first = _guessed(row, made), 0
    row |= {"element": element.width, "kind": element.columns[0]["kind"], "first": -first // element.size}
    row["shape"] = [-(-row["bytes"] // element.size), *element.shape]
    if len(element.columns) > 1:
        row["columns"] = list(element.columns)
    row["also"], notes = [], []
    for each in own[1:]:
        apart = int(each["address"], 16) - begin - first
        other = _pointed(each["to"])
        if other == element and apart % element.size == 0:
            row["also"].append({"name": each["name"], "first": row["first"] - apart // element.size})
        notes.append(_place_of(each["name"], own[0]["name"], apart, element.size))
    allocated = row.get("allocated")
    if row["name"].startswith(_UNNAMED) and own:
        notes.insert(0, f"{row['name']}, of {allocated}" if allocated else row["name"])
    row["note"] = "; ".join(notes)


def _place_of(name: str, base: str, apart: int, size: int) -> str:
    """ "out = in + 64" """
    if apart == 0:
        return f"{name} = {base}"
    sign = "-" if apart < 0 else "+"
    if apart % size:
        return f"{name} is {abs(apart)} bytes {'before' if apart < 0 else 'behind'} {base}"
    return f"{name} = {base} {sign} {abs(apart) // size}"


def _name(row: Mapping[str, Any], own: Sequence[Mapping[str, Any]], taken: set[str]) -> str:
    """The pointer's name, else the line that allocated the memory; with a number if the name is taken."""
    known = own[0]["name"] if own else ""
    if not known and row.get("allocated"):
        known = f"{_UNNAMED}of {row['allocated']}"
    if not known:
        return str(row["name"])
    number = 1
    while (found := known if number == 1 else f"{known} ({number})") in taken:
        number += 1
    return found


def _pointed(type: Mapping[str, Any] | None) -> Pointed | None:
    """What a pointer of that type points to; None if elements of one width cannot show it."""
    if type is None:
        return None
    extents = tuple(extent for extent in type["extents"] if extent)
    if type["name"] in _HALVES:
        return Pointed(2, ({"name": "", "kind": "float"},), extents)
    if type["kind"] not in ("", "struct"):
        usable = type["bytes"] in _WIDTHS
        return Pointed(type["bytes"], ({"name": "", "kind": type["kind"]},), extents) if usable else None
    parts = [(path, at, part) for path, at, part in leaves({**type, "extents": []}) if part["bytes"]]
    width = min((part["bytes"] for _, _, part in parts), default=0)
    if width not in _WIDTHS or type["bytes"] % width or type["bytes"] > _MOST_COLUMNS * width:
        return None
    if any(part["bytes"] % width or at % width for _, at, part in parts):
        return None
    known = {
        at // width + i: _column(path, part, width, i)
        for path, at, part in reversed(parts)
        for i in range(part["bytes"] // width)
    }
    count = type["bytes"] // width
    columns = tuple(known.get(at, {"name": f".(byte {at * width})", "kind": "uint"}) for at in range(count))
    return Pointed(width, columns if count > 1 else ({"name": "", "kind": columns[0]["kind"]},), extents)


def _column(path: str, part: Mapping[str, Any], width: int, number: int) -> dict[str, str]:
    """A member; of one that is wider than a column, a part of its bytes."""
    if part["bytes"] == width:
        return {"name": path, "kind": part["kind"]}
    return {"name": f"{path} (bytes {number * width} to {(number + 1) * width - 1})", "kind": "pointer"}


def _guessed(row: Mapping[str, Any], made: BlockRecording) -> Pointed:
    """Elements guessed from the block's accesses: as wide as most of them; reals if most values look like
    reals.
    """
    begin = int(row["address"], 16)
    sizes: Counter[int] = Counter()
    reals = 0
    for step in made.steps:
        for access, lane in accessed(step):
            if access.space == "global" and begin <= access.addresses[lane] < begin + row["bytes"]:
                sizes[access.size] += 1
                reals += _looks_real(access.after[lane])
    width = sizes.most_common(1)[0][0] if sizes else _WORD
    kind = "float" if not sizes or reals * 2 >= sizes.total() else "int"
    width = width if width in _WIDTHS else _WORD
    return Pointed(width, ({"name": "", "kind": kind if width >= _WORD else "int"},))


def _looks_real(content: bytes) -> bool:
    if len(content) not in (4, 8):
        return False
    (value,) = struct.unpack("<f" if len(content) == 4 else "<d", content)
    return bool(value == 0 or 1e-6 < abs(value) < 1e9)


# --- elements ----------------------------------------------------------------------------------


def row_of(head: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The array with that name."""
    return next((row for row in (*head["shared"], *head["arrays"]) if row["name"] == name), None)


def kind_of(row: Mapping[str, Any], index: int) -> str:
    """The kind of an element's value."""
    columns = row.get("columns")
    return str(columns[index % len(columns)]["kind"] if columns else row.get("kind", "float"))


def element_name(row: Mapping[str, Any], index: int) -> str:
    """The element's name, `in[3][4]`, from its number; `in[67] (out[3])` if two parameters point to it."""
    names = [_called(row, row["name"], row.get("first", 0), index)]
    for each in row.get("also", ()):
        if each["first"] + index // math.prod(row["shape"][1:]) >= 0:
            names.append(_called(row, each["name"], each["first"], index))
    return names[0] + "".join(f" ({name})" for name in names[1:])


def _called(row: Mapping[str, Any], name: str, first: int, index: int) -> str:
    extents, columns, out = list(row.get("shape", [0])), row.get("columns"), ""
    if columns:
        index, column = divmod(index, extents.pop())
        out = columns[column]["name"]
    for extent in reversed(extents[1:]):
        index, at = divmod(index, extent)
        out = f"[{at}]{out}"
    return f"{name}[{index + first}]{out}" if extents else name + out


def element_of(head: Mapping[str, Any], place: Memory | None) -> str:
    """The element that a finding is about, also outside of its array: `in[-1]`; "" if it is not known."""
    if place and place.space == "local":
        return _on_stack(head, int(place.address or "0", 16))
    row = _accessed(head, place)
    if row is None or place is None or not place.relation:
        return ""
    distance = place.distance + (place.allocation_bytes if place.relation == "after" else 0)
    return element_name(row, distance // int(row.get("element", _WORD)))


def begin_of(head: Mapping[str, Any], place: Memory) -> int | None:
    """The address at which the array of a finding's place begins; None if the recording lacks it."""
    row = _accessed(head, place)
    if row is None:
        return None
    return int(row["address"], 16) if "address" in row else int(row["offset"])


def words_of(head: Mapping[str, Any], place: Memory | None) -> str:
    """A finding's place: `in[3]`, or "in[-1], 4 bytes before the start of in (64 bytes)"."""
    row, name = _accessed(head, place), element_of(head, place)
    if place is None or not place.words or not name:
        return ""
    if place.relation == "inside":
        return name
    return f"{name}, {place.words.replace(place.allocation, row['name'] if row else place.allocation)}"


def _on_stack(head: Mapping[str, Any], offset: int) -> str:
    """The element of the last array of a thread that begins before that byte of its local memory."""
    known = [
        (place[3], variable)
        for variable in head["variables"]
        for place in variable["places"]
        if place[2] == "local" and place[3] <= offset and variable["type"]["extents"]
    ]
    if not known:
        return ""
    start, variable = max(known, key=lambda each: each[0])
    row = {"name": variable["name"], "shape": variable["type"]["extents"]}
    size = variable["type"]["bytes"]
    return element_name(row, (offset - start) // size) if size else ""


def _accessed(head: Mapping[str, Any], place: Memory | None) -> Mapping[str, Any] | None:
    rows = (*head["shared"], *head["arrays"])
    named = (row for row in rows if place and row.get("allocation", row["name"]) == place.allocation)
    return next(named, None)
