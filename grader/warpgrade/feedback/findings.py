"""Findings grouped by code and lines, each group shown once with the lines around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from ..core import formatting
from ..course import draws
from ..drawing import element_map
from ..records import Finding, Lab, Place, Result, Standing, Submission
from . import annotated_source, disclosure, playable
from .annotated_source import CodeLine
from .disclosure import TIMED


@dataclass(frozen=True)
class Side:
    """One side of a finding with its surroundings."""

    heading: str
    place: str
    lines: tuple[CodeLine, ...]
    inlined_at: str


@dataclass(frozen=True)
class StoppedWarps:
    """Warps that stopped at one place in one state, when no thread could continue."""

    warps: str  # "0–7"
    lanes: str
    state: str
    place: str
    source: str


@dataclass(frozen=True)
class FindingCard:
    """One group of findings, as a student's page shows it."""

    code: str
    kind: str
    severity: str
    message: str
    where_seen: str
    sides: tuple[Side, ...]
    memory: str
    strip: Markup | None
    standing: tuple[StoppedWarps, ...]
    help: str
    number: int  # of `play --finding`; 0 where it cannot be played


def finding_cards(lab: Lab, result: Result) -> tuple[FindingCard, ...]:
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in disclosure.shown_findings(lab, result):
        groups.setdefault(_same(finding), []).append(finding)
    played = playable.findings(lab, result)
    cards = [
        _finding_card(
            lab, group, result.submission, f"{lab.name}-finding-{at}", playable.number(played, group)
        )
        for at, group in enumerate(groups.values())
    ]
    return tuple(_each_help_once(cards))


def _each_help_once(cards: Sequence[FindingCard]) -> Iterator[FindingCard]:
    """The cards, of which those with the same advice as one before them have none."""
    given: set[str] = set()
    for card in cards:
        yield replace(card, help="") if card.help in given else card
        given.add(card.help)


def _same(finding: Finding) -> tuple[object, ...]:
    other = finding.other
    lines = (finding.place.line, other.line if other else 0)
    return (finding.code, finding.kind, finding.place.file, *sorted(lines))


def _finding_card(
    lab: Lab, group: list[Finding], submission: Submission | None, id: str, number: int
) -> FindingCard:
    first = group[0]
    sides = [_side(first.place, submission, "")]
    if first.other:
        sides.append(_side(first.other, submission, "the other side: "))
    # Where the other side is another access to the same place, a picture of the place says nothing.
    placed = first.memory if first.memory and first.memory.relation and not first.other else None
    return FindingCard(
        code=first.code,
        kind=first.called,
        severity=first.severity,
        message=disclosure.redact(lab, first.message),
        where_seen=_where_seen(lab, group),
        sides=tuple(sides),
        memory=element_map.memory_words(first.memory) if first.memory else "",
        strip=element_map.allocation_strip(placed, id) if placed else None,
        standing=tuple(stopped_warps(first.standing)),
        help=first.help,
        number=number,
    )


def _side(place: Place, submission: Submission | None, prefix: str) -> Side:
    lines = annotated_source.around(submission, place.file, place.line, place.source)
    return Side(prefix + formatting.actor(place), formatting.place(place), lines, place.inlined_at)


def stopped_warps(standing: Sequence[Standing]) -> Iterator[StoppedWarps]:
    alike: dict[tuple[str, str, str, str], list[int]] = {}
    for item in standing:
        place = f"{formatting.base_name(item.file)}:{item.line}"
        alike.setdefault((item.lanes, formatting.stood(item.state), place, item.source.strip()), []).append(
            item.warp
        )
    return (StoppedWarps(formatting.span(warps), *what) for what, warps in alike.items())


def _where_seen(lab: Lab, group: list[Finding]) -> str:
    names = list(dict.fromkeys(label_words(lab, finding.label) for finding in group))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    times = sum(finding.times for finding in group)
    return f"Seen in {shown}" + (f", {times:,} times in all" if times > 1 else "")


def label_words(lab: Lab, label: str) -> str:
    """A label as a student reads it, without a size that the course has drawn."""
    if not label.startswith(TIMED):
        return label
    if draws.are_secret(lab):
        return "the timed run"
    return f"the timed run of {label.split('/')[1].replace('x', ' × ')}"
