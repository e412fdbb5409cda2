"""Figures of handouts, drawn from sizes: inline SVG with title and description, and a table twin.

Elements are squares of a fixed width, rows go down, columns go right, as in the matrices.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ..core import formatting
from ..core.messages import Messages
from ..course.arithmetic import RegisterTile, phases
from ..tables.hardware import BANKS, WARP

_LANE = (2, 1)  # column and row of the lane whose outputs and factors a register tile shows


@dataclass(frozen=True)
class Table:
    """The picture's content as a table, for people who cannot see it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Matrix:
    """A matrix in a drawing: its name, place and size in units, `cell` pixels each."""

    name: str
    x: float
    y: float
    columns: int
    rows: int
    cell: float

    def outline(self) -> Markup:
        shape = rectangle(self.x, self.y, self.columns * self.cell, self.rows * self.cell, "matrix")
        label = Markup('<text class="name" x="{}" y="{}">{}</text>')
        return shape + label.format(short(self.x + 5), short(self.y - 6), self.name)

    def block(self, column: float, row: float, columns: float, rows: float, kind: str) -> Markup:
        return rectangle(
            self.x + column * self.cell,
            self.y + row * self.cell,
            columns * self.cell,
            rows * self.cell,
            kind,
        )

    def grid(self, columns: int, rows: int) -> Markup:
        """Lines every so many columns and rows."""
        right, bottom = self.x + self.columns * self.cell, self.y + self.rows * self.cell
        xs = (self.x + column * self.cell for column in range(columns, self.columns, columns))
        ys = (self.y + row * self.cell for row in range(rows, self.rows, rows))
        lines = [f"M{short(x)} {short(self.y)}V{short(bottom)}" for x in xs]
        lines += [f"M{short(self.x)} {short(y)}H{short(right)}" for y in ys]
        return Markup('<path class="grid" d="{}"/>').format("".join(lines)) if lines else Markup("")


def tile_phases(
    words: Messages,
    *,
    names: tuple[str, str, str],
    rows: int,
    columns: int,
    depth: int,
    tile: int,
    block: tuple[int, int],
    id: str,
) -> Markup:
    """The tiles of two factors that one block (column, row) loads for its tile of the product, by phase.

    `names`: of the left factor (rows × depth), the right one (depth × columns) and the product.
    Tiles that reach over a border are drawn whole, their outside part hatched.
    """
    cell = 190 / max(_covered(side, tile) for side in (depth, rows, columns))
    gap, top, left = 34.0, 26.0, 6.0
    a = Matrix(names[0], left, top + _covered(depth, tile) * cell + gap, depth, rows, cell)
    b = Matrix(names[1], left + _covered(depth, tile) * cell + gap, top, columns, depth, cell)
    c = Matrix(names[2], b.x, a.y, columns, rows, cell)
    count = phases(depth, tile)
    drawn = [matrix.outline() + matrix.grid(tile, tile) for matrix in (a, b, c)]
    drawn.append(c.block(block[0] * tile, block[1] * tile, tile, tile, "result"))
    for phase in range(count):
        drawn += _phase(a, phase * tile, block[1] * tile, tile, phase, "left")
        drawn += _phase(b, block[0] * tile, phase * tile, tile, phase, "right")
    drawn += [_outside(matrix, tile, places) for matrix, places in _visited(a, b, c, tile, block, count)]
    width = c.x + _covered(columns, tile) * cell + 8
    height = a.y + _covered(rows, tile) * cell + 8
    named = formatting.index(block)
    title = words("figure.phases.title", count=count, block=named, tile=tile)
    named_by = dict(zip(("left", "right", "product"), names, strict=True))
    desc = words("figure.phases.desc", count=count, rows=rows, columns=columns, depth=depth, **named_by)
    table = Table(
        words("figure.phases.table", block=named),
        (words("figure.phases.head.phase"), *_factor_heads(words, names)),
        tuple(_phase_row(words, phase, (rows, columns, depth), tile, block) for phase in range(count)),
    )
    return figure(words, id, (width, height), title, desc, drawn, table, least=0.7 * width)


