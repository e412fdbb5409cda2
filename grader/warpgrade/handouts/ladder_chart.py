"""The ladder as a picture: what each way to compute one product reaches, and its share of the roof."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from ..core.messages import Messages
from ..core.paths import Repository
from ..course import arithmetic
from ..drawing.figure import Table, figure, head, rectangle, short
from ..gpu import ladder_file, spec
from ..gpu.ladder_file import Ladder, LadderTiming

_LEFT, _TOP, _WIDE, _BAR = 150.0, 24.0, 420.0, 26.0
# Steps of an open lab tell how its solution is made: they are for its staff.
_STEP_LEVELS = ("-O0", "-O1", "-O2", "-O3")


def rungs(words: Messages, repository: Repository, *, model: str, id: str) -> Markup:
    """One bar for each rung at the ladder's first size, from the slowest; its time and conditions below."""
    card = spec.load(repository, model)
    found = ladder_file.load(repository, card.name)
    peak = arithmetic.peak_gflops(card.sm_count, int(card.fp32_lanes), card.clock_hz / 1e9)
    title = words("figure.rungs.title", gpu=card.name)
    shown = _shown(found) if found else []
    rows = tuple(
        (_name(words, rung), words.number(rung.milliseconds, 3), _speed(words, rung),
         words.number(100 * rung.gflops / peak, 1))
        for rung in shown
    )  # fmt: skip
    columns = head(words, "rungs", "way", "time", "gflops", "share")
    table = Table(words("figure.rungs.table"), columns, rows)
    size = (_LEFT + _WIDE + 90, _TOP + max(1, len(shown)) * _BAR + 12)
    return figure(words, id, size, title, _about(words, card.name, found), _drawn(words, shown, peak), table)


def _shown(found: Ladder) -> list[LadderTiming]:
    first = found.timings[0].size
    whole = [rung for rung in found.timings if rung.size == first and not rung.label.endswith(_STEP_LEVELS)]
    return sorted(whole, key=lambda rung: rung.gflops)


def _name(words: Messages, rung: LadderTiming) -> str:
    return words("figure.rungs.loop") if rung.label == "CPU, triple loop" else rung.label


def _speed(words: Messages, rung: LadderTiming) -> str:
    return words.count(rung.gflops) if rung.gflops >= 10 else words.number(rung.gflops, 2)


def _about(words: Messages, name: str, found: Ladder | None) -> str:
    if found is None:
        return words("figure.rungs.unmeasured", gpu=name)
    about = found.conditions
    size = " × ".join(map(str, found.timings[0].size))
    return words("figure.rungs.desc", gpu=about["gpu"], cpu=about["cpu"], size=size, toolkit=about["toolkit"])


def _drawn(words: Messages, shown: list[LadderTiming], peak: float) -> Iterable[Markup]:
    if shown:
        roof = Markup('<path class="roof" d="M{} {}V{}"/>')
        yield roof.format(short(_LEFT + _WIDE), short(_TOP - 8), short(_TOP + len(shown) * _BAR))
        yield _label(_LEFT + _WIDE, _TOP - 12, words("figure.rungs.roof", peak=words.count(peak)), "end")
    for at, rung in enumerate(shown):
        y, wide = _TOP + at * _BAR, max(1.0, rung.gflops / peak * _WIDE)
        yield _label(_LEFT - 8, y + 14, _name(words, rung), "end")
        yield rectangle(_LEFT, y, wide, 18, "left")
        yield _label(_LEFT + wide + 6, y + 14, _speed(words, rung), "start")


def _label(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text class="lane-number" x="{}" y="{}" text-anchor="{}">{}</text>').format(
        short(x), short(y), anchor, text
    )
