"""Two operations of streams that one line made: the address may be meant to move on."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.stream_race import advised
from warpgrade.records import Finding, Place

LINE = Place("program.cu", 72, source="cudaMemcpyAsync(z, from + begin, size, kind, stream);")
RACE = Finding("c", "order", "stream-race", "WG171", "error", "m", LINE, other=LINE, help="Record an event.")


def test_one_line_is_told_to_look_at_its_address_first() -> None:
    found = advised(RACE)
    assert "move on from turn to turn" in found.help and found.help.endswith("record an event.")
    assert advised(replace(RACE, kind="graph-race")).help == found.help


def test_other_findings_keep_their_advice() -> None:
    for other in (
        replace(RACE, other=replace(LINE, line=80)),
        replace(RACE, other=replace(LINE, file="other.cu")),
        replace(RACE, other=None),
        replace(RACE, kind="early-host-access"),
        replace(RACE, place=Place("program.cu"), other=Place("program.cu")),
    ):
        assert advised(other) == other