def _factor_heads(words: Messages, names: tuple[str, ...]) -> tuple[str, ...]:
    """Rows and columns of the left factor, then of the right one."""
    sides = ("rows", "columns")
    return tuple(words(f"figure.phases.head.{side}", name=name) for name in names[:2] for side in sides)


def block_cover(words: Messages, *, name: str, rows: int, columns: int, block: int, id: str) -> Markup:
    """A matrix covered by whole blocks of threads; threads outside are hatched."""
    across, down = math.ceil(columns / block), math.ceil(rows / block)
    cell = min(14.0, 330 / (across * block))
    c = Matrix(name, 6, 26, columns, rows, cell)
    drawn: list[Markup] = []
    for row in range(down):
        for column in range(across):
            drawn.append(c.block(column * block, row * block, block, block, "thread-block"))
    places = [(column * block, row * block) for row in range(down) for column in range(across)]
    drawn += [c.outline(), _outside(c, block, places)]
    title = words(
        "figure.cover.title", across=across, down=down, block=block, rows=rows, columns=columns, name=name
    )
    inside = rows * columns
    idle = across * down * block * block - inside
    desc = words("figure.cover.desc", inside=inside, idle=idle, name=name)
    counts = tuple(
        (formatting.index((column, row)), *_cover_counts(column, row, rows, columns, block))
        for row in range(down)
        for column in range(across)
    )
    heads = (*head(words, "cover", "block", "with"), words("figure.cover.head.without", name=name))
    table = Table(words("figure.cover.table"), heads, counts)
    size = (across * block * cell + 14, 26 + down * block * cell + 8)
    return figure(words, id, size, title, desc, drawn, table)


def register_tile(words: Messages, tile: RegisterTile, id: str, *, names: tuple[str, str, str]) -> Markup:
    """A block's tile of a product: warps, the lanes of one of them, and the outputs of one lane.

    `names`: of the left factor, the right one and the product.
    """
    cell = 320 / tile.columns
    c = Matrix(words("figure.levels.matrix", name=names[2]), 6, 26, tile.columns, tile.rows, cell)
    wide, high = tile.outputs
    number = _LANE[1] * tile.lanes[0] + _LANE[0]
    title = words("figure.levels.title", rows=tile.rows, columns=tile.columns, name=names[2])
    desc = words(
        "figure.levels.desc",
        warps=f"{tile.warps[0]} × {tile.warps[1]}",
        lanes=f"{tile.lanes[0]} × {tile.lanes[1]}",
        wide=wide,
        high=high,
        number=number,
        left=names[0],
        right=names[1],
    )
    size = (tile.columns * cell + 40, tile.rows * cell + 60)
    return figure(words, id, size, title, desc, _levels(c, tile), _levels_table(words, tile))


def _levels(c: Matrix, tile: RegisterTile) -> list[Markup]:
    """The tile with its warps and the lanes of the first one, and the factors' parts that _LANE needs."""
    wide, high = tile.outputs
    warp = _of_warp(tile)
    x, y = _LANE[0] * wide, _LANE[1] * high
    lanes = itertools.product(range(tile.lanes[1]), range(tile.lanes[0]))
    warps = itertools.product(range(tile.warps[1]), range(tile.warps[0]))
    return [
        c.outline(),
        *(c.block(column * wide, row * high, wide, high, "lane") for row, column in lanes),
        *(c.block(column * warp[0], row * warp[1], *warp, "warp") for row, column in warps),
        c.block(x, y, wide, high, "result"),
        c.block(x, tile.rows + 2, wide, 2, "right"),
        c.block(tile.columns + 2, y, 2, high, "left"),
    ]


