"""How fast a lab's kernels can be at best: each course lab says so, in every language."""

from __future__ import annotations

import pytest

from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.course import lab, work
from warpgrade.gpu import spec
from warpgrade.handouts import best_possible
from warpgrade.handouts.figures.roofline_chart import Measured
from warpgrade.records import Lab, LabKind

REPOSITORY = here()
GPU = spec.load(REPOSITORY, "h200")
LABS = [item for item in lab.find(REPOSITORY) if item.kind is not LabKind.ANSWERS]


def said(item: Lab, milliseconds: float, language: str = "en") -> str:
    measured = Measured(1, work.whole(item), "that GPU", milliseconds)
    times = {item.name: measured} if milliseconds else {}
    return best_possible.sentences(item, messages.load(REPOSITORY.root, language), GPU, times)


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_the_share_is_that_of_the_roofline(item: Lab) -> None:
    amount = work.of(item, work.whole(item))
    peak = GPU.peak_gflops_of(amount.tensor_cores)
    least = max(amount.bytes / GPU.memory_bytes_per_second, amount.flops / (peak * 1e9))
    text = said(item, 1e3 * least / 0.4)
    assert " 40 % of the best possible" in text and work.unit(item) in text
    assert all(f"{name} = " in text for name in item.parameter_names)


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_operations_are_not_counted(item: Lab) -> None:
    assert " 0 operations" not in said(item, 0) and " 0 Operationen" not in said(item, 0, "de")


@pytest.mark.parametrize("language", ["en", "de"])
def test_without_a_time_only_the_least_is_said(language: str) -> None:
    assert GPU.name in said(LABS[0], 0, language)
    assert "that GPU" not in said(LABS[0], 0, language) and "that GPU" in said(LABS[0], 1, language)
