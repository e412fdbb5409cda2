"""Which accesses of a recording a race is about."""

from __future__ import annotations

import struct

from warpgrade.player import moments, story
from warpgrade.player.recording import READ, WRITE, BlockAccess, BlockRecording, BlockStep
from warpgrade.records import Finding, Memory, Place

COPY, WAIT, USE = 47, 145, 153  # lines
RING = {"name": "ring", "offset": 0, "bytes": 32, "element": 4, "kind": "float", "shape": [8]}


def step(line: int, lanes: int, *accesses: BlockAccess) -> BlockStep:
    return BlockStep(0, (COPY, WAIT, USE).index(line), lanes, {}, accesses, None, None, False, False)


def access(kind: int, places: dict[int, int]) -> BlockAccess:
    content = {lane: struct.pack("<f", 1.0) for lane in places}
    return BlockAccess(
        kind, "shared", 4, {lane: 4 * place for lane, place in places.items()}, content, content
    )


def recording(*steps: BlockStep) -> BlockRecording:
    head = {
        "block_index": [0, 0, 0],
        "block": [32, 1, 1],
        "called": "k",
        "label": "",
        "source": "",
        "registers": [],
        "failed": False,
        "arrays": [],
        "variables": [],
        "shared": [RING | {"allocation": "shared array ring"}],
        "shared_bytes": 32,
        "source_file": 0,
        "functions": [{"first": 0}],
        "instructions": [[[line, 0, "", ""] for line in (COPY, WAIT, USE)]],
    }
    return BlockRecording(head, b"", steps=list(steps))


def race() -> Finding:
    read = Place("kernel.cu", USE, thread=(0, 0, 0), block=(0, 0, 0), access="read")
    written = Place("kernel.cu", COPY, thread=(1, 0, 0), block=(0, 0, 0), access="write")
    at = Memory("shared", "0x4", 4, "shared array ring", 32, 4, "inside", "ring[1]")
    return Finding("c", "race", "race-read-write", "WG112", "error", "m", read, other=written, memory=at)


def test_of_an_asynchronous_copy_the_write_is_where_its_thread_waits() -> None:
    """Each thread copies its own element, and adds its own and its right neighbour's."""
    made = recording(
        step(COPY, 3),
        step(WAIT, 3, access(WRITE, {0: 0, 1: 1})),
        step(USE, 3, access(READ, {0: 0, 1: 1})),
        step(USE, 3, access(READ, {0: 1, 1: 2})),
    )
    (row,) = moments.rows([race()], made)
    assert row["element"] == {"array": "ring", "index": 1}
    assert (row["step"], row["other_step"]) == (3, 1)


def test_the_element_of_a_race_is_the_one_that_the_finding_names() -> None:
    """Thread (0) reads element 0 first, which thread (1) writes as well."""
    made = recording(
        step(COPY, 2, access(WRITE, {1: 0})),
        step(COPY, 2, access(WRITE, {1: 1})),
        step(USE, 1, access(READ, {0: 0})),
        step(USE, 1, access(READ, {0: 1})),
    )
    (row,) = moments.rows([race()], made)
    assert row["element"] == {"array": "ring", "index": 1} and (row["step"], row["other_step"]) == (3, 1)


def test_no_barrier_is_missed_where_the_recording_lacks_one_of_the_accesses() -> None:
    made = recording(step(COPY, 3), step(WAIT, 1, access(WRITE, {0: 1})), step(USE, 1, access(READ, {0: 1})))
    made.head["findings"] = moments.rows([race()], made)
    found = "\n".join(story.lines(made))
    assert "What happened to ring[1]" in found and "No barrier opens" not in found
