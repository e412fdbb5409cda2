"""Two operations of streams that one line made: the address may be meant to move on."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.races.stream_race import advised, causes_first
from warpgrade.records import Finding, Memory, Place

LINE = Place("program.cu", 72, source="cudaMemcpyAsync(z, from + begin, size, kind, stream);")
RACE = Finding("c", "order", "stream-race", "WG171", "error", "m", LINE, other=LINE, help="Record an event.")


def test_of_one_line_the_advice_is_its_address_first() -> None:
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


DX = Memory("global", allocation="dx", made_at="program.cu:28")
OF_DX = replace(RACE, other=replace(LINE, line=80), memory=DX)
READ = Finding(
    "c", "init", "uninitialised-read", "WG121", "error", "m", LINE, memory=DX, cause="never-filled", help="?"
)


def test_a_race_stands_before_the_read_that_it_explains() -> None:
    race, read = causes_first((READ, OF_DX))
    assert race == OF_DX
    assert read.cause == "filled-too-late" and "WG171" in read.help and "dx" in read.help


def test_other_reads_stay_where_they_are() -> None:
    for read, race in (
        (READ, replace(OF_DX, memory=replace(DX, allocation="dy"))),
        (READ, replace(OF_DX, memory=replace(DX, made_at="program.cu:29"))),
        (READ, replace(OF_DX, label="another")),
        (READ, replace(OF_DX, kind="early-host-access")),
        (replace(READ, cause="not-cleared"), OF_DX),
        (replace(READ, memory=None), OF_DX),
    ):
        assert causes_first((read, race)) == [read, race]


def test_of_a_captured_graph_the_advice_is_an_event() -> None:
    race = replace(RACE, kind="graph-race", other=replace(LINE, line=80), help="Add the edge.")
    captured = advised(race, "cudaStreamBeginCapture(stream, mode);")
    assert "cudaStreamWaitEvent(other_stream, done)" in captured.help
    assert advised(race, "cudaGraphAddKernelNode(&node, graph, nullptr, 0, &what);") == race
    assert (
        advised(replace(race, kind="stream-race"), "cudaStreamBeginCapture(stream, mode);").help == race.help
    )
