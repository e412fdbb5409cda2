"""Drawings of a kernel's recorded accesses: banks of shared memory, and the waiting at barriers.

Each is a figure with a table twin; the words come from the catalogue.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..core import formatting
from ..core.messages import Messages
from ..run.trace import BARRIER, Access, Recording
from ..tables.hardware import BANKS, WARP, WORD
from .figure import Matrix, Table, figure, head, rectangle, short

_TOGETHER = {16: 8, 8: 16}  # bytes of a lane: lanes that shared memory serves at a time; else all 32
_LETTER = {"global load": "G", "global store": "W", "shared load": "L", "shared store": "S"}


def bank_use(words: Messages, access: Access, id: str, array: str = "") -> Markup:
    """The banks that the lanes of a warp access in shared memory, of one array if named."""
    groups = tuple(_groups(access))
    passes = sum(group.passes for group in groups)
    used = {word % BANKS for group in groups for word in group.words}
    title = words(f"figure.bank-use.{access.kind.replace(' ', '-')}", lanes=len(access.lanes))
    title = f"{array}: {title}" if array else title
    one = words("figure.banks.one") if passes == 1 else words("figure.banks.many", count=passes)
    desc = words("figure.bank-use.desc", used=len(used), banks=BANKS, passes=one)
    columns = head(words, "bank-use", "lanes", "banks")
    table = Table(words("figure.bank-use.table"), columns, tuple(_bank_rows(access)))
    cell, top = 19.0, 26.0
    drawn: list[Markup] = []
    for group in groups:
        matrix = Matrix("" if drawn else words("figure.banks.axis", last=BANKS - 1), 6, top, BANKS,
                        group.passes, cell)  # fmt: skip
        drawn += [matrix.outline(), matrix.grid(1, 1), *group.drawn(matrix)]
        top += group.passes * cell + 8
    return figure(words, id, (BANKS * cell + 14, top), title, desc, drawn, table)


def timeline(
    words: Messages,
    made: Recording,
    id: str,
    *,
    block: tuple[int, ...] = (0, 0),
    warps: int = 8,
    phases: int = 2,
) -> Markup:
    """What each warp of a block accesses between barriers, and which warps wait, for the first phases."""
    warps = min(warps, made.warps)
    stretches = {warp: _stretches(made, warp)[: 2 * phases] for warp in range(warps)}
    longest = max(map(len, stretches.values()))
    lengths = [
        max(sum(run.count for run in rows[at]) for rows in stretches.values() if at < len(rows))
        for at in range(longest)
    ]
    chart = _Timeline(warps, lengths)
    drawn = list(chart.drawn(words, stretches))
    waiting = sum(
        max(0, length - sum(run.count for run in rows[at]))
        for rows in stretches.values()
        for at, length in enumerate(lengths)
        if at < len(rows)
    )
    values = {"warps": warps, "barriers": longest, "block": formatting.index(block)}
    title = words("figure.timeline.title", **values)
    desc = words("figure.timeline.desc" if waiting else "figure.timeline.even", waiting=waiting, **values)
    rows = tuple(_timeline_rows(words, stretches, lengths))
    table = Table(
        words("figure.timeline.table"), head(words, "timeline", "barrier", "warps", "before", "waits"), rows
    )
    return figure(words, id, chart.size, title, desc, drawn, table)


# --- banks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _AccessGroup:
    """Lanes that shared memory serves together; `words`: lanes by word."""

    words: dict[int, list[int]]

    @property
    def passes(self) -> int:
        return max(len(self.lanes_in(bank)) for bank in range(BANKS))

    def lanes_in(self, bank: int) -> list[list[int]]:
        """For each word of the bank that is accessed: the lanes that access it."""
        return [lanes for word, lanes in sorted(self.words.items()) if word % BANKS == bank]

    def drawn(self, matrix: Matrix) -> Iterable[Markup]:
        kind = "left" if self.passes == 1 else "hot"
        for bank in range(BANKS):
            for at, lanes in enumerate(self.lanes_in(bank)):
                yield matrix.block(bank, at, 1, 1, kind)
                text = formatting.span(lanes) if len(lanes) == 1 else "…"
                yield _text("lane-number", matrix.x + (bank + 0.5) * matrix.cell,
                            matrix.y + (at + 0.7) * matrix.cell, text)  # fmt: skip


def _groups(access: Access) -> Iterable[_AccessGroup]:
    together = _TOGETHER.get(access.bytes, WARP)
    for first in range(0, WARP, together):
        found: dict[int, list[int]] = {}
        for lane, address in access.lanes.items():
            if first <= lane < first + together:
                for word in range(address // WORD, (address + access.bytes) // WORD):
                    found.setdefault(word, []).append(lane)
        if found:
            yield _AccessGroup(found)


def _bank_rows(access: Access) -> Iterable[tuple[str, str]]:
    """Eight lanes in each row of the table, with the banks of their first words in the same order."""
    for first in range(0, WARP, 8):
        lanes = [lane for lane in access.lanes if first <= lane < first + 8]
        if lanes:
            banks = (str(access.lanes[lane] // WORD % BANKS) for lane in lanes)
            yield formatting.span(lanes), ", ".join(banks)


# --- time lines --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _LaneRun:
    kind: str
    count: int


def _stretches(made: Recording, warp: int) -> list[list[_LaneRun]]:
    """The warp's accesses before each of its barriers, as runs of one kind."""
    found: list[list[_LaneRun]] = []
    now: list[str] = []
    for access in made.accesses:
        if access.kind == BARRIER:
            found.append([_LaneRun(kind, len(list(group))) for kind, group in itertools.groupby(sorted(now))])
            now = []
        elif access.warp == warp and access.kind in _LETTER:
            now.append(access.kind)
    return found


