"""Advice on a race between streams whose two sides are one line of the program, two turns of a loop; and on
reads of what the other side has not filled yet, which are its consequence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ....records import Finding

_GRAPH = "graph-race"
_KINDS = ("stream-race", _GRAPH)
_SAME_LINE = (
    "One line made both, in two turns of a loop or two calls. If each is to have memory of its own, look at "
    "the address: it must move on from turn to turn, as in to + begin. If they are to use one place in turn: "
)

_IN_CAPTURE = (
    "Record an event behind the first, cudaEventRecord(done, its_stream), and let the stream of the second "
    "wait before it: cudaStreamWaitEvent(other_stream, done). In a capture, that makes the edge of the graph."
)
_FILLED_TOO_LATE = (
    "What fills {name} is in another stream, and nothing makes this kernel wait for it: {code} says so. With "
    "the two in order, this is gone, too."
)
_NOBODY_WROTE = ("never-filled", "filled-in-another-stream")


def causes_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with reads of what nobody has written behind a race that says who fills it."""
    found = list(findings)
    races: dict[tuple[object, ...], Finding] = {}
    for finding in found:
        if finding.kind in _KINDS and finding.memory and finding.memory.allocation:
            races.setdefault(_memory_of(finding), finding)
    too_late = [
        finding for finding in found if finding.cause in _NOBODY_WROTE and _memory_of(finding) in races
    ]
    others = [finding for finding in found if finding not in too_late]
    return others + [_filled_too_late(finding, races[_memory_of(finding)]) for finding in too_late]


def _memory_of(finding: Finding) -> tuple[object, ...]:
    memory = finding.memory
    return (finding.label, memory.allocation, memory.made_at) if memory else ()


def _filled_too_late(finding: Finding, race: Finding) -> Finding:
    name = finding.memory.allocation if finding.memory else ""
    words = _FILLED_TOO_LATE.format(name=name, code=race.code)
    return replace(finding, cause="filled-too-late", help=words)


def advised(finding: Finding, text: str = "") -> Finding:
    """The finding with advice to look at the address first; where two lines meet, with what makes an edge
    of a graph that is captured, else unchanged. `text`: the file without comments.
    """
    place, other = finding.place, finding.other
    if finding.kind == _GRAPH and "cudaStreamBeginCapture" in text and "cudaGraphAddDep" not in text:
        finding = replace(finding, help=_IN_CAPTURE)
    if finding.kind not in _KINDS or other is None or not place.line:
        return finding
    if (place.file, place.line) != (other.file, other.line):
        return finding
    help = finding.help[:1].lower() + finding.help[1:]
    return replace(finding, help=_SAME_LINE + help)
