"""A recording against the arithmetic of the kernel, the emulator's trace, and what the page reads of it."""

from __future__ import annotations

import json
import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.programs.recordings import CASE, REPOSITORY, Made, recorded
from warpgrade.core.errors import UsageError
from warpgrade.player import lanes, recording
from warpgrade.player.moments import arrays
from warpgrade.player.recording import READ, BlockRecording, accessed
from warpgrade.run import npy

NODE = shutil.which("node")
PROBE = Path(__file__).parent / "page" / "answers.mjs"
BLOCK = (1, 0, 0)
MOMENTS = 50

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


@pytest.fixture(scope="module")
def made() -> Made:
    return recorded(block=BLOCK, with_trace=True)


def test_the_last_writes_are_the_product_of_the_inputs(made: Made) -> None:
    a, b = (npy.read((made.data / CASE.name / f"{name}.npy").read_bytes()).values for name in "AB")
    content = {}
    for step in made.scene.recording.steps:
        for access, lane in accessed(step):
            if access.space == "global" and access.kind != READ:
                content[access.addresses[lane]] = struct.unpack("<f", access.after[lane])[0]
    start = next(first for name, first, _, _ in arrays(made.scene.recording, "global") if name == "C")
    expected = {
        start + 4 * (32 * row + column): sum(a[32 * row + i] * b[32 * i + column] for i in range(32))
        for row in range(16)
        for column in range(16, 32)
    }
    assert content == expected


def test_variables_at_random_moments_are_those_of_the_arithmetic(made: Made) -> None:
    """A model of the kernel: a thread's sum goes through the sums of the first products, one after the other,
    and its element of the tile through one element of A in each phase."""
    record = made.scene.recording
    a, b = (npy.read((made.data / CASE.name / f"{name}.npy").read_bytes()).values for name in "AB")
    (places,) = (each["places"] for each in record.head["variables"] if each["name"] == "sum")
    registers = {number for _, _, where, number in places if where == "register"}
    tile = next(start for name, start, _, _ in arrays(record, "shared") if name == "A_tile")
    sums: dict[int, list[tuple[int, float]]] = {thread: [] for thread in range(256)}
    loads: dict[int, list[tuple[int, float]]] = {thread: [] for thread in range(256)}
    for at, step in enumerate(record.steps):
        for number in registers & set(step.registers):
            for lane, value in step.registers[number].items():
                sums[32 * step.warp + lane].append((at, _float(value.to_bytes(4, "little"))))
        for access, lane in accessed(step):
            if access.space == "shared" and access.kind != READ and access.addresses[lane] < tile + 1024:
                loads[32 * step.warp + lane].append((at, _float(access.after[lane])))
    chance = random.Random(7)
    counts = []
    for moment in chance.sample(range(len(record.steps)), MOMENTS):
        thread = chance.randrange(256)
        tx, ty = thread % 16, thread // 16
        loaded = [value for at, value in loads[thread] if at <= moment]
        assert loaded == [a[32 * ty + 16 * phase + tx] for phase in range(len(loaded))]
        found = [value for at, value in sums[thread] if at <= moment]
        products = [a[32 * ty + p] * b[32 * p + 16 + tx] for p in range(32)]
        model = [sum(products[:n]) for n in range(33)]
        assert _without_repeats(found) == _without_repeats(model)[: len(_without_repeats(found))]
        counts.append(len(found))
    assert min(counts) < 10 < max(counts) and sum(counts) > 10 * MOMENTS


def _float(content: bytes) -> float:
    return float(struct.unpack("<f", content)[0])


def _without_repeats(values: list[float]) -> list[float]:
    return [value for at, value in enumerate(values) if at == 0 or value != values[at - 1]]


def test_accesses_are_those_of_the_trace(made: Made) -> None:
    """The trace is written by another part of the emulator, of the same build."""
    assert made.traced is not None
    verbs = ("load", "store", "atomic")
    found = [
        (step.warp, f"{access.space} {verbs[access.kind]}", recording_line, dict(access.addresses))
        for step in made.scene.recording.steps
        for recording_line in [made.scene.recording.line(step)]
        for access in step.accesses
        if access.space in ("global", "shared")
    ]
    traced = [
        (each.warp, each.kind, each.line, each.lanes)
        for each in made.traced.accesses
        if each.kind.split()[0] in ("global", "shared")
    ]
    assert found == traced
    barriers = sum(step.opens for step in made.scene.recording.steps)
    assert barriers == sum(each.kind == "barrier" for each in made.traced.accesses) == 4