def _timeline_rows(
    words: Messages, stretches: dict[int, list[list[_LaneRun]]], lengths: Sequence[int]
) -> Iterable[tuple[str, str, str, str]]:
    """Warps with the same accesses before the same barrier share a row of the table."""
    for at, length in enumerate(lengths):
        alike: dict[tuple[_LaneRun, ...], list[int]] = {}
        for warp, row in stretches.items():
            if at < len(row):
                alike.setdefault(tuple(row[at]), []).append(warp)
        for runs, warps in alike.items():
            waits = length - sum(run.count for run in runs)
            yield str(at + 1), formatting.span(warps), _run_list(words, runs), str(waits)


def _run_list(words: Messages, runs: Sequence[_LaneRun]) -> str:
    return ", ".join(
        words(
            "figure.timeline.run",
            count=run.count,
            kind=words(f"figure.timeline.{run.kind.replace(' ', '-')}"),
        )
        for run in runs
    ) or words("figure.timeline.nothing")


@dataclass(frozen=True)
class _Timeline:
    """Warps downwards, accesses to the right; a barrier is a line that all warps reach together."""

    warps: int
    lengths: Sequence[int]

    @property
    def unit(self) -> float:
        return 560 / max(1, sum(self.lengths))

    @property
    def size(self) -> tuple[float, float]:
        return 80 + 560 + 12 * len(self.lengths), 34 + 22 * self.warps + 26

    def drawn(self, words: Messages, stretches: dict[int, list[list[_LaneRun]]]) -> Iterable[Markup]:
        for warp, row in stretches.items():
            y = 26.0 + 22 * warp
            yield _text("lane-number", 62, y + 13, words("figure.timeline.warp", warp=warp), "end")
            left = 70.0
            for at, length in enumerate(self.lengths):
                x = left
                for run in row[at] if at < len(row) else ():
                    wide = run.count * self.unit
                    yield rectangle(x, y, wide, 18, "left" if run.kind.startswith("global") else "right")
                    if wide > 12:
                        yield _text("lane-number", x + wide / 2, y + 13, _LETTER[run.kind])
                    x += wide
                if left + length * self.unit - x > 0.5:
                    yield rectangle(x, y, left + length * self.unit - x, 18, "outside")
                left += length * self.unit + 12
        left = 70.0
        for at, length in enumerate(self.lengths):
            left += length * self.unit + 12
            yield rectangle(left - 8, 20, 4, 22 * self.warps + 6, "barrier")
            yield _text("lane-number", left - 6, 22 * self.warps + 42, str(at + 1))


# --- words and small parts ---------------------------------------------------------------------


def _text(kind: str, x: float, y: float, text: str, anchor: str = "middle") -> Markup:
    anchor = "start" if kind == "name" else anchor
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        kind, short(x), short(y), anchor, text
    )
