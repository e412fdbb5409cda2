"""How often machine code ran, by the executions of PTX's basic blocks."""

from __future__ import annotations

import pytest

from warpgrade.build.sass import Code, Instruction, loops_of
from warpgrade.perfmodel.machine_code.part_runs import part_runs
from warpgrade.records import CounterSite, Launch

WARPS = 8


def of(kind: str, line: int, target: int = -1, guarded: bool = False) -> Instruction:
    width = 4 if kind.endswith(("load", "store")) else 0
    return Instruction(kind, width, 0, 1, -1, 0, target, line, guarded=guarded)


def runs(
    instructions: list[Instruction],
    blocks: dict[int, float],
    counted: int = 100,
    sites: tuple[CounterSite, ...] = (),
) -> list[float]:
    """How often a warp executes each instruction. `blocks`: first lines of PTX, and executions by a warp.
    `counted`: instructions of PTX that a warp executes."""
    code = Code("k", tuple(instructions), 32, 0, loops_of(tuple(instructions)))
    counters = {
        "smsp__inst_executed.sum": WARPS * counted,
        "smsp__thread_inst_executed.sum": WARPS * counted * 32,
    }
    executed = tuple((line, round(WARPS * times)) for line, times in blocks.items())
    launch = Launch("", "k", (1, 1, 1), (256, 1, 1), counters, sites, blocks=executed)
    found = part_runs(code, launch)
    return [0.0 if part is None else found.runs[part] / WARPS for part in found.part]


@pytest.mark.parametrize("division", [["special", *["ffma"] * 7], ["multiply"] * 5 + ["special", "integer"]])
def test_a_loop_of_divisions_runs_as_often_as_it_branches_back(division: list[str]) -> None:
    """One instruction of PTX is many of the machine code, also multiply-adds that PTX does not count."""
    turn = [*(of(kind, 20) for kind in division), of("integer", 21), of("branch", 22, target=1)]
    found = runs([of("integer", 10), *turn, of("exit", 30)], {10: 1, 20: 50, 30: 1}, counted=152)
    assert found == [1, *[50] * len(turn), 1]


def test_an_unrolled_loop_has_its_lines_as_often_as_it_makes_iterations() -> None:
    """Neither the counter's line, of which nothing is copied, nor a loop within that is unrolled to its end
    tells how many."""
    turn = [
        *[of("shared load", 20)] * 8,
        *[of("ffma", 24)] * 4,
        of("integer", 25),
        of("branch", 26, target=1),
    ]
    found = runs([of("integer", 10), *turn, of("exit", 30)], {10: 1, 20: 64 * 2, 23: 64, 30: 1})
    assert found == [1, *[16] * len(turn), 1]


def test_iterations_that_are_left_of_an_unrolled_loop() -> None:
    """Seven: four in the loop, two behind it, and one."""
    four = [*[of("ffma", 20)] * 4, of("branch", 21, target=2)]
    rest = [of("branch", 21, target=10), of("ffma", 20), of("ffma", 20)]
    last = [of("branch", 21, target=12), of("ffma", 20)]
    code = [of("integer", 10), of("branch", 11, target=12), *four, *rest, *last, of("exit", 30)]
    assert runs(code, {10: 1, 20: 7, 30: 1}) == [1, 1, *[1] * 5, *[1] * 3, *[1] * 2, 1]
    assert runs(code, {10: 1, 20: 5, 30: 1})[8:12] == [0, 0, 1, 1]


def test_what_branches_skip_runs_as_often_as_its_own_basic_block() -> None:
    """Not as the code around it, nor as what another branch skips; what ptxas moved there does not count."""
    loop = [
        of("branch", 20, target=4), of("integer", 10), of("special", 22),
        of("branch", 23, target=7), of("fp32", 25), of("integer", 26, guarded=True),
        of("branch", 30, target=1),
    ]  # fmt: skip
    found = runs(
        [of("integer", 10), *loop, of("exit", 40)], {10: 1, 20: 80, 22: 20, 23: 80, 25: 5, 30: 80, 40: 1}
    )
    assert found == [1, 80, 20, 20, 80, 5, 5, 80, 1]


def test_without_basic_blocks_what_ptx_counts_is_shared_out() -> None:
    turn = [of("integer", 20), of("integer", 21), of("branch", 22, target=1)]
    assert runs([of("integer", 10), *turn, of("exit", 30)], {}, counted=32)[1:4] == [10, 10, 10]


def test_a_sum_of_floats_in_shared_memory_is_tried_while_lanes_meet() -> None:
    """PTX has one atomic, the machine code a loop that loads, adds and swaps."""
    tries = [of(kind, 20) for kind in ("shared load", "fp32", "shared atomic", "integer")]
    code = [of("integer", 10), *tries, of("branch", 20, target=1), of("exit", 30)]
    sites = (CounterSite("k.cu", 1, "shared atomic", WARPS, ideal_wavefronts=3 * WARPS, ptx_line=20),)
    assert runs(code, {10: 1}, sites=sites) == [1, *[3] * 5, 1]
    assert runs(code, {10: 1}) == [1, *[1] * 5, 1]
