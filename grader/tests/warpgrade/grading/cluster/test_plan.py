"""The cost model: known cases by hand, what holds a class up, and the length of a task."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.grading.cluster import costs, plan
from warpgrade.grading.cluster.costs import Costs, chunk_length
from warpgrade.grading.cluster.plan import ClusterSize
from warpgrade.grading.cluster.settings import TaskSettings

COSTS = Costs(compile=1.0, emulate=3.0, time=2.0, start=2.0, starts=1000.0, delay=0.0, admit=0.0, report=0.0)
TASK = TaskSettings(cpus=2, at_once=1000, chunk=10)


def test_tasks_fill_the_nodes_in_rounds() -> None:
    found = plan.plan(100, ClusterSize(nodes=2, cpus=4), TASK, COSTS)  # 10 tasks of 22 s in 4 places
    assert found.chunk == 10 and found.seconds == pytest.approx(3 * 22, abs=0.1)
    assert found.bottleneck == "emulating"


def test_more_nodes_are_quicker_until_slurm_holds_them_up() -> None:
    slow = replace(COSTS, starts=1.0)
    two, many = (plan.plan(200, ClusterSize(n, 4), TASK, slow) for n in (2, 200))
    assert many.seconds < two.seconds and many.emulation >= 19 + 22
    assert many.bottleneck.startswith("Slurm")


def test_gpus_time_what_is_emulated_meanwhile() -> None:
    one = plan.plan(1000, ClusterSize(10, 20, gpus=1), TASK, COSTS)
    four = plan.plan(1000, ClusterSize(10, 20, gpus=4), TASK, COSTS)
    assert one.bottleneck == "timing on the GPUs"
    assert one.seconds == pytest.approx(1000 * 2.0, rel=0.1)
    assert four.seconds == pytest.approx(1000 * 2.0 / 4, rel=0.1)


def test_the_head_node_holds_up_a_large_class() -> None:
    found = plan.plan(100_000, ClusterSize(1000, 64), TASK, replace(COSTS, report=0.01, admit=0.01))
    assert found.bottleneck.startswith("the head node") and found.seconds > 2000


def test_the_best_length_is_not_beaten() -> None:
    size = ClusterSize(4, 8)
    best = plan.best_length(2000, size, TASK, replace(COSTS, starts=2.3))
    others = (
        plan.plan(2000, size, replace(TASK, chunk=n), replace(COSTS, starts=2.3)) for n in (1, 10, 100, 1000)
    )
    assert all(best.seconds <= each.seconds + 0.01 for each in others) and 1 < best.chunk < 1000


def test_the_length_of_a_task() -> None:
    free = replace(TASK, chunk=0, at_once=10)
    assert chunk_length(10_000, TASK, "emulate", COSTS) == 10, "what is set"
    assert chunk_length(4000, free, "emulate", COSTS) == 100, "four rounds"
    assert chunk_length(3, free, "emulate", COSTS) == 1, "starting a task is half of it at most"
    assert chunk_length(3, free, "emulate", replace(COSTS, start=20.0)) == 10
    assert chunk_length(1_000_000, free, "emulate", COSTS) == 300, "ten minutes"
    assert chunk_length(1_000_000, replace(free, minutes=5), "time", COSTS) == 50, "a third of its limit"


def test_the_costs_that_come_with_the_grader_are_complete() -> None:
    assert costs.load().start > 0
