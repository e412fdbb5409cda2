"""What `warpgrade profile` prints: the lines that cost more than they need, and what limits the kernel."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.markup import escape

from ..feedback.annotated_source import CodeLine
from ..feedback.comparisons import Whose
from ..feedback.disclosure import redact
from ..feedback.performance.hot_lines import HotLine
from ..feedback.student_lab import LabFeedback
from ..records import LabKind
from .terminal import occupancy_words, plain

_MOST = 6
_COUNT = 13  # columns of a number
# What the units of an access are, by the remedy that counts in them.
TERMS = {
    "uncoalesced": "a sector: 32 bytes of global memory, the least that an access moves",
    "bank-conflicts": "a wavefront: one pass of shared memory, in which each of 32 banks serves one word",
}


def lines(item: LabFeedback, width: int) -> Iterator[str]:
    """Markup for one lab's kernel; the page has more details."""
    if item.lab.kind is LabKind.PROGRAM:
        yield from _counted(item, width)
        return
    if item.hot:
        yield "[bold]where the time goes[/] [dim](share of the modelled time, and what the line waits for)[/]"
        yield from hot_rows(item.hot, width)
    expensive = [line for line in item.source if any(note.tone == "bad" for note in line.notes)]
    if expensive:
        yield "[bold]lines that cost more than they need[/] (a warp's access, on average)"
        for words in TERMS.values():
            yield from (f"[dim]{escape(part)}[/]" for part in textwrap.wrap(words, width))
        for line in expensive[:_MOST]:
            yield from _line(line, width)
        if len(expensive) > _MOST:
            yield f"[dim]… and {len(expensive) - _MOST} more[/]"
    elif any(note.tone == "idle" for line in item.source for note in line.notes):
        yield "[green]no single access costs more than it needs[/]"
    else:
        yield "[dim]no line touches global or shared memory yet[/]"
    yield from _missed_goals(item, width)
    for whose, seats in item.occupancy:
        if whose is not Whose.REFERENCE:
            of = "" if whose is Whose.YOURS else f" of {escape(plain(whose))}"
            yield f"occupancy{of} {occupancy_words(seats)}"
    if not item.times:
        yield "not timed: only a kernel that is right in every case is"
    for size, time in item.times:
        if time.student_bound:
            pace = f"the pace is set by {escape(time.student_bound)}"
            at = f"at {size}: " if len(item.times) > 1 else ""
            yield f"{at}{time.ratio:.2f} times as fast as the reference; {pace}"
    if item.bandwidth:
        rate = item.bandwidth.rates[0]
        yield f"{rate.gigabytes:,.0f} GB/s: {rate.share:.0%} of the best possible, the memory's bandwidth"


def _missed_goals(item: LabFeedback, width: int) -> Iterator[str]:
    """What the counters of a whole launch say, such as how often an element is loaded: no line shows that."""
    verdicts = item.result.judgement.techniques if item.result.judgement else ()
    for each in (verdict for verdict in verdicts if verdict.met is False):
        words = plain(redact(item.lab, f"{each.name}: {each.sentence}"))
        yield from (f"[yellow]{escape(part)}[/]" for part in textwrap.wrap(words, width))


def _counted(item: LabFeedback, width: int) -> Iterator[str]:
    """The totals of a whole program: its time depends on the order of its calls, not on single lines."""
    if not item.counters:
        yield "[dim]nothing is counted yet: only a program that is right is[/]"
        return
    yield f"[bold]what the program did[/] [dim](in the case {escape(item.counted_on)})[/]"
    for row in item.counters:
        first, *others = textwrap.wrap(row.meaning or row.name, max(24, width - _COUNT - 2))
        yield f"{row.student:>{_COUNT}}  {escape(first)}"
        yield from (" " * (_COUNT + 2) + escape(line) for line in others)


def hot_rows(found: Sequence[HotLine], width: int) -> Iterator[str]:
    """`  62 %   23 │ sum += …   shared memory`: the lines that the time goes to."""
    for each in found:
        columns = max(20, width - 16 - len(each.resource))
        source = plain(each.source)
        code = source if len(source) <= columns else source[: columns - 1] + "…"
        share = f"{each.share:>5.0%}  [blue]{each.line:>4} │[/]"
        yield f"{share} {escape(code)}  [dim]{escape(each.resource)}[/]"


def _line(line: CodeLine, width: int) -> Iterator[str]:
    text = plain(line.text.strip())
    columns = width - 7
    yield f"[blue]{line.number:>4} │[/] {escape(text if len(text) <= columns else text[: columns - 1] + '…')}"
    for note in line.notes:
        if note.tone == "bad":
            yield f"     [blue]│[/] [yellow]{escape(note.text)}[/]"
