"""What the simulation of issue is asked, and the time that is made of its schedules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.build.emu import IssueSchedule
from warpgrade.build.sass import Code, Instruction, Loop
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import issue, model
from warpgrade.records import CounterSite, Launch

H200 = spec.load(Repository(Path(__file__).resolve().parents[4]), "h200")
WARPS = 8  # of a block
ITERATIONS = 40


def of(kind: str, width: int = 0, collides: int = 0, sets: int = -1, waits: int = 0) -> Instruction:
    return Instruction(kind, width, collides, 1, sets, waits, 0 if kind == "branch" else -1)


CODE = Code(
    "k",
    (
        of("shared load", 16, sets=0),
        of("shared load", 4, sets=1),
        of("ffma", collides=2, waits=1),
        of("barrier"),
        of("branch"),
        of("exit"),
    ),
    32,
    4096,
    (Loop(0, 4),),
)


def launch(blocks: int, code: Code = CODE) -> Launch:
    warps = blocks * WARPS
    counters = {
        "smsp__inst_executed_op_barrier.sum": warps * ITERATIONS,
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": warps * 32 * ITERATIONS,
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": warps * ITERATIONS * 3,
        "smsp__inst_executed.sum": warps * (5 * ITERATIONS + 1),
        "smsp__thread_inst_executed.sum": warps * 32 * (5 * ITERATIONS + 1),
    }
    sites = tuple(
        CounterSite("k.cu", line, "shared load", warps * ITERATIONS, lanes=lanes, wavefronts=passes)
        for line, lanes, passes in (
            (1, warps * ITERATIONS * 128, warps * ITERATIONS * 2),
            (2, warps * ITERATIONS * 32, warps * ITERATIONS),
        )
    )
    found = Launch("", "k", (blocks, 1, 1), (WARPS * 32, 1, 1), counters, sites)
    return model.with_mix(found, code, 0.0, H200, OCCUPANCY, alone=True)


OCCUPANCY = theoretical(H200.limits, "9.0", WARPS * 32, 32, 4096)


def simulated(blocks: int, code: Code = CODE) -> issue.SimulatedLaunch | None:
    return issue.simulated(launch(blocks, code), code, 0.0, H200, OCCUPANCY)


def test_each_instruction_occupies_its_unit() -> None:
    found = simulated(132)
    assert found is not None
    rows = [found.job.instructions[number] for number in found.job.order[:5]]
    unit = issue.IssueUnit
    assert [row[0] for row in rows] == [unit.LOAD, unit.LOAD, unit.SINGLE, unit.BARRIER, unit.NONE]
    assert [row[4] for row in rows[:2]] == [2.0, 1.0]  # passes: 16 bytes a lane take twice as many as 8
    assert rows[2][6] == pytest.approx(2 * H200.fitted.issue_conflict)
    assert [row[2] for row in rows[:2]] == [0, 1] and rows[2][3] == 1


@pytest.mark.parametrize(
    ("blocks", "groups", "full"),
    [
        (132, {1}, 1),  # one block each
        (132 * OCCUPANCY.blocks, {OCCUPANCY.blocks}, 1),
        (132 * (2 * OCCUPANCY.blocks + 3), {OCCUPANCY.blocks, 3}, 2),
    ],
)
def test_blocks_come_in_rounds(blocks: int, groups: set[int], full: int) -> None:
    found = simulated(blocks)
    assert found is not None
    assert {group[0] for group in found.job.groups} == groups
    assert found.full == full and found.last == (len(groups) > 1)
    assert all(group[1] == WARPS for group in found.job.groups)


def steady(of: issue.SimulatedLaunch, pace: float) -> list[IssueSchedule]:
    """Schedules in which all warps go on side by side, an iteration every `pace` cycles."""
    at = {mark: 100.0 + pace * number for number, mark in enumerate(of.job.marks)}
    found = []
    for blocks, warps, _, _ in of.job.groups:
        count = blocks * warps
        marks = tuple((time,) * count for time in at.values())
        found.append(IssueSchedule((0.0,) * count, (max(at.values()) + 50.0,) * count, marks))
    return found


def test_the_time_is_the_pace_of_the_loop_and_what_is_around_it() -> None:
    found = simulated(132)
    assert found is not None
    expected = 100 + ITERATIONS * 200 + 50 + H200.fitted.block_start
    assert issue.cycles(found, steady(found, 200.0), H200) == pytest.approx(expected, rel=0.05)


def test_more_rounds_take_as_much_longer() -> None:
    one, three = simulated(132 * OCCUPANCY.blocks), simulated(132 * 3 * OCCUPANCY.blocks)
    assert one is not None and three is not None
    times = [issue.cycles(each, steady(each, 200.0), H200) for each in (one, three)]
    assert times[1] == pytest.approx(3 * times[0])


@pytest.mark.parametrize("kind", ["atomic", "mma 16x8x16", "call"])
def test_what_was_never_compared_is_not_simulated(kind: str) -> None:
    before = launch(132)
    assert before.mix is not None
    other = replace(before, mix=replace(before.mix, by_kind=before.mix.by_kind | {kind: 1.0}))
    assert issue.simulated(before, CODE, 0.0, H200, OCCUPANCY) is not None
    assert issue.simulated(other, CODE, 0.0, H200, OCCUPANCY) is None


def test_gpus_of_other_pipes_are_not_simulated() -> None:
    narrow = replace(H200, fp32_lanes=64.0)
    assert issue.simulated(launch(132), CODE, 0.0, narrow, OCCUPANCY) is None


STRAIGHT = replace(CODE, instructions=CODE.instructions[:4] + CODE.instructions[5:], loops=())


def test_a_kernel_without_a_loop_takes_the_pace_of_its_blocks() -> None:
    rounds = 3
    found = simulated(132 * rounds * OCCUPANCY.blocks, STRAIGHT)
    assert found is not None
    assert [each[0] for each in found.job.groups] == [OCCUPANCY.blocks] * 3  # by seed
    expected = rounds * (100 + 200 + 50)  # what is around the blocks is a round's, too
    assert issue.cycles(found, steady(found, 200.0), H200) == pytest.approx(expected, rel=0.08)


def test_a_block_starts_when_all_warps_of_the_one_before_have_ended() -> None:
    found = simulated(132, STRAIGHT)
    assert found is not None
    executed = [found.job.instructions[number] for number in found.job.order]
    behind = found.job.marks[1]  # where the second block begins
    assert executed[behind - 2][0] == issue.IssueUnit.BARRIER
    assert executed[behind - 1][1] == H200.fitted.next_block


def test_a_block_that_is_too_long_is_not_simulated() -> None:
    before = launch(132)
    assert before.mix is not None
    longer = replace(before, mix=replace(before.mix, instructions=before.mix.warps * 3000))
    assert issue.simulated(longer, STRAIGHT, 0.0, H200, OCCUPANCY) is None


@pytest.mark.parametrize(("full", "waits"), [(1, 1.0), (2, H200.fitted.last_round)])
def test_a_last_block_waits_for_those_before_it_if_they_started_together(full: int, waits: float) -> None:
    found = simulated(132 * (full * OCCUPANCY.blocks + 1))
    assert found is not None
    assert found.last
    time = issue.cycles(found, steady(found, 200.0), H200)
    one = issue.cycles(replace(found, rounds=1.0, full=1, last=False), steady(found, 200.0), H200)
    evenly = one * found.rounds
    assert time == pytest.approx(evenly + waits * (one * (full + 1) - evenly), rel=0.003)


def test_the_time_is_the_geometric_mean_of_both_estimates() -> None:
    before = launch(132 * 2)

    def milliseconds(of: Launch) -> float:
        time = model.time_of(of, 0.0, H200, OCCUPANCY, alone=True)
        return time.milliseconds - 1e3 * H200.launch_seconds

    without = milliseconds(before)
    slow = 1.44 * without * H200.clock_hz / 1e3 * H200.fitted.issue_reached
    assert milliseconds(issue.with_cycles(before, slow)) == pytest.approx(1.2 * without)


def test_what_the_simulation_does_not_know_comes_on_top_of_it() -> None:
    def milliseconds(once: float) -> float:
        of = issue.with_cycles(launch(132 * 2), 5000.0)
        return model.time_of(of, once, H200, OCCUPANCY, alone=True).milliseconds

    transfer = 2500.0 / H200.clock_hz * H200.memory_bytes_per_second
    assert milliseconds(transfer) > 1.05 * milliseconds(0.0)