def _levels_table(words: Messages, tile: RegisterTile) -> Table:
    shapes = {
        "warp": (tile.warps[0] * tile.warps[1], *_of_warp(tile)),
        "thread": (tile.threads, *tile.outputs),
        "block": (1, tile.columns, tile.rows),
    }
    rows = tuple(
        (words(f"figure.levels.{who}"), str(count), words("figure.levels.shape", rows=high, columns=wide))
        for who, (count, wide, high) in shapes.items()
    )
    return Table(words("figure.levels.table"), head(words, "levels", "who", "count", "outputs"), rows)


def _of_warp(tile: RegisterTile) -> tuple[int, int]:
    """Columns and rows of the outputs of one warp."""
    return tile.outputs[0] * tile.lanes[0], tile.outputs[1] * tile.lanes[1]


def banks(words: Messages, *, columns: int, stride: int, id: str, banks: int = BANKS) -> Markup:
    """The banks that a warp accesses when lane i reads word (i mod columns) · stride + ⌊i / columns⌋.

    `columns` = 32 is the plain stride. Lanes that read the same word are served together.
    """
    touched = {lane % columns * stride + lane // columns for lane in range(WARP)}
    visits = [{word for word in touched if word % banks == bank} for bank in range(banks)]
    deepest = max(len(found) for found in visits)
    cell = 13.0
    shape = Matrix(words("figure.banks.axis", last=banks - 1), 6, 26, banks, deepest, cell)
    kind = "left" if deepest == 1 else "hot"
    drawn = [shape.outline(), shape.grid(1, 1)]
    drawn += [
        shape.block(bank, at, 1, 1, kind) for bank, found in enumerate(visits) for at in range(len(found))
    ]
    used = sum(bool(found) for found in visits)
    title = words("figure.banks.title", words=WARP, stride=stride)
    passes = words("figure.banks.one" if deepest == 1 else "figure.banks.many", count=deepest)
    desc = words("figure.banks.desc", used=used, banks=banks, deepest=deepest, passes=passes)
    row = (str(stride), str(used), str(deepest))
    table = Table(words("figure.banks.table"), head(words, "banks", "stride", "used", "deepest"), (row,))
    return figure(words, id, (banks * cell + 14, 34 + deepest * cell), title, desc, drawn, table)


def figure(
    words: Messages,
    id: str,
    size: tuple[float, float],
    title: str,
    desc: str,
    drawn: Iterable[Markup],
    table: Table,
    least: float = 0.0,
) -> Markup:
    """SVG and table as one HTML block. It contains no blank line, so that Markdown leaves it unchanged.

    `least`: the smallest width at which it can be read, if less than its own; a phone has 310.
    """
    drawing = svg(id, size, title, desc, drawn, style=f"min-width:min({short(least or size[0])}px,48rem)")
    caption = Markup("<figcaption>{}. {}</figcaption>").format(title, desc)
    # On a phone the drawing scrolls: its numbers could not be read if it were made narrower.
    scroll = Markup('<div class="scroll" tabindex="0" role="group" aria-label="{}">{}</div>').format(
        title, drawing
    )
    # The label is its alternative text in a PDF.
    figure = Markup('<figure id="{0}" aria-labelledby="{0}-t">{1}{2}{3}</figure>')
    return figure.format(id, scroll, caption, _twin(words, table))


def svg(
    id: str,
    size: tuple[float, float],
    title: str,
    desc: str,
    drawn: Iterable[Markup],
    *,
    kind: str = "drawing",
    style: str = "",
) -> Markup:
    """An SVG element with title, description and the hatching that rectangles of kind "outside" use."""
    return Markup(
        '<svg class="{kind}" role="img" aria-labelledby="{id}-t {id}-d" viewBox="0 0 {width} {height}" '
        'width="{width}" height="{height}"{style}>'
        '<title id="{id}-t">{title}</title><desc id="{id}-d">{desc}</desc>'
        '<defs><pattern id="{id}-hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path class="hatch" d="M0 0V5"/></pattern></defs>{drawn}</svg>'
    ).format(
        kind=kind,
        id=id,
        width=short(size[0]),
        height=short(size[1]),
        style=Markup(' style="{}"').format(style) if style else "",
        title=title,
        desc=desc,
        drawn=Markup("").join(drawn).replace("url(#hatch)", f"url(#{id}-hatch)"),
    )


def head(words: Messages, figure: str, *columns: str) -> tuple[str, ...]:
    return tuple(words(f"figure.{figure}.head.{column}") for column in columns)


def _twin(words: Messages, table: Table) -> Markup:
    cells = Markup("").join(Markup('<th scope="col">{}</th>').format(name) for name in table.head)
    rows = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(cell) for cell in row))
        for row in table.rows
    )
    return Markup(
        '<details><summary>{3}</summary><div class="scroll" tabindex="0" role="group" '
        'aria-label="{0}"><table><caption>{0}</caption><thead><tr>{1}</tr></thead><tbody>{2}</tbody></table>'
        "</div></details>"
    ).format(table.caption, cells, rows, words("figure.twin"))


