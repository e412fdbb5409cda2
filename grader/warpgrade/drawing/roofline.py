"""A roofline chart: what a GPU allows at each arithmetic intensity, and kernels below that limit.

Both axes are logarithmic: powers of two across, decimal numbers up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .figure import path, short, text_at

_LEFT, _TOP, _WIDE, _HIGH = 62.0, 20.0, 500.0, 270.0
_RIGHT, _RIGHT_WITH_LABELS = 12.0, 90.0  # a label may stand right of the last mark
_BOTTOM = 52.0  # numbers and title of the x axis
_DECADES = 2.5  # a y axis that spans fewer has lines at 1, 2 and 5, any other at the powers of ten


@dataclass(frozen=True)
class Roof:
    """The limits of a GPU."""

    peak: float  # GFLOP/s
    bandwidth: float  # GB/s of the memory whose bytes the intensity counts

    @property
    def ridge(self) -> float:
        """Operations a byte from which arithmetic is the limit."""
        return self.peak / self.bandwidth

    def limit(self, intensity: float) -> float:
        """GFLOP/s at so many operations a byte."""
        return min(self.peak, self.bandwidth * intensity)


@dataclass(frozen=True)
class RooflineMark:
    """A kernel in the chart."""

    kind: str  # CSS class
    shape: str  # "circle" or "diamond"
    intensity: float  # operations a byte
    gflops: float
    labels: tuple[str, ...] = ()  # lines of text right below it


@dataclass(frozen=True)
class RooflineChart:
    roof: Roof
    marks: Sequence[RooflineMark]
    x_title: str
    y_title: str
    number: Callable[[float], str]  # writes a number of the y axis

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the SVG element."""
        right = _RIGHT_WITH_LABELS if any(mark.labels for mark in self.marks) else _RIGHT
        return _LEFT + _WIDE + right, _TOP + _HIGH + _BOTTOM

    def drawn(self) -> Iterator[Markup]:
        """Everything inside the SVG element."""
        yield from self._x_axis()
        yield from self._y_axis()
        first, last = (2.0**power for power in self._powers)
        corners = ((first, self.roof.limit(first)), (self.roof.ridge, self.roof.peak), (last, self.roof.peak))
        yield path("roof", "M" + "L".join(f"{short(self.x(x))} {short(self.y(y))}" for x, y in corners))
        for mark in self.marks:
            yield from self._mark(mark)

    def x(self, intensity: float) -> float:
        first, last = self._powers
        return _LEFT + (math.log2(intensity) - first) / (last - first) * _WIDE

    def y(self, gflops: float) -> float:
        bottom, top = self._decades
        return _TOP + (top - math.log10(gflops)) / (top - bottom) * _HIGH

    @property
    def _powers(self) -> tuple[int, int]:
        """The powers of two at the ends of the x axis: one beyond ridge and marks."""
        intensities = (self.roof.ridge, *(mark.intensity for mark in self.marks))
        return math.floor(math.log2(min(intensities))) - 1, math.ceil(math.log2(max(intensities))) + 1

    @property
    def _decades(self) -> tuple[float, float]:
        """Logarithms of the ends of the y axis: a little beyond the roof and the marks."""
        least = min(self.roof.limit(2.0 ** self._powers[0]), *(mark.gflops for mark in self.marks))
        return math.log10(least) - 0.15, math.log10(self.roof.peak) + 0.15

    def _x_axis(self) -> Iterator[Markup]:
        first, last = self._powers
        for power in range(first, last + 1):
            x = self.x(2.0**power)
            yield path("grid", f"M{short(x)} {short(_TOP)}V{short(_TOP + _HIGH)}")
            yield text_at(x, _TOP + _HIGH + 16, f"{2**power}" if power >= 0 else f"1/{2**-power}")
        yield text_at(_LEFT + _WIDE / 2, _TOP + _HIGH + 38, self.x_title)

    def _y_axis(self) -> Iterator[Markup]:
        for value in _round_numbers(*self._decades):
            y = self.y(value)
            yield path("grid", f"M{short(_LEFT)} {short(y)}H{short(_LEFT + _WIDE)}")
            yield text_at(_LEFT - 6, y + 4, self.number(value), "end")
        yield text_at(4, 11, self.y_title, "start")

    def _mark(self, mark: RooflineMark) -> Iterator[Markup]:
        x, y = self.x(mark.intensity), self.y(mark.gflops)
        if mark.shape == "circle":
            yield Markup('<circle class="{}" cx="{}" cy="{}" r="6"/>').format(mark.kind, short(x), short(y))
        else:
            yield path(mark.kind, f"M{short(x)} {short(y - 6)}l6 6l-6 6l-6-6z")
        for line, label in enumerate(mark.labels):
            yield text_at(x + 9, y + 16 + 14 * line, label, "start")


def _round_numbers(bottom: float, top: float) -> list[float]:
    """1, 2, 5, 10, … between these powers of ten; the powers of ten alone where that would be too many."""
    powers = range(math.floor(bottom), math.ceil(top) + 1)
    steps = (1, 2, 5) if top - bottom < _DECADES else (1,)
    return [
        step * 10.0**power for power in powers for step in steps if bottom <= math.log10(step) + power <= top
    ]
