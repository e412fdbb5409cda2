"""Advice on a race between streams whose two sides are one line of the program: two turns of a loop."""

from __future__ import annotations

from dataclasses import replace

from ...records import Finding

_KINDS = ("stream-race", "graph-race")
_SAME_LINE = (
    "One line made both, in two turns of a loop or two calls. If each is to have memory of its own, look at "
    "the address: it must move on from turn to turn, as in to + begin. If they are to use one place in turn: "
)


def advised(finding: Finding) -> Finding:
    """The finding with advice to look at the address first; unchanged where two lines meet."""
    place, other = finding.place, finding.other
    if finding.kind not in _KINDS or other is None or not place.line:
        return finding
    if (place.file, place.line) != (other.file, other.line):
        return finding
    help = finding.help[:1].lower() + finding.help[1:]
    return replace(finding, help=_SAME_LINE + help)
