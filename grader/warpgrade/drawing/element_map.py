"""Pictures as inline SVG, each with a title, a description and a table twin."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..core import formatting
from ..records import Memory, Wrong
from . import element_line
from .element_cells import RIGHT, UNWRITTEN, WORDS, WRONG, is_vector, line_of, slice_of

CELL = 10


@dataclass(frozen=True)
class TableRow:
    """A line of the table twin."""

    rows: str
    columns: str


@dataclass(frozen=True)
class Picture:
    svg: Markup
    twin: tuple[TableRow, ...]
    heads: tuple[str, str] = ("rows", "columns")  # of the twin's columns


def element_map(wrong: Wrong, outputs: Sequence[int] | None, id: str) -> Picture:
    """The array as squares: right small, wrong large and crossed, never written hollow; blocks as lines.

    `outputs`: the elements that one block computes, x first; None if no launch covers the array. A map that
    is smaller than the array stands for it evenly.
    """
    return _of_vector(wrong, outputs, id) if is_vector(wrong) else _of_slice(wrong, outputs, id)


def _of_vector(wrong: Wrong, outputs: Sequence[int] | None, id: str) -> Picture:
    line = line_of(wrong, outputs)
    rows = element_line.rows(line)
    body = Markup("").join(_cells(rows)) + Markup("").join(element_line.lines(line, CELL))
    body += _ring(*element_line.place(line))
    twin = tuple(TableRow(_range(low, high), words) for low, high, words in element_line.runs(line))
    title = f"Elements of {line.name}, {line.elements}"
    desc = f"{wrong.count} of {wrong.total} elements are wrong; first at index {line.first}."
    if line.block:
        desc += f" Lines show where blocks begin, {line.block} elements each."
    left = element_line.margin(line)
    box = (-left, -2, left + len(rows[0]) * CELL + 2, len(rows) * CELL + 4)
    return Picture(_svg(id, "map", box, title, desc, body), twin, ("elements", "are"))


def _of_slice(wrong: Wrong, outputs: Sequence[int] | None, id: str) -> Picture:
    part = slice_of(wrong, outputs)
    size, tile = (part.rows, part.columns), part.tile
    rows = wrong.map
    height, width = len(rows), max(len(row) for row in rows)
    body = Markup("").join(_cells(rows))
    body += Markup("").join(_tile_lines(size, (height, width), tile))
    body += _first_ring(part.first, size, (height, width))
    twin = tuple(_twin(rows, size))
    title = f"Elements of {part.name}, {size[0]} rows × {size[1]} columns"
    first = formatting.first_position(wrong)
    desc = f"{wrong.count} of {wrong.total} elements are wrong; first at {first}."
    if len(wrong.cells_shape) > 2:
        desc += f" Shown is the slice {part.name} of {wrong.array}."
    if tile:
        desc += f" Lines show the blocks' tiles, {tile[0]} columns × {tile[1]} rows each."
    box = (-2, -2, width * CELL + 4, height * CELL + 4)
    return Picture(_svg(id, "map", box, title, desc, body), twin)


def allocation_strip(memory: Memory, id: str) -> Markup:
    """Draws where an access lies relative to its allocation. Not to scale: distances are 4 to 10^9 bytes."""
    inside, before = memory.relation == "inside", memory.relation == "before"
    left, width = 90, 160
    share = min(1.0, memory.distance / memory.allocation_bytes) if memory.allocation_bytes else 0.5
    at = {"before": 30, "after": 290}.get(memory.relation, left + round(width * share))
    body = Markup(
        '<rect class="allocation" x="{}" y="14" width="{}" height="22" rx="2"/>'
        '<text x="{}" y="29" text-anchor="middle">{}</text>'
    ).format(left, width, left + width // 2, memory.allocation or "allocation")
    body += Markup(
        '<path class="access" d="M{0} 8v34M{1} 8l5 6 5-6z"/>'
        '<text class="small" x="{0}" y="54" text-anchor="middle">access</text>'
    ).format(at, at - 5)
    if not inside:
        edge = left if before else left + width
        start, end = sorted((at, edge))
        body += Markup('<path class="distance" d="M{} 25H{}"/>').format(start + 2, end - 2)
    return _svg(
        id, "strip-figure", (0, 0, 340, 60), "The access and its allocation", memory_words(memory), body
    )


def memory_words(memory: Memory) -> str:
    """One sentence: how far an access lies from which allocation of how many bytes. Addresses of shared
    memory are the emulator's own and are not told.
    """
    name = memory.allocation or "the allocation"
    distance = abs(memory.distance)
    where = {
        "before": f"begins {distance:,} bytes before {name}",
        "after": f"begins {distance:,} bytes after the end of {name}",
        "inside": f"lies {distance:,} bytes into {name}",
    }.get(memory.relation)
    at = "" if memory.space == "shared" else f"at {memory.address} "
    access = f"The access of {memory.bytes} bytes {at}in {memory.space or 'device'} memory"
    if where is None:
        return f"{access} belongs to no allocation."
    return f"{access} {where}, which holds {memory.allocation_bytes:,} bytes."


def _cells(rows: tuple[str, ...]) -> Iterator[Markup]:
    for y, row in enumerate(rows):
        for mark, run in itertools.groupby(enumerate(row), key=lambda item: item[1]):
            xs = [x for x, _ in run]
            yield _cell_run(mark, xs, y)


def _cell_run(mark: str, xs: list[int], y: int) -> Markup:
    """One path for neighbouring cells of one kind, which keeps a 32 × 32 map small."""
    inset, shape = {RIGHT: (4, "h2v2h-2z"), WRONG: (1, "h8v8h-8zm1.5 1.5l5 5m0-5l-5 5")}.get(
        mark, (2, "h6v6h-6z")
    )
    path = "".join(f"M{x * CELL + inset} {y * CELL + inset}{shape}" for x in xs)
    name = {RIGHT: "right", WRONG: "wrong"}.get(mark, "unwritten")
    return Markup(f'<path class="{name}" d="{path}"/>')  # of numbers alone: nothing to escape


def _tile_lines(
    size: tuple[int, int], shown: tuple[int, int], tile: tuple[int, int] | None
) -> Iterator[Markup]:
    if tile is None or min(*tile, *size) < 1:
        return
    height, width = shown
    for x in _edges(size[1], width, tile[0]):
        yield Markup('<path class="tile" d="M{} 0V{}"/>').format(x, height * CELL)
    for y in _edges(size[0], height, tile[1]):
        yield Markup('<path class="tile" d="M0 {}H{}"/>').format(y, width * CELL)


def _edges(elements: int, shown: int, tile: int) -> list[float]:
    """Tile edges in picture units; none if they would lie closer than two squares."""
    scale = shown / elements * CELL
    if tile * scale < 2 * CELL:
        return []
    return [round(edge * scale, 2) for edge in range(tile, elements, tile)]


def _first_ring(first: tuple[int, int], size: tuple[int, int], shown: tuple[int, int]) -> Markup:
    x = min(first[1] * shown[1] // max(size[1], 1), shown[1] - 1)
    y = min(first[0] * shown[0] // max(size[0], 1), shown[0] - 1)
    return _ring(x, y)


def _ring(x: int, y: int) -> Markup:
    return Markup('<rect class="first" x="{}" y="{}" width="12" height="12" rx="3"/>').format(
        x * CELL - 1, y * CELL - 1
    )


def _twin(rows: tuple[str, ...], size: tuple[int, int]) -> Iterator[TableRow]:
    """The map in words, a line for each row; equal neighbouring rows share one."""
    first = 0
    for pattern, group in itertools.groupby(rows):
        length = len(list(group))
        low, high = _span(first, length, len(rows), size[0])
        yield TableRow(_range(low, high), _columns(pattern, size[1]))
        first += length


def _columns(pattern: str, columns: int) -> str:
    runs, x = [], 0
    for mark, group in itertools.groupby(pattern):
        length = len(list(group))
        low, high = _span(x, length, len(pattern), columns)
        runs.append(f"{_range(low, high)} {WORDS.get(mark, WORDS[UNWRITTEN])}")
        x += length
    return "; ".join(runs)


def _span(first: int, length: int, shown: int, elements: int) -> tuple[int, int]:
    """Squares first … first+length−1 of `shown` as elements, both ends included."""
    low = first * elements // shown
    return low, max(low, (first + length) * elements // shown - 1)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _svg(id: str, kind: str, box: tuple[int, int, int, int], title: str, desc: str, body: Markup) -> Markup:
    return Markup(
        '<svg class="{kind}" role="img" aria-labelledby="{id}-t {id}-d" viewBox="{box}" '
        'width="{width}" height="{height}"><title id="{id}-t">{title}</title>'
        '<desc id="{id}-d">{desc}</desc>{body}</svg>'
    ).format(
        kind=kind,
        id=id,
        box=" ".join(map(str, box)),
        width=box[2],
        height=box[3],
        title=title,
        desc=desc,
        body=body,
    )
