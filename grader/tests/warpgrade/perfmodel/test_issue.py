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


def of(
    kind: str, width: int = 0, fetches: tuple[int, int] = (0, 0), sets: int = -1, waits: int = 0
) -> Instruction:
    return Instruction(kind, width, 0, 1, sets, waits, 0 if kind == "branch" else -1, fetches=fetches)


CODE = Code(
    "k",
    (
        of("shared load", 16, sets=0),
        of("shared load", 4, sets=1),
        of("ffma", fetches=(2, 1), waits=1),
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
    job = found.jobs[0]
    rows = [job.instructions[number] for number in job.order[:5]]
    unit = issue.IssueUnit
    assert [row[0] for row in rows] == [unit.LOAD, unit.LOAD, unit.SINGLE, unit.BARRIER, unit.TAKEN_BRANCH]
    assert [row[4] for row in rows[:2]] == [2.0, 1.0]  # passes: 16 bytes a lane take twice as many as 8
    assert rows[2][6:8] == ((2, 1), (0, 0))
    assert [row[2] for row in rows[:2]] == [0, 1] and rows[2][3] == 1


HELD = OCCUPANCY.blocks


@pytest.mark.parametrize(
    ("blocks", "counts", "held"),
    [
        (132, {1}, 1),
        (132 * HELD, {HELD}, HELD),
        (132 * (HELD + 1), {HELD + 1, 2 * HELD}, HELD),  # the last ones may gather on some SMs
        (132 * (2 * HELD + 3), {2 * HELD + 3}, HELD),
        (132 * 50 * HELD, {4 * HELD}, HELD),  # the others go on at the same pace
    ],
)
def test_an_sm_runs_its_blocks_one_after_the_other(blocks: int, counts: set[int], held: int) -> None:
    found = simulated(blocks)
    assert found is not None
    for job in found.jobs:
        assert {each[0] for each in job.sequences} == counts
        assert {each[1:3] for each in job.sequences} == {(held, WARPS)}


def steady(of: issue.SimulatedLaunch, pace: float, apart: float = 0.0) -> list[list[IssueSchedule]]:
    """Schedules in which each round of blocks takes `pace` cycles an instruction, and the blocks of a round
    end `apart` of it after each other."""

    def ends(length: int, blocks: int) -> tuple[float, ...]:
        return tuple(length * pace * (1 + at // of.held + at % of.held * apart) for at in range(blocks))

    return [
        [IssueSchedule((0.0,) * each[0], ends(length, each[0])) for each in job.sequences]
        for job, length in zip(of.jobs, of.lengths, strict=True)
    ]


def test_the_time_is_continued_to_all_iterations() -> None:
    found = simulated(132)
    assert found is not None
    cut = replace(found, jobs=found.jobs[:1] * 2, lengths=(90, 30))  # of the 201 instructions of a warp
    for one in (found, cut):
        expected = 2.0 * found.executed + H200.fitted.next_block
        assert issue.cycles(one, steady(one, 2.0), H200) == pytest.approx(expected)


def longer() -> Launch:
    """A launch with a thousand times as many iterations."""
    long = launch(132 * HELD)
    assert long.mix is not None
    counters = {name: value * 1000 for name, value in long.counters.items()}
    sites = tuple(
        replace(
            each,
            executions=each.executions * 1000,
            lanes=each.lanes * 1000,
            wavefronts=each.wavefronts * 1000,
        )
        for each in long.sites
    )
    return model.with_mix(
        replace(long, counters=counters, sites=sites), CODE, 0.0, H200, OCCUPANCY, alone=True
    )


def test_long_loops_are_cut() -> None:
    found = issue.simulated(longer(), CODE, 0.0, H200, OCCUPANCY)
    assert found is not None
    assert found.executed > 100_000
    assert found.lengths[1] < found.lengths[0] / 2 < 10_000


@pytest.mark.parametrize("rounds", [3, 50])
def test_more_rounds_take_as_much_longer(rounds: int) -> None:
    one, many = simulated(132 * HELD), simulated(132 * rounds * HELD)
    assert one is not None and many is not None
    times = [issue.cycles(each, steady(each, 2.0), H200) - H200.fitted.next_block for each in (one, many)]
    assert times[1] == pytest.approx(rounds * times[0])


@pytest.mark.parametrize(("apart", "blocks"), [(0.0, HELD), (0.1, 1)])
def test_last_blocks_gather_where_those_of_an_sm_end_together(apart: float, blocks: int) -> None:
    """They are fewer than one for each SM. If all have to wait for the first one of an SM, none gets two."""
    found = simulated(132 * HELD + 60)
    assert found is not None
    late = steady(found, 2.0, apart)
    first, later = late[0][0].ends[-1], late[0][-1].ends[-1]
    per = (later - first) / (2 * HELD - found.blocks)
    gathered = HELD + blocks - found.blocks
    alike = replace(H200, fitted=replace(H200.fitted, sm_spread=0.001))
    expected = first + issue.GATHERED * per * gathered + H200.fitted.next_block
    assert issue.cycles(found, late, alike) == pytest.approx(expected)


def test_blocks_may_end_closer_to_each_other_than_the_simulation_says() -> None:
    """At a quarter of the distance some gather, unless all SMs are alike."""
    found = simulated(132 * HELD + 60)
    assert found is not None
    late = steady(found, 2.0, 0.1)
    alike = replace(H200, fitted=replace(H200.fitted, sm_spread=0.001))
    assert issue.cycles(found, late, H200) > issue.cycles(found, late, alike)


@pytest.mark.parametrize("kind", ["atomic", "mma 16x8x16", "call"])
def test_what_was_never_compared_is_not_simulated(kind: str) -> None:
    before = launch(132)
    assert before.mix is not None
    many = 2 * before.mix.warps
    other = replace(before, mix=replace(before.mix, by_kind=before.mix.by_kind | {kind: many}))
    assert issue.simulated(before, CODE, 0.0, H200, OCCUPANCY) is not None
    assert issue.simulated(other, CODE, 0.0, H200, OCCUPANCY) is None


@pytest.mark.parametrize(("kind", "times"), [("shared atomic", 1000.0), ("atomic", 1.0)])
def test_atomics_in_shared_memory_and_a_last_one_of_each_warp_are_simulated(kind: str, times: float) -> None:
    before = launch(132)
    assert before.mix is not None
    more = {kind: times * before.mix.warps}
    other = replace(before, mix=replace(before.mix, by_kind=before.mix.by_kind | more))
    assert issue.simulated(other, CODE, 0.0, H200, OCCUPANCY) is not None


def test_gpus_of_other_pipes_are_not_simulated() -> None:
    narrow = replace(H200, fp32_lanes=64.0)
    assert issue.simulated(launch(132), CODE, 0.0, narrow, OCCUPANCY) is None


STRAIGHT = replace(CODE, instructions=CODE.instructions[:4] + CODE.instructions[5:], loops=())


def test_a_kernel_without_a_loop_is_traced_as_a_whole() -> None:
    found = simulated(132 * 3 * HELD, STRAIGHT)
    assert found is not None
    assert found.lengths == (5,) and len(found.jobs) == 1


def test_only_in_long_blocks_older_ones_go_first() -> None:
    short, long = simulated(132 * HELD), issue.simulated(longer(), CODE, 0.0, H200, OCCUPANCY)
    assert short is not None and long is not None
    assert {each[6] for job in short.jobs for each in job.sequences} == {False}
    assert {each[6] for job in long.jobs for each in job.sequences} == {True}


def test_a_short_trace_stands_for_the_mean_of_all_warps() -> None:
    """Its only length misses what few warps execute."""
    found = simulated(132)
    assert found is not None and len(found.lengths) == 1
    missing = replace(found, executed=1.1 * found.lengths[0])
    times = [
        issue.cycles(each, steady(each, 2.0), H200) - H200.fitted.next_block for each in (found, missing)
    ]
    assert times[1] == pytest.approx(1.1 * times[0] * found.lengths[0] / found.executed)


def test_a_block_that_is_too_long_is_not_simulated() -> None:
    before = launch(132 * 4 * HELD)
    assert before.mix is not None
    body = (of("barrier"), *[of("integer")] * 200_000, of("branch"), of("exit"))
    code = replace(CODE, instructions=body, loops=(Loop(0, 200_001),))
    assert issue.simulated(before, code, 0.0, H200, OCCUPANCY) is None


def test_the_time_is_the_geometric_mean_of_both_estimates() -> None:
    before = launch(132 * 2)

    def milliseconds(of: Launch) -> float:
        time = model.time_of(of, 0.0, H200, OCCUPANCY, alone=True)
        return time.milliseconds - 1e3 * H200.launch_seconds

    without = milliseconds(before)
    slow = 1.44 * without * H200.clock_hz / 1e3
    expected = 1.44**model.SIMULATED * without
    assert milliseconds(issue.with_cycles(before, slow)) == pytest.approx(expected)


def test_what_the_simulation_does_not_know_comes_on_top_of_it() -> None:
    def milliseconds(once: float) -> float:
        of = issue.with_cycles(launch(132 * 2), 5000.0)
        return model.time_of(of, once, H200, OCCUPANCY, alone=True).milliseconds

    transfer = 2500.0 / H200.clock_hz * H200.memory_bytes_per_second
    assert milliseconds(transfer) > 1.05 * milliseconds(0.0)


def test_branches_that_the_warp_takes_are_told_from_others() -> None:
    """An H200's scheduler issues nothing for two cycles behind a branch that is taken."""
    found = issue.simulated(launch(132), CODE, 0.0, H200, OCCUPANCY)
    assert found is not None
    job = found.jobs[0]
    units = [job.instructions[number][0] for number in job.order]
    assert units.count(issue.IssueUnit.TAKEN_BRANCH) == ITERATIONS - 1
    assert units[-2] == issue.IssueUnit.NONE  # the last turn goes on with the exit


def test_lanes_in_turns_keep_their_unit_busy_and_their_results_late() -> None:
    turning = replace(
        CODE,
        instructions=(replace(of("match", sets=0), line=7), of("integer", waits=1), of("exit")),
        loops=(),
    )
    sites = (CounterSite("k.cu", 1, "match", 100, sectors=1000, ptx_line=7),)
    found = issue.simulated(replace(launch(132), sites=sites), turning, 0.0, H200, OCCUPANCY)
    assert found is not None
    unit, *_, passes, latency = found.jobs[0].instructions[0][:6]
    assert unit == issue.IssueUnit.TURNS
    assert passes == pytest.approx(80)
    assert latency > passes
