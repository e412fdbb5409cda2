"""Technique points: two numbers and a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.fake_repository import LAB
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.judge.techniques import judge_technique, loads_with_tile
from warpgrade.records import (
    Case,
    Lab,
    Launch,
    LaunchShape,
    Run,
    Technique,
    TechniqueVerdict,
    Verdict,
    Visibility,
)

CASE = Case("big", 128, 128, 64, "integers", 10, Visibility.VISIBLE)
REUSE = Technique("reuse", "loads-per-input-element", "big", 10, smallest_tile=8)
OUTPUTS = Technique("outputs", "outputs-per-thread", "big", 10, at_least=4)
ELEMENTS = 128 * 64 + 64 * 128


@pytest.fixture
def item(repository: Repository) -> Lab:
    return replace(lab.load(repository.labs / LAB), cases=(CASE,))


def judged(item: Lab, technique: Technique, loads: float, shape: LaunchShape,
           verdict: Verdict = Verdict.PASS) -> TechniqueVerdict:  # fmt: skip
    loaded = {"smsp__sass_data_bytes_mem_global_op_ld.sum": int(loads * ELEMENTS * 4)}
    run = Run("emulator", launch_shape=shape, launches=(Launch("big", "k", (), (), loaded),))
    return judge_technique(technique, run, item, {"big": verdict})


TILE_16 = LaunchShape((16, 16), (16, 16))


def test_tiled_is_met(item: Lab) -> None:
    found = judged(item, REUSE, 8, TILE_16)
    assert found.met and (found.measured, found.limit) == (8, 8)


def test_basic_is_told_the_two_numbers(item: Lab) -> None:
    found = judged(item, REUSE, 128, TILE_16)
    assert found.met is False
    assert (
        found.sentence
        == "your kernel loads each input element 128 times from global memory; a 16×16 tile needs 8"
    )


@pytest.mark.parametrize(
    ("loads", "smallest", "met"), [(9.9, 16, True), (10.1, 16, False), (19.9, 8, True), (20.1, 8, False)]
)
def test_a_quarter_more_is_allowed(item: Lab, loads: float, smallest: int, met: bool) -> None:
    technique = replace(REUSE, smallest_tile=smallest)
    assert judged(item, technique, loads, LaunchShape((smallest, smallest), (smallest, smallest))).met is met


@pytest.mark.parametrize(("loads", "met"), [(8, True), (16, True), (16.1, False)])
def test_parts_of_a_block_may_share_a_tile_that_the_lab_asks_for(item: Lab, loads: float, met: bool) -> None:
    """Four warps of a block, each with a tile of its own: the lab asks for tiles of 8, not for a block's."""
    found = judged(item, REUSE, loads, LaunchShape((32, 4), (32, 32)))
    assert found.met is met
    assert not met or found.sentence.endswith("; a 8×8 tile needs 16")


def test_a_tiny_tile_does_not_lower_the_limit(item: Lab) -> None:
    found = judged(item, REUSE, 64, LaunchShape((2, 2), (2, 2)))
    assert found.met is False and found.limit == 16


@pytest.mark.parametrize(
    ("shape", "met"), [(LaunchShape((16, 16), (64, 64)), True), (LaunchShape((32, 32), (32, 32)), False)]
)
def test_outputs(item: Lab, shape: LaunchShape, met: bool) -> None:
    assert judged(item, OUTPUTS, 1, shape).met is met


def test_not_judged_unless_the_case_is_right(item: Lab) -> None:
    assert judged(item, REUSE, 0, TILE_16, Verdict.RACE).met is None
    assert judge_technique(REUSE, Run("emulator"), item, {"big": Verdict.PASS}).met is None


def test_expected_loads() -> None:
    assert (
        loads_with_tile(Case("c", 17, 33, 5, "integers", 1, Visibility.VISIBLE), 16, 16)
        == 17 * 5 * 3 + 5 * 33 * 2
    )


def test_atomics_count_as_loads(item: Lab) -> None:
    """Adding zero to an input reads it, too."""
    counters = {
        "smsp__sass_data_bytes_mem_global_op_ld.sum": 0,
        "smsp__inst_executed_op_global_atom.sum": 128 * ELEMENTS // 32,
    }
    run = Run("emulator", launch_shape=TILE_16, launches=(Launch("big", "k", (), (), counters),))
    found = judge_technique(REUSE, run, item, {"big": Verdict.PASS})
    assert found.met is False and found.measured == 128
