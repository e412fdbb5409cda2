"""Technique points: two numbers and a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import LAB
from warpgrade.core.paths import Repository
from warpgrade.course import evidence, lab
from warpgrade.course.expressions import parse
from warpgrade.judge.techniques import judge_technique
from warpgrade.records import (
    Case,
    CounterSite,
    Lab,
    LabKind,
    Launch,
    LaunchShape,
    Run,
    Technique,
    TechniqueVerdict,
    Verdict,
    Visibility,
)

CASE = Case("big", ("m", "n", "k"), (128, 128, 64), "integers", 10, Visibility.VISIBLE)
LABS = Path(__file__).resolve().parents[4] / "labs"
REUSE, OUTPUTS = (
    replace(technique, case="big") for technique in lab.load(LABS / "04-register-tiled").techniques
)


def with_tile(smallest: int) -> Technique:
    return replace(REUSE, where=tuple({**dict(REUSE.where), "tile": str(smallest)}.items()))


REUSE = with_tile(8)
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


def test_the_advice_for_basic_has_the_two_numbers(item: Lab) -> None:
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
    technique = with_tile(smallest)
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
    ("blocks", "stored", "met"),
    [(4, 1, True), (16, 1, False), (16, 8, False), (4, 0.125, False)],
    ids=["sixteen", "four-blocks-for-one", "stored-again-and-again", "few-stores"],
)
def test_outputs(item: Lab, blocks: int, stored: float, met: bool) -> None:
    """By what is stored, not by the launch shape, which claims 16 outputs a thread here."""
    counters = {"smsp__sass_data_bytes_mem_global_op_st.sum": int(stored * 128 * 128 * 4)}
    shape = LaunchShape((32, 32), (128, 128))
    run = Run(
        "emulator", launch_shape=shape, launches=(Launch("big", "k", (blocks, 1, 1), (32, 32, 1), counters),)
    )
    assert judge_technique(OUTPUTS, run, item, {"big": Verdict.PASS}).met is met


def test_not_judged_unless_the_case_is_right(item: Lab) -> None:
    assert judged(item, REUSE, 0, TILE_16, Verdict.RACE).met is None
    assert judge_technique(REUSE, Run("emulator"), item, {"big": Verdict.PASS}).met is None


@pytest.mark.parametrize(
    ("loads", "limit", "met", "sentence"),
    [(8, "8", True, "8 loads"), (16, "8", False, "16 loads"), (0, "8", False, "0 loads are for show")],
)
def test_evidence_that_says_nothing_does_not_count(
    item: Lab, loads: float, limit: str, met: bool, sentence: str
) -> None:
    """Both numbers are those that were measured, and so is the sentence."""
    technique = Technique(
        "few", f"loads <= {limit}", "big", 5, "{loads} loads", "{loads} loads",
        where=(("loads", f"global_load_bytes / {ELEMENTS * 4}"),),
        counts_if="loads > 1", does_not_count="{loads} loads are for show",
    )  # fmt: skip
    assert not list(evidence.mistakes(technique, item))
    found = judged(item, technique, loads, TILE_16)
    assert (found.met, found.measured, found.sentence) == (met, loads, sentence)


def test_a_condition_may_need_what_nothing_else_needs(item: Lab) -> None:
    technique = Technique("few", "1 <= 8", "big", 5, counts_if="global_atomics < 1 and ptx('red.*') == 0")
    assert "global_atomics" in evidence.needed(technique) and evidence.patterns([technique]) == ("red.*",)


def test_expected_loads() -> None:
    values = {"m": 17, "n": 33, "k": 5, "own_columns": 16, "own_rows": 16, "elements": 1}
    assert parse(REUSE.definition("own")).value(values) == 17 * 5 * 3 + 5 * 33 * 2


def test_asynchronous_copies_count_as_loads(item: Lab) -> None:
    """Copies by cp.async and bulk copies, which no counter of loads includes."""
    counters = {
        "smsp__sass_data_bytes_mem_global_op_ld.sum": 0,
        "emulator__async_copy_bytes.sum": 128 * ELEMENTS * 4,
    }
    run = Run("emulator", launch_shape=TILE_16, launches=(Launch("big", "k", (), (), counters),))
    found = judge_technique(REUSE, run, item, {"big": Verdict.PASS})
    assert found.met is False and found.measured == 128


def test_atomics_count_as_loads(item: Lab) -> None:
    """Adding zero to an input reads it, too."""
    counters = {
        "smsp__sass_data_bytes_mem_global_op_ld.sum": 0,
        "emulator__global_atomic_bytes.sum": 128 * ELEMENTS * 4,
    }
    run = Run("emulator", launch_shape=TILE_16, launches=(Launch("big", "k", (), (), counters),))
    found = judge_technique(REUSE, run, item, {"big": Verdict.PASS})
    assert found.met is False and found.measured == 128


# --- any evidence -------------------------------------------------------------------------------

LAUNCHES = (
    Launch(
        "big", "first", (4, 2, 1), (32, 1, 1), {"smsp__inst_executed.sum": 80},
        (CounterSite("k.cu", 3, "shared load", 10, wavefronts=40, ideal_wavefronts=10),), dynamic_shared=64,
    ),
    Launch("big", "second", (1, 1, 1), (32, 1, 1), {"smsp__inst_executed.sum": 20}),
    Launch("other", "second", (9, 1, 1), (32, 1, 1), {"smsp__inst_executed.sum": 1000}),
)  # fmt: skip


def measured(item: Lab, compared: str, **more: Any) -> TechniqueVerdict:
    found = Technique("t", compared, "big", 1, "{warp_instructions:,} yes", "no", **more)
    run = Run("emulator", launch_shape=TILE_16, launches=LAUNCHES)
    return judge_technique(found, run, item, {"big": Verdict.PASS}, {"atom.*": 3})


@pytest.mark.parametrize(
    ("compared", "left", "right"),
    [
        ("smsp__inst_executed.sum <= 100", 100, 100),
        ("warp_instructions < blocks * 12", 100, 108),
        ("launches == 2", 2, 2),
        ("dynamic_shared >= 64", 64, 64),
        ("shared_bank_conflicts <= 30", 30, 30),
        ("threads_x * threads_y == threads", 256, 256),
        ("elements_z != 0", 1, 0),
        ('ptx("atom.*") > 2', 3, 2),
        ("m * k < n ** 2", 128 * 64, 128**2),
    ],
)
def test_what_can_be_measured(item: Lab, compared: str, left: float, right: float) -> None:
    found = measured(item, compared)
    assert found == TechniqueVerdict("t", True, "100 yes", left, right)


def test_one_kernel_may_be_meant(item: Lab) -> None:
    found = measured(item, "warp_instructions < 50", kernel="second")
    assert found.met and found.sentence == "20 yes"
    assert measured(item, "warp_instructions < 50").sentence == "no"


def test_slack_lets_a_limit_be_missed_on_either_side(item: Lab) -> None:
    assert measured(item, "warp_instructions <= 90", slack=1.25).met
    assert measured(item, "warp_instructions >= 110", slack=1.25).met
    assert not measured(item, "warp_instructions <= 79", slack=1.25).met
    assert not measured(item, "warp_instructions >= 126", slack=1.25).met


@pytest.mark.parametrize(
    ("compared", "why"),
    [
        ("1 / (m - n) > 2", "its evidence has no value, as division by zero"),
        ("9 ** 999 > 2", "its evidence has no value, as a power is too large"),
        ('ptx("shfl*") > 2', "the build did not count the instructions 'shfl*'"),
    ],
)
def test_what_has_no_value_is_not_judged(item: Lab, compared: str, why: str) -> None:
    assert measured(item, compared) == TechniqueVerdict("t", None, f"not judged: {why}")


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (1, "times", "once"), (2.52, "times", "2.5 times"), (1.0, "count output", "1 output"),
        (4, "count output", "4 outputs"), (0.256, "percent", "26 %"), (1234567, ",", "1,234,567"),
        (2.5, "g", "2.5"), (4.0, "g", "4"), (1.256, ".2f", "1.26"), (True, "", "1"), (3.14, "", "3.1"),
        (45200, "count warp read", "45,200 warp reads"), (2031771, "", "2,031,771"),
        (2031.77, ".1f", "2,031.8"),
    ],
)  # fmt: skip
def test_formats_of_a_sentence(value: float, form: str, text: str) -> None:
    assert evidence.shown(value, form) == text


def test_what_a_program_lab_counts(item: Lab) -> None:
    """The launches of a program are counted by its runs, not by its launch records."""
    program = replace(item, kind=LabKind.PROGRAM)
    found = Technique("t", "launches == 7 and leaks == 0", "big", 1)
    assert [each.key for each in evidence.mistakes(found, program)] == [("evidence",)]
    found = replace(found, evidence="launches + leaks == 7", met="yes")
    assert not list(evidence.mistakes(found, program))
    run = Run("emulator", launches=(Launch("big", "", (), (), {"launches": 7, "leaks": 0}),))
    assert judge_technique(found, run, program, {"big": Verdict.PASS}).met


def test_evidence_of_one_of_several_kernels(item: Lab) -> None:
    """Launch shape and counters are those of the kernel that the technique names."""
    where = (("each", "global_load_bytes / blocks"), ("side", "threads_x"))
    technique = replace(
        REUSE,
        where=where,
        evidence="each <= side",
        kernel="second",
        slack=1.0,
        met="{each}",
        not_met="{each}",
    )
    loaded = "smsp__sass_data_bytes_mem_global_op_ld.sum"
    run = Run(
        "emulator",
        launch_shape=LaunchShape((16,), (16,), "first"),
        other_shapes=(LaunchShape((64,), (64,), "second"),),
        launches=(
            Launch("big", "first", (2, 1, 1), (16, 1, 1), {loaded: 9000}),
            Launch("big", "second", (4, 1, 1), (64, 1, 1), {loaded: 200}),
        ),
    )
    found = judge_technique(technique, run, item, {"big": Verdict.PASS})
    assert found.met and (found.measured, found.limit) == (50, 64)
    of_first = judge_technique(replace(technique, kernel="first"), run, item, {"big": Verdict.PASS})
    assert of_first.met is False and (of_first.measured, of_first.limit) == (4500, 16)
    unknown = judge_technique(replace(technique, kernel="third"), run, item, {"big": Verdict.PASS})
    assert unknown.met is None
