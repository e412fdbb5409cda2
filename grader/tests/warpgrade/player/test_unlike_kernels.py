"""What the page shows of four unlike kernels at random moments, against the same computation in Python.

fixtures/player/kernels.cu has the kernels. The page's own modules answer; the models here read no recording.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.programs.recorded_programs import recorded
from support.programs.recordings import REPOSITORY
from warpgrade.player import recording

NODE = shutil.which("node")
PROBE = Path(__file__).parent / "page" / "answers.mjs"
MOMENTS = 50
THREADS = {"reduction": 64, "histogram": 64, "transposition": 256, "collatz": 64}
INPUT = [(i * i + 7 * i + 3) % 101 for i in range(256)]
SIDE, BINS = 16, 8
State = dict[str, int]

pytestmark = [
    pytest.mark.optional,
    pytest.mark.skipif(NODE is None, reason="needs node: apt-get install nodejs"),
    pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools"),
]


@dataclass(frozen=True)
class Shown:
    """What the page shows at a moment: variables by thread, and the elements of a shared array."""

    variables: list[State]
    elements: list[int | None] = field(default_factory=list)


def shown(folder: Path, kernel: str, array: str = "", count: int = 0) -> list[Shown]:
    """What the page shows of the kernel at random moments, in their order, and at the last one."""
    file = recorded(kernel)
    steps = recording.read(file.read_bytes()).head["steps"]
    moments = [*sorted(random.Random(kernel).sample(range(steps), MOMENTS)), steps - 1]
    threads = THREADS[kernel]
    questions: list[dict[str, Any]] = []
    for moment in moments:
        questions += [{"moment": moment, "thread": thread} for thread in range(threads)]
        questions += [{"moment": moment, "array": array, "index": index} for index in range(count)]
    asked = folder / "questions.json"
    asked.write_text(json.dumps(questions))
    assert NODE
    ran = subprocess.run([NODE, PROBE, file, asked], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    answers = json.loads(ran.stdout)
    each = threads + count
    rows = [answers[at : at + each] for at in range(0, len(answers), each)]
    return [Shown([dict(found) for found in row[:threads]], row[threads:]) for row in rows]


def place_in(states: list[State], found: Mapping[str, int], after: int, names: set[str]) -> int:
    """The first of the states, not before `after`, in which the variables have the values that are shown."""
    own = {name: value for name, value in found.items() if name in names}
    for at in range(after, len(states)):
        if own.items() <= states[at].items():
            return at
    raise AssertionError(f"{own} is no state from {after} on: {states[after : after + 8]}")


def test_a_reduction_with_shuffles(tmp_path: Path) -> None:
    values = INPUT[:64]
    states: list[list[State]] = [[{"value": value, "offset": 16}] for value in values]
    for offset in (16, 8, 4, 2, 1):
        values = [
            value + values[at + offset if at % 32 + offset < 32 else at] for at, value in enumerate(values)
        ]
        for own, value in zip(states, values, strict=True):
            own += [{"value": value, "offset": offset}, {"value": value, "offset": offset // 2}]
    at = [0] * 64
    moments = shown(tmp_path, "reduction", "sums", 2)
    for moment in moments:
        for thread, found in enumerate(moment.variables):
            at[thread] = place_in(states[thread], found, at[thread], {"value", "offset"})
        for warp, total in enumerate(moment.elements):
            assert total in (None, sum(INPUT[32 * warp : 32 * warp + 32]))
    assert [each["value"] for each in moments[-1].variables] == values
    assert moments[-1].elements == [sum(INPUT[:32]), sum(INPUT[32:64])]
    assert moments[0].elements == [None, None]


def test_a_histogram_with_atomics(tmp_path: Path) -> None:
    """Either warp may count first. A thread has `before` one step after its warp has counted."""
    bins = [value % BINS for value in INPUT[:64]]
    moments = shown(tmp_path, "histogram", "bins", BINS)
    orders = [[*range(64)], [*range(32, 64), *range(32)]]
    assert sum(all(is_counted(moment, bins, order) for moment in moments) for order in orders) == 1
    assert {sum("before" in found for found in moment.variables) for moment in moments} == {0, 32, 64}


def is_counted(moment: Shown, bins: list[int], order: list[int]) -> bool:
    """Whether the moment is one of those that there are where threads count in that order."""
    done = [thread for thread in order if "before" in moment.variables[thread]]
    if done != order[: len(done)] or len(done) % 32:
        return False
    in_order = [bins[thread] for thread in order]
    for at, thread in enumerate(done):
        expected = {"bin": bins[thread], "before": in_order[:at].count(bins[thread])}
        if not expected.items() <= moment.variables[thread].items():
            return False
    totals = [
        [in_order[:count].count(index) for index in range(BINS)] for count in (len(done), len(done) + 32)
    ]
    return None in moment.elements or moment.elements in totals


def test_a_transposition_with_padding(tmp_path: Path) -> None:
    seen = set()
    for moment in shown(tmp_path, "transposition", "tile", SIDE * (SIDE + 1)):
        for thread, found in enumerate(moment.variables):
            x, y = thread % SIDE, thread // SIDE
            assert found.get("from", thread) == thread
            assert found.get("value", INPUT[SIDE * x + y]) == INPUT[SIDE * x + y]
        for index, value in enumerate(moment.elements):
            y, x = divmod(index, SIDE + 1)
            assert value in (None, INPUT[SIDE * y + x]) if x < SIDE else value is None
        seen.add(sum(value is not None for value in moment.elements))
    assert len(seen) > 5 and max(seen) == 256


def test_divergent_turns_with_an_array_of_each_thread(tmp_path: Path) -> None:
    states = [turns_of(INPUT[thread] % 29 + 1) for thread in range(64)]
    names = {"number", "turns", *(f"seen[{at}]" for at in range(4))}
    at = [0] * 64
    unequal = 0
    moments = shown(tmp_path, "collatz")
    for moment in moments:
        for thread, found in enumerate(moment.variables):
            at[thread] = place_in(states[thread], found, at[thread], names)
        unequal += len(set(at)) > 2
    assert [{name: found[name] for name in names} for found in moments[-1].variables] == [
        own[-1] for own in states
    ]
    assert unequal > MOMENTS // 2


def turns_of(number: int) -> list[State]:
    """Each state that a thread's variables go through."""
    seen, turns = [0, 0, 0, 0], 0
    states: list[State] = []

    def add() -> None:
        states.append({"number": number, "turns": turns} | {f"seen[{i}]": seen[i] for i in range(4)})

    add()
    while number != 1:
        seen[turns % 4] = number
        add()
        number = 3 * number + 1 if number % 2 else number // 2
        add()
        turns += 1
        add()
    return states
