"""A figure of pieces that pass through copies in, kernels and copies out: which engine works when."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ..core.messages import Messages
from ..course import arithmetic
from .figure import Table, figure, head, rectangle, short, text_at

_ENGINES = ("in", "kernel", "out")
_KINDS = ("left", "result", "right")
_WIDTH, _ROW, _LEFT, _TOP = 520.0, 30.0, 92.0, 8.0


def pipeline(words: Messages, *, pieces: int, times: Sequence[float], slots: int, id: str) -> Markup:
    """`times`: of a copy in, a kernel and a copy out, in one unit. `slots`: places for a piece in each
    stage; 0 draws one stream, in which nothing overlaps.
    """
    begins = arithmetic.pipeline(pieces, times, slots) if slots else _one_stream(pieces, times)
    whole = begins[-1][-1] + times[-1]
    scale = _WIDTH / whole
    drawn = [
        text_at(_LEFT - 8, _y(row) + _ROW / 2 + 1, words(f"figure.pipeline.{engine}"), "end")
        for row, engine in enumerate(_ENGINES)
    ]
    for piece, row in enumerate(begins):
        for stage, begin in enumerate(row):
            x, width = _LEFT + begin * scale, times[stage] * scale
            drawn.append(rectangle(x, _y(stage), width, _ROW - 6, _KINDS[stage]))
            drawn.append(text_at(x + width / 2, _y(stage) + _ROW / 2 + 1, str(piece)))
    busiest = pieces * max(times)
    title = words(
        "figure.pipeline.title" if slots else "figure.pipeline.title-one", pieces=pieces, slots=slots
    )
    desc = words("figure.pipeline.desc", whole=short(whole), busiest=short(busiest))
    rows = tuple((str(piece), *map(short, row)) for piece, row in enumerate(begins))
    table = Table(words("figure.pipeline.table"), head(words, "pipeline", "piece", *_ENGINES), rows)
    return figure(words, id, (_LEFT + _WIDTH + 4, _y(len(_ENGINES)) + 4), title, desc, drawn, table)


def _one_stream(pieces: int, times: Sequence[float]) -> list[list[float]]:
    return [
        [piece * sum(times) + sum(times[:stage]) for stage in range(len(times))] for piece in range(pieces)
    ]


def _y(row: int) -> float:
    return _TOP + row * _ROW
