"""The order in which a warp executes machine code: loops, what a branch skips, and where a trace is cut."""

from __future__ import annotations

import itertools

import pytest

from warpgrade.build.sass import Code, Instruction, Loop
from warpgrade.perfmodel.machine_code import warp_trace
from warpgrade.records import CounterSite, Launch

WARPS = 8


def of(kind: str, line: int = 0, target: int = -1) -> Instruction:
    return Instruction(kind, 4 if kind.endswith(("load", "store")) else 0, 0, 1, -1, 0, target, line)


# A loop with a barrier and, where its branch does not skip it, a load.
CODE = Code(
    "k",
    (
        of("integer"),
        of("barrier"),  # 1: the loop
        of("branch", target=4),
        of("global load", 10),
        of("branch", target=1),
        of("exit"),
    ),
    32,
    0,
    (Loop(1, 4),),
)


def launch(iterations: int, loads: int) -> Launch:
    counters = {
        "smsp__inst_executed_op_barrier.sum": WARPS * iterations,
        "smsp__sass_data_bytes_mem_global_op_ld.sum": WARPS * loads * 128,
        "smsp__inst_executed.sum": WARPS * (4 * iterations + 2),
        "smsp__thread_inst_executed.sum": WARPS * 32 * (4 * iterations + 2),
    }
    site = CounterSite("k.cu", 1, "global load", WARPS * loads, ptx_line=10)
    return Launch("", "k", (1, 1, 1), (256, 1, 1), counters, (site,))


def test_a_trace_has_every_iteration_of_a_loop_in_order() -> None:
    assert warp_trace.trace(CODE, launch(20, 20), 1.0) == (0, *(1, 2, 3, 4) * 20, 5)


@pytest.mark.parametrize(("loads", "alternating"), [(10, 2), (5, 4)])
def test_what_a_branch_skips_comes_as_often_as_it_ran_on_average(loads: int, alternating: int) -> None:
    found = warp_trace.trace(CODE, launch(20, loads), 1.0)
    assert found.count(3) == loads
    iterations = [at for at, number in enumerate(found) if number == 1]
    ends = [*iterations[1:], len(found)]
    at = [
        number
        for number, (one, other) in enumerate(zip(iterations, ends, strict=True))
        if 3 in found[one:other]
    ]
    assert {later - one for one, later in itertools.pairwise(at)} == {alternating}


def test_a_long_loop_is_cut_to_a_share_of_its_iterations() -> None:
    long = launch(100_000, 100_000)
    assert warp_trace.trace(CODE, long, 0.01) == (0, *(1, 2, 3, 4) * 1000, 5)
    assert warp_trace.trace(CODE, long, 0.01, 0.25) == (0, *(1, 2, 3, 4) * 250, 5)


@pytest.mark.parametrize(("iterations", "kept"), [(100_000, 12), (7, 7)])
def test_a_loop_keeps_a_dozen_iterations(iterations: int, kept: int) -> None:
    found = warp_trace.trace(CODE, launch(iterations, iterations), 1e-6)
    assert found == (0, *(1, 2, 3, 4) * kept, 5)


def test_a_loop_within_a_loop_runs_in_each_iteration() -> None:
    code = Code(
        "k",
        (
            of("barrier"),  # 0: the outer loop
            of("ffma"),  # 1: the inner one
            of("branch", target=1),
            of("branch", target=0),
            of("exit"),
        ),
        32,
        0,
        (Loop(0, 3), Loop(1, 2)),
    )
    counters = {
        "smsp__inst_executed_op_barrier.sum": WARPS * 6,
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": WARPS * 32 * 18,
        "smsp__inst_executed.sum": WARPS * 50,
        "smsp__thread_inst_executed.sum": WARPS * 32 * 50,
    }
    found = warp_trace.trace(code, Launch("", "k", (1, 1, 1), (256, 1, 1), counters), 0.5)
    assert found == (*(0, *(1, 2) * 3, 3) * 6, 4)  # only outermost loops are cut, and none to so few
