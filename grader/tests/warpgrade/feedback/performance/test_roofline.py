"""Roofline and bars: numbers computed again by hand."""

import re
from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.core.paths import here
from warpgrade.feedback.performance import roofline
from warpgrade.gpu import spec
from warpgrade.records import Launch, Result, Work

LAB = sample_results.lab()
CARD = spec.load(here(), "h200")
ADA = sample_results.right_student().results[0]
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def test_a_point_stands_where_its_numbers_say() -> None:
    found = roofline.roofline(LAB, ADA, CARD, "id")
    assert found is not None
    mine, theirs = found.points
    operations = 2 * 256**3
    assert mine.intensity == pytest.approx(operations / (32 * 32768))
    assert mine.gflops == pytest.approx(operations / 0.0321e-3 / 1e9)
    assert theirs.intensity == pytest.approx(4 * mine.intensity)
    assert "limited by" in found.words and "<desc" in found.svg


def test_the_roof_is_the_gpus() -> None:
    peak = 2 * CARD.fp32_lanes * CARD.sm_count * CARD.clock_hz / 1e9
    bandwidth = CARD.l2_bytes * CARD.sm_count * CARD.clock_hz / 1e9
    found = roofline.roofline(LAB, ADA, CARD, "id")
    assert found is not None
    for point in found.points:
        assert point.share == pytest.approx(point.gflops / min(peak, bandwidth * point.intensity))
        assert 0 < point.share <= 1


def test_each_line_of_the_scale_says_its_own_number() -> None:
    found = roofline.roofline(LAB, ADA, CARD, "id")
    assert found is not None
    ends = re.findall(r'text-anchor="end">([\d.,]+)<', found.svg)
    numbers = [float(text.replace(",", "")) for text in ends]
    assert len(numbers) >= 2 and numbers == sorted(set(numbers))


def test_no_picture_without_numbers() -> None:
    assert roofline.roofline(LAB, ADA, None, "id") is None
    assert ADA.run
    untimed = sample_results.with_records(ADA, run=replace(ADA.run, launches=()))
    assert roofline.roofline(LAB, untimed, CARD, "id") is None
    silent = tuple(Launch(each.label, "k", (1,), (1,), {SECTORS: 0}) for each in ADA.run.launches)
    assert (
        roofline.roofline(
            LAB, sample_results.with_records(ADA, run=replace(ADA.run, launches=silent)), CARD, "id"
        )
        is None
    )
    failed = sample_results.failed_build_student().results[0]
    assert roofline.roofline(LAB, failed, CARD, "id") is None


def test_each_timed_lab_has_a_bar() -> None:
    other: Result = replace(ADA, lab="03-tiled-bounded")
    bars = roofline.lab_bars([(LAB, ADA), (replace(LAB, name="03-tiled-bounded"), other)])
    assert [bar.lab for bar in bars] == ["02-tiled", "03-tiled-bounded"]
    assert bars[0].student == pytest.approx(2 * 256**3 / 0.0321e6)
    assert bars[0].mark == 100 and bars[0].full == pytest.approx(71.03, abs=0.1)


def test_bars_of_one_unit_share_a_scale() -> None:
    copy = replace(LAB, name="07-transpose", work=Work("0", "4*m*n", "bytes"))
    first, second = roofline.lab_bars([(LAB, ADA), (copy, replace(ADA, lab="07-transpose"))])
    assert (first.unit, second.unit) == ("GFLOP/s", "GB/s")
    assert first.mark == second.mark == 100
    assert second.student == pytest.approx(4 * 256**2 / 0.0321e6)


def test_one_lab_alone_has_none() -> None:
    assert roofline.lab_bars([(LAB, ADA)]) == ()
