"""How often each part of machine code ran, for a loop written by hand with the remainder of unrolling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.build.sass import Code, Instruction, Loop
from warpgrade.perfmodel.machine_code import instruction_mix, part_runs
from warpgrade.records import CounterSite, Launch

WARPS = 8


def of(kind: str, line: int = 0, target: int = -1, sets: int = -1, waits: int = 0) -> Instruction:
    width = 4 if kind.endswith(("load", "store")) else 0
    return Instruction(kind, width, 0, 1, sets, waits, target, line)


def load(line: int) -> tuple[Instruction, Instruction]:
    """A load, and an instruction that waits for it."""
    return of("global load", line, sets=0), of("integer", waits=1)


# A loop that branches to one of two ways to load: two at a time (line 10), or one (line 20).
CODE = Code(
    "k",
    (
        of("integer"),
        of("branch", target=7),  # 1: the loop
        of("global load", 10, sets=0),
        *load(10),
        of("other"),
        of("branch", target=9),
        *load(20),  # 7
        of("barrier"),
        of("branch", target=1),
        of("exit"),
    ),
    32,
    0,
    (Loop(1, 10),),
)


def launch(*sites: tuple[int, int], loads: int) -> Launch:
    """`sites`: lines of PTX and how often a warp came there."""
    counters = {
        "smsp__inst_executed_op_barrier.sum": WARPS * 100,
        "smsp__sass_data_bytes_mem_global_op_ld.sum": WARPS * loads * 128,
        "smsp__inst_executed.sum": WARPS * 1000,
        "smsp__thread_inst_executed.sum": WARPS * 32000,
    }
    found = tuple(
        CounterSite("k.cu", 1, "global load", WARPS * times, ptx_line=line) for line, times in sites
    )
    return Launch("", "k", (1, 1, 1), (256, 1, 1), counters, found)


def loads_waited_for(counted: Launch) -> float:
    """Of one warp: by how much its time grows with the latency of a load."""

    def alone(latency: float) -> float:
        return instruction_mix.mix(
            CODE, counted, lambda each: latency if each.kind == "global load" else 1
        ).alone

    return (alone(1100) - alone(100)) / 1000


def test_what_no_warp_came_to_is_left_out() -> None:
    counted = launch((20, 100), loads=100)
    assert loads_waited_for(counted) == pytest.approx(100)
    found = instruction_mix.mix(CODE, counted, lambda each: 1)
    assert found.by_kind["global load"] == pytest.approx(WARPS * 100)
    assert "other" not in found.by_kind


def test_without_lines_loads_are_shared_out_over_all_parts_that_hold_some() -> None:
    counted = launch((0, 100), loads=100)
    assert loads_waited_for(counted) < 90
    assert instruction_mix.mix(CODE, counted, lambda each: 1).by_kind["other"] > 0


def test_a_part_ran_as_often_as_its_lines() -> None:
    """Of a hundred iterations 30 load by twos, which the bytes do not show, and 70 one by one."""
    both = launch((10, 60), (20, 70), loads=130)
    found = instruction_mix.mix(CODE, both, lambda each: 1)
    assert found.by_kind["global load"] == pytest.approx(WARPS * 130, rel=0.01)
    assert found.turns == pytest.approx(100)


def test_what_comes_for_a_block_comes_one_after_another_before_a_barrier() -> None:
    counted = launch((20, 100), loads=100)
    at_once = instruction_mix.mix(CODE, counted, lambda each: 30)
    slow = instruction_mix.mix(CODE, counted, lambda each: 30, transfer=50)
    assert slow.alone - at_once.alone == pytest.approx(50 * 100, rel=0.02)


def bulk(copies: int) -> Launch:
    site = CounterSite("k.cu", 1, "shared asynchronous copy", copies, copies, ptx_line=10)
    return Launch("", "k", (1, 1, 1), (256, 1, 1), {}, (site,))


@pytest.mark.parametrize("copies", [WARPS, WARPS * 32])
def test_ptxas_makes_a_loop_over_lanes_of_a_bulk_copy(copies: int) -> None:
    turn = (of("other", 10), of("bulk copy", 10), of("branch", 10, target=1))
    code = Code("k", (of("integer"), *turn, of("exit")), 32, 0, (Loop(1, 3),))
    penalties = instruction_mix.Penalties(bulk_copy=16)
    found = instruction_mix.mix(code, bulk(copies), lambda each: 1, penalties=penalties)
    assert found.by_kind["bulk copy"] == pytest.approx(copies)
    assert found.instructions == pytest.approx(2 * WARPS + 3 * copies)
    assert found.alone == pytest.approx(2 + copies / WARPS * (3 + 16))


@pytest.mark.parametrize(("branched", "unrolled"), [(240, 1), (960, 4)])
def test_a_loop_without_accesses_ran_as_often_as_its_ptx_branched_back(branched: int, unrolled: int) -> None:
    """What PTX counts is shared out only where nothing says more: ptxas leaves out some of it."""
    loop = (*(of("integer") for _ in range(3)), of("branch", 30, target=1))
    code = Code("k", (of("integer"), *loop, of("exit")), 32, 0, (Loop(1, 4),))
    site = CounterSite("k.cu", 1, "branch", WARPS * branched, ptx_line=30)
    counters = {"smsp__inst_executed.sum": WARPS * 1000}
    counted = Launch("", "k", (1, 1, 1), (256, 1, 1), counters, (site,))
    found = instruction_mix.mix(code, counted, lambda each: 1)
    assert found.by_kind["branch"] == pytest.approx(WARPS * branched / unrolled)


def test_a_block_whose_branch_no_warp_executed_did_not_run() -> None:
    code = Code(
        "k", (of("branch", 40, target=3), of("shuffle"), of("branch", 41, target=3), of("exit")), 32, 0
    )
    sites = tuple(
        CounterSite("k.cu", 1, "branch", times, ptx_line=at) for at, times in ((40, WARPS), (41, 0))
    )
    counted = Launch("", "k", (1, 1, 1), (256, 1, 1), {"smsp__inst_executed.sum": WARPS * 2}, sites)
    found = instruction_mix.mix(code, counted, lambda each: 1)
    assert "shuffle" not in found.by_kind
    assert found.by_kind["branch"] == pytest.approx(WARPS)


def test_a_waiting_read_of_a_register_bank_costs_what_the_data_sheet_says() -> None:
    multiply_add = Instruction("ffma", 0, 2, 1, -1, 0)
    code = Code("k", (multiply_add, of("exit")), 32, 0)
    counted = Launch("", "k", (1, 1, 1), (256, 1, 1), {})
    free, dear = (
        instruction_mix.mix(code, counted, lambda each: 1, penalties=instruction_mix.Penalties(conflict=cost))
        for cost in (0.0, 1.5)
    )
    assert dear.alone - free.alone == pytest.approx(3)
    assert dear.collisions == pytest.approx(WARPS * 3) and free.collisions == 0


def test_shared_accesses_of_lines_that_no_warp_executed_did_not_run() -> None:
    """What ptxas unrolled of a loop that fills shared memory, and its rest, which ran twice a warp."""
    store, copy = of("shared store", 11), of("shared store", 12)
    unrolled = (copy, copy, of("branch", 13, target=2))
    code = Code(
        "k", (of("branch", 14, target=5), of("branch", 15, target=5), *unrolled, store,
              of("branch", 16, target=5), of("exit")), 32, 0, (Loop(2, 4), Loop(5, 6)),
    )  # fmt: skip
    counters = {"smsp__inst_executed.sum": WARPS * 7, "smsp__thread_inst_executed.sum": WARPS * 224}
    site = CounterSite("k.cu", 1, "shared store", 2 * WARPS, lanes=64 * WARPS, ptx_line=11)
    counted = Launch("", "k", (1, 1, 1), (256, 1, 1), counters, (site,))
    found = part_runs.part_runs(code, counted)
    assert found.part[2] is None
    assert found.runs[1] == pytest.approx(2 * WARPS)


def test_a_loop_ran_as_often_as_its_shared_loads_were_counted() -> None:
    """Of a vector that a lane loads, the emulator counts one access, not its words."""
    wide = replace(of("shared load", 11), bytes=16)
    code = Code("k", (of("integer"), wide, of("branch", target=1), of("exit")), 32, 0, (Loop(1, 2),))
    counted = launch(loads=0)
    site = CounterSite("k.cu", 1, "shared load", WARPS * 50, lanes=WARPS * 50 * 32, ptx_line=11)
    known = (part_runs.nsight.SHARED_LOAD_INSTRUCTIONS,)
    found = part_runs.part_runs(code, replace(counted, sites=(site,), from_cubin=known))
    assert found.runs[0] == pytest.approx(WARPS * 50)


@pytest.mark.parametrize(
    ("fma", "add", "mul", "turns"),
    [
        (1, 2, 2, 50),  # ptxas made one multiply-add of a product and a sum: 2 × 2 + 2 operations
        (2, 1, 0, 50),  # nothing was contracted
        (2, 1, 1, 50),  # ptxas left an operation out of the loop: its multiply-adds tell
    ],
)
def test_a_loop_ran_as_often_as_its_operations_on_floats_say(
    fma: int, add: int, mul: int, turns: int
) -> None:
    loop = (of("ffma"), of("ffma"), of("fp32"), of("fp32"), of("branch", target=1))
    code = Code("k", (of("integer"), *loop, of("exit")), 32, 0, (Loop(1, 5),))
    counted = launch(loads=0)
    names = ("ffma", "fadd", "fmul")
    lanes = {
        f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": WARPS * turns * 32 * times
        for name, times in zip(names, (fma, add, mul), strict=True)
    }
    found = instruction_mix.mix(code, replace(counted, counters=counted.counters | lanes), lambda each: 1)
    assert found.by_kind["ffma"] == pytest.approx(WARPS * turns * 2)


def test_a_loop_ran_as_often_as_its_barriers_not_as_a_load_that_few_warps_execute() -> None:
    """`if (t < 72) w[t] = weights[t];` in a loop: ptxas makes a load of it that all warps issue."""
    few = replace(of("global load", 11, sets=0), guarded=True)
    loop = (few, of("ffma"), of("barrier"), of("branch", target=1))
    code = Code("k", (of("integer"), *loop, of("exit")), 32, 0, (Loop(1, 4),))
    counted = launch((11, 100 * 3 // 8), loads=100 * 3 // 8)
    assert part_runs.part_runs(code, counted).runs[0] == pytest.approx(WARPS * 100)
    always = replace(code, instructions=(*code.instructions[:2], of("global load", 12, sets=0), *loop[1:]))
    counted = launch((11, 30), (12, 90), loads=120)
    assert part_runs.part_runs(always, counted).runs[0] == pytest.approx(WARPS * 90)


def test_the_branch_to_itself_behind_the_end_does_not_run() -> None:
    code = Code("k", (of("integer"), of("exit"), of("branch", target=2)), 32, 0, (Loop(2, 2),))
    found = instruction_mix.mix(code, launch(loads=0), lambda each: 1)
    assert found.instructions == pytest.approx(2 * WARPS)


def test_the_slow_path_of_a_division_does_not_run() -> None:
    call = (of("other"), of("call", target=6), of("other"))
    code = Code("k", (of("branch", target=4), *call, of("fp32"), of("exit"), of("multiply")), 32, 0)
    found = instruction_mix.mix(code, launch(loads=0), lambda each: 1)
    executed = {kind: times for kind, times in found.by_kind.items() if times}
    assert executed == {"branch": WARPS, "fp32": WARPS, "exit": WARPS}
