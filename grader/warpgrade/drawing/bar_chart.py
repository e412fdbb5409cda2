"""A bar chart: groups of horizontal bars, each with its label on the left and numbers after the bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .figure import path, rectangle, short, text_at

_LEFT, _TOP, _WIDE, _RIGHT = 150.0, 24.0, 420.0, 90.0
_PITCH, _BAR, _GAP = 18.0, 15.0, 10.0  # from bar to bar of a group; height of a bar; between groups


@dataclass(frozen=True)
class Bar:
    kind: str  # CSS class: "left" is filled, "outside" is hatched
    share: float  # of the axis
    text: str


@dataclass(frozen=True)
class BarGroup:
    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class BarChart:
    groups: Sequence[BarGroup]
    end: str  # what the end of the axis stands for

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the SVG element."""
        return _LEFT + _WIDE + _RIGHT, self._bottom + 12

    def drawn(self) -> Iterator[Markup]:
        """Everything inside the SVG element."""
        if self.groups:
            end = _LEFT + _WIDE
            yield path("roof", f"M{short(end)} {short(_TOP - 8)}V{short(self._bottom)}")
            yield text_at(end, _TOP - 12, self.end, "end")
        y = _TOP
        for group in self.groups:
            yield from _group(group, y)
            y += _height(group)

    @property
    def _bottom(self) -> float:
        return _TOP + max(_PITCH, sum(map(_height, self.groups)))


def _height(group: BarGroup) -> float:
    return len(group.bars) * _PITCH + _GAP


def _group(group: BarGroup, y: float) -> Iterator[Markup]:
    yield text_at(_LEFT - 8, y + (len(group.bars) - 1) * _PITCH / 2 + _BAR - 3, group.label, "end")
    for number, bar in enumerate(group.bars):
        top, width = y + number * _PITCH, max(1.0, bar.share * _WIDE)
        yield rectangle(_LEFT, top, width, _BAR, bar.kind)
        yield text_at(_LEFT + width + 6, top + _BAR - 3, bar.text, "start")
