"""Pictures as inline SVG, each with a title, a description and a table twin."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from ..records import Memory, Wrong

CELL = 10
RIGHT, WRONG, UNWRITTEN = ".", "#", "?"
WORDS = {RIGHT: "right", WRONG: "wrong", UNWRITTEN: "never written"}


@dataclass(frozen=True)
class TableRow:
    """A line of the table twin."""

    rows: str
    columns: str


@dataclass(frozen=True)
class Picture:
    svg: Markup
    twin: tuple[TableRow, ...]


def element_map(wrong: Wrong, size: tuple[int, int], tile: tuple[int, int] | None, id: str) -> Picture:
    """C as squares: right small, wrong large and crossed, never written hollow; tiles as a grid.

    `size` is (rows, columns) of C, `tile` (columns, rows) of C that one block computes.
    A map smaller than C stands for C evenly.
    """
    rows = wrong.map
    height, width = len(rows), max(len(row) for row in rows)
    body = Markup("").join(_cells(rows))
    body += Markup("").join(_tile_lines(size, (height, width), tile))
    body += _first_ring(wrong, size, (height, width))
    twin = tuple(_twin(rows, size))
    title = f"Elements of C, {size[0]} rows × {size[1]} columns"
    desc = (
        f"{wrong.count} of {wrong.total} elements are wrong; first at row {wrong.row}, column {wrong.column}."
    )
    if tile:
        desc += f" Lines show the blocks' tiles, {tile[0]} columns × {tile[1]} rows each."
    box = (-2, -2, width * CELL + 4, height * CELL + 4)
    return Picture(_svg(id, "map", box, title, desc, body), twin)


def allocation_strip(memory: Memory, id: str) -> Markup:
    """Where an access lies beside its allocation. Not to scale: distances run from 4 to 10^9 bytes."""
    inside, before = memory.relation == "inside", memory.relation == "before"
    left = 90
    at = {"before": 30, "after": 290}.get(memory.relation, 170)
    body = Markup(
        '<rect class="allocation" x="{}" y="14" width="160" height="22" rx="2"/>'
        '<text x="{}" y="29" text-anchor="middle">{}</text>'
    ).format(left, left + 80, memory.allocation or "allocation")
    body += Markup(
        '<path class="access" d="M{0} 8v34M{1} 8l5 6 5-6z"/>'
        '<text class="small" x="{0}" y="54" text-anchor="middle">access</text>'
    ).format(at, at - 5)
    if not inside:
        edge = left if before else left + 160
        start, end = sorted((at, edge))
        body += Markup('<path class="distance" d="M{} 25H{}"/>').format(start + 2, end - 2)
    return _svg(
        id, "strip-figure", (0, 0, 340, 60), "The access and its allocation", memory_words(memory), body
    )


def memory_words(memory: Memory) -> str:
    """One sentence: how far an access lies from which allocation of how many bytes."""
    name = memory.allocation or "the allocation"
    distance = abs(memory.distance)
    where = {
        "before": f"begins {distance:,} bytes before {name}",
        "after": f"begins {distance:,} bytes after the end of {name}",
        "inside": f"lies {distance:,} bytes into {name}",
    }.get(memory.relation)
    access = f"The access of {memory.bytes} bytes at {memory.address} in {memory.space or 'device'} memory"
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
    return Markup('<path class="{}" d="{}"/>').format(name, path)


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


def _first_ring(wrong: Wrong, size: tuple[int, int], shown: tuple[int, int]) -> Markup:
    x = min(wrong.column * shown[1] // max(size[1], 1), shown[1] - 1)
    y = min(wrong.row * shown[0] // max(size[0], 1), shown[0] - 1)
    return Markup('<rect class="first" x="{}" y="{}" width="12" height="12" rx="3"/>').format(
        x * CELL - 1, y * CELL - 1
    )


def _twin(rows: tuple[str, ...], size: tuple[int, int]) -> Iterator[TableRow]:
    """Equal neighbouring rows become one line."""
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