def _phase(matrix: Matrix, column: int, row: int, tile: int, phase: int, kind: str) -> list[Markup]:
    text = Markup('<text class="phase" x="{}" y="{}" text-anchor="middle">{}</text>').format(
        short(matrix.x + (column + min(tile, matrix.columns - column) / 2) * matrix.cell),
        short(matrix.y + (row + min(tile, matrix.rows - row) / 2) * matrix.cell + 4),
        phase,
    )
    return [matrix.block(column, row, tile, tile, kind), text]


def _visited(
    a: Matrix, b: Matrix, c: Matrix, tile: int, block: tuple[int, int], count: int
) -> list[tuple[Matrix, list[tuple[int, int]]]]:
    """The tiles that the block touches, as (column, row) of their first element."""
    column, row = block[0] * tile, block[1] * tile
    along = range(0, count * tile, tile)
    return [(a, [(at, row) for at in along]), (b, [(column, at) for at in along]), (c, [(column, row)])]


def _outside(matrix: Matrix, tile: int, places: Sequence[tuple[int, int]]) -> Markup:
    """The parts of these tiles that lie beyond the matrix, hatched."""
    drawn = []
    for column, row in places:
        right, bottom = column + tile, row + tile
        inside = min(right, matrix.columns)
        if right > matrix.columns:
            drawn.append(
                matrix.block(matrix.columns, row, right - max(column, matrix.columns), tile, "outside")
            )
        if bottom > matrix.rows and inside > column:
            drawn.append(matrix.block(column, matrix.rows, inside - column, bottom - matrix.rows, "outside"))
    return Markup("").join(drawn)


def _cover_counts(column: int, row: int, rows: int, columns: int, block: int) -> tuple[str, str]:
    inside = min(block, columns - column * block) * min(block, rows - row * block)
    return str(inside), str(block * block - inside)


def _phase_row(
    words: Messages, phase: int, sides: tuple[int, int, int], tile: int, block: tuple[int, int]
) -> tuple[str, str, str, str, str]:
    """`sides`: rows, columns and depth of the product."""

    def span(first: int, end: int) -> str:
        inside = f"{first}–{min(first + tile, end) - 1}"
        return inside if first + tile <= end else words("figure.phases.zeros", inside=inside)

    rows, columns = span(block[1] * tile, sides[0]), span(block[0] * tile, sides[1])
    along = span(phase * tile, sides[2])
    return str(phase), rows, along, along, columns


def _covered(elements: int, tile: int) -> int:
    return math.ceil(elements / tile) * tile


def rectangle(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    fill = ' fill="url(#hatch)"' if kind == "outside" else ""
    # Not by Markup.format, which escapes each number: a page has thousands of rectangles.
    box = f'x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}"'
    return Markup(f'<rect class="{escape(kind)}" {box}{fill}/>')


def path(kind: str, data: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(kind, data)


def text_at(x: float, y: float, text: str, anchor: str = "middle") -> Markup:
    return Markup('<text class="lane-number" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        short(x), short(y), anchor, text
    )


def short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