def test_what_a_write_replaces_is_what_was_written_before(made: Made) -> None:
    memory: dict[tuple[str, int], bytes] = {}
    checked = 0
    for step in made.scene.recording.steps:
        for access, lane in accessed(step):
            if access.space == "local":
                continue
            place = (access.space, access.addresses[lane])
            if place in memory:
                assert access.before[lane] == memory[place]
                checked += 1
            memory[place] = access.after[lane]
    assert checked > 1000


def test_variables_have_the_names_of_the_source(made: Made) -> None:
    names = {variable["name"] for variable in made.scene.head["variables"] if variable["places"]}
    assert names >= {"tx", "ty", "row", "column", "sum", "phase", "i", "A_tile", "B_tile", "n", "k"}
    assert "m" not in names  # nobody reads it: the compiler removed it
    tile = next(each for each in made.scene.head["variables"] if each["name"] == "A_tile")
    assert tile["type"] == {"kind": "float", "name": "float", "bytes": 4, "extents": [16, 16]}


@pytest.mark.optional
@pytest.mark.skipif(NODE is None, reason="needs node: apt-get install nodejs")
def test_the_page_reads_the_same_values_at_random_moments(made: Made, tmp_path: Path) -> None:
    """Replayed step by step here; found by binary search there."""
    questions = [*_asked(made.scene.recording), *_asked_of_lanes(made.scene.recording)]
    file, wanted = tmp_path / "recording", tmp_path / "questions.json"
    file.write_bytes(json.dumps(made.scene.head).encode() + b"\n" + made.scene.recording.stream)
    wanted.write_text(json.dumps([question for question, _ in questions]))
    assert NODE
    ran = subprocess.run([NODE, PROBE, file, wanted], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [answer for _, answer in questions]
    assert sum(answer is not None for _, answer in questions) > MOMENTS


def _asked_of_lanes(made: BlockRecording) -> Iterator[tuple[dict[str, object], list[str]]]:
    """What the lanes of each warp do at some moments, the last one included."""
    for moment in (0, len(made.steps) // 3, len(made.steps) // 2, len(made.steps) - 1):
        for warp, states in enumerate(lanes.states(made, moment)):
            yield {"moment": moment, "warp": warp}, list(states)


def _asked(made: BlockRecording) -> Iterator[tuple[dict[str, object], int | None]]:
    """Questions about registers and elements at random moments, with the answers of a plain replay."""
    chance = random.Random(23)
    moments = set(chance.sample(range(len(made.steps)), MOMENTS))
    registers: dict[tuple[int, int], int] = {}
    memory: dict[tuple[str, int], int] = {}
    for warp, values in enumerate(made.registers):
        for number, by_lane in values.items():
            registers |= {(number, 32 * warp + lane): value for lane, value in by_lane.items()}
    places = [
        (space, name, start, count)
        for space in ("shared", "global")
        for name, start, _, count in arrays(made, space)
    ]
    for moment, step in enumerate(made.steps):
        for number, by_lane in step.registers.items():
            registers |= {(number, 32 * step.warp + lane): value for lane, value in by_lane.items()}
        for access, lane in accessed(step):
            if access.space != "local" and access.kind != READ:
                memory[access.space, access.addresses[lane]] = int.from_bytes(access.after[lane], "little")
        if moment not in moments:
            continue
        for _ in range(4):
            number, thread = chance.randrange(len(made.head["registers"])), chance.randrange(256)
            yield {"moment": moment, "register": number, "thread": thread}, registers.get((number, thread))
        for space, name, start, count in places:
            index = chance.randrange(count)
            answer = memory.get((space, start + 4 * index))
            yield {"moment": moment, "array": name, "index": index}, answer


def test_a_file_that_is_no_recording_is_refused() -> None:
    for content in (b"", b"{}\n", b"\x7fELF", b'{"format": 99}\n'):
        with pytest.raises(UsageError):
            recording.read(content)
