"""GB/s as a share of the memory's bandwidth."""

from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.core.paths import here
from warpgrade.feedback.performance import bandwidth
from warpgrade.gpu import spec
from warpgrade.records import Work

LAB = sample_results.lab()
COPY = replace(LAB, work=Work("0", "4*m*n*k", "bytes"))
GPU = spec.load(here(), "h200")
ADA = sample_results.right_student().results[0]


def test_rate_and_share_of_both_kernels() -> None:
    found = bandwidth.bandwidth(COPY, ADA, GPU, "id")
    assert found is not None
    mine, theirs = found.rates
    assert (mine.name, theirs.name) == ("yours", "reference")
    assert mine.gigabytes == pytest.approx(4 * 256**3 / 0.0321e6)
    assert mine.share == pytest.approx(mine.gigabytes * 1e9 / GPU.memory_bytes_per_second)
    assert f"{mine.gigabytes:,.0f} GB/s" in found.words and "of the best possible" in found.words
    assert f">{mine.gigabytes:,.0f} GB/s<" in found.svg


def test_a_rate_above_the_memorys_is_explained() -> None:
    much = replace(COPY, work=Work("0", "4000*m*n*k", "bytes"))
    found = bandwidth.bandwidth(much, ADA, GPU, "id")
    assert found is not None and found.rates[0].share > 1 and "a cache holds the data" in found.words


def test_none_for_a_lab_that_counts_operations_and_for_a_kernel_without_times() -> None:
    assert bandwidth.bandwidth(LAB, ADA, GPU, "id") is None
    assert bandwidth.bandwidth(COPY, ADA, None, "id") is None
    failed = sample_results.failed_build_student().results[0]
    assert bandwidth.bandwidth(COPY, failed, GPU, "id") is None
