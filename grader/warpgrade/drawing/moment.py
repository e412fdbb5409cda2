"""Drawings of moments of a recorded block, side by side: the lanes of each warp, and arrays that they use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..core.messages import Messages
from ..tables.hardware import WARP
from .figure import Table, figure, head, rectangle, text_at

_LANE, _CELL, _GAP, _TOP = 6.0, 7.0, 26.0, 24.0  # pixels
_STATES = {"runs": "left", "barrier": "hot", "waits": "hot", "meets": "hot", "off": "fetched"}
_CELLS = {"read": "left", "written": "right", "known": "fetched", "raced": "hot", "never": "element"}


@dataclass(frozen=True)
class ArrayPicture:
    """`cells`: of each element, rows first: "read" or "written" by this step, "raced", "known", "never"."""

    name: str
    columns: int
    cells: tuple[str, ...]

    def count(self, state: str) -> int:
        return self.cells.count(state)

    @property
    def rows(self) -> int:
        return -(-len(self.cells) // self.columns)


@dataclass(frozen=True)
class MomentPicture:
    """`lanes`: of each warp the state of its 32 lanes, as the player names it ("runs", "barrier", …)."""

    step: int  # from 1
    warp: int
    line: int
    lanes: tuple[tuple[str, ...], ...]
    arrays: tuple[ArrayPicture, ...]
    code: str = ""  # of the line, where readers may see it

    def waiting(self) -> int:
        """Warps all of whose lanes wait at a barrier."""
        return sum(set(states) <= {"barrier", "exited", "absent"} for states in self.lanes)


def moments(words: Messages, pictures: Sequence[MomentPicture], kind: str, id: str) -> Markup:
    """`kind`: "phase" or "race", for the title."""
    drawn: list[Markup] = []
    left, bottom = 6.0, 0.0
    for picture in pictures:
        width, height = _size(picture)
        drawn += _drawn(words, picture, left)
        left, bottom = left + width + _GAP, max(bottom, height)
    title = words(f"figure.moments.{kind}", count=len(pictures))
    table = Table(
        words("figure.moments.table"),
        head(words, "moments", "step", "runs", "waits", "arrays"),
        tuple(_row(words, picture) for picture in pictures),
    )
    lines = (words("figure.moments.code", line=each.line, code=each.code) for each in pictures if each.code)
    desc = " ".join((words("figure.moments.desc"), *dict.fromkeys(lines)))
    return figure(words, id, (left - _GAP + 8, bottom), title, desc, drawn, table)


def _size(picture: MomentPicture) -> tuple[float, float]:
    arrays = sum(array.columns * _CELL + 12 for array in picture.arrays)
    below = max((array.rows for array in picture.arrays), default=0) * _CELL + 22
    return max(WARP * _LANE, arrays), _TOP + len(picture.lanes) * (_LANE + 2) + below + 6


def _drawn(words: Messages, picture: MomentPicture, left: float) -> Iterable[Markup]:
    label = words("figure.moments.at", step=words.count(picture.step), line=picture.line)
    yield text_at(left, 14, label, "start")
    for warp, states in enumerate(picture.lanes):
        y = _TOP + warp * (_LANE + 2)
        for lane, state in enumerate(states):
            if state != "absent":
                yield rectangle(left + lane * _LANE, y, _LANE, _LANE, _STATES.get(state, "element"))
    y = _TOP + len(picture.lanes) * (_LANE + 2) + 20
    for array in picture.arrays:
        yield text_at(left, y - 5, array.name, "start")
        for at, state in enumerate(array.cells):
            x = left + at % array.columns * _CELL
            yield rectangle(x, y + at // array.columns * _CELL, _CELL, _CELL, _CELLS[state])
        left += array.columns * _CELL + 12


def _row(words: Messages, picture: MomentPicture) -> tuple[str, str, str, str]:
    runs = picture.lanes[picture.warp].count("runs")
    arrays = "; ".join(
        f"{array.name}: " + words("figure.moments.array", **{state: array.count(state) for state in _CELLS})
        for array in picture.arrays
    )
    return (
        words.count(picture.step),
        words("figure.moments.runs", warp=picture.warp, lanes=runs, line=picture.line),
        words("figure.moments.waits", warps=picture.waiting()),
        arrays,
    )
