"""Kernels that touch no memory explain nothing, and what their results look like is no mistake."""

from __future__ import annotations

from warpgrade.judge.causes.wrong_answer import idle_kernel
from warpgrade.records import CaseRun, CounterSite, Launch, Run, Wrong

COUNTED = {"instructions": 32}
BUSY = (CounterSite("kernel.cu", 4, "global load"),)
WRONG = Wrong(1, 1, "y", (1,), (0,), 2.0, 1.0, pattern="neighbour", explanation="y[0] takes its neighbour.")


def launch(label: str, kernel: str, sites: tuple[CounterSite, ...] = ()) -> Launch:
    return Launch(label, kernel, (1,), (32,), COUNTED, sites)


def seen(*launches: Launch) -> CaseRun:
    case = CaseRun("first", "wrong_answer", wrong=WRONG)
    return idle_kernel.explained(case, Run("emulator", launches=launches))


def test_an_empty_kernel_is_named_in_place_of_a_pattern() -> None:
    case = seen(launch("first", "scale"), launch("second", "sum", BUSY))
    assert idle_kernel.is_idle(case) and case.wrong
    assert "scale reads nothing" in case.wrong.explanation == case.message


def test_all_empty_kernels_are_named_at_once() -> None:
    case = seen(launch("first", "scale"), launch("second", "sum"), launch("third", "scan"))
    assert case.message.startswith("scale, sum and scan read nothing")


def test_a_kernel_that_does_something_in_any_launch_keeps_its_pattern() -> None:
    assert seen(launch("first", "scale"), launch("second", "scale", BUSY)).wrong == WRONG
    assert seen(launch("first", "scale"), launch("first", "sum", BUSY)).wrong == WRONG


def test_without_launches_or_counters_nothing_is_known() -> None:
    assert seen().wrong == WRONG
    assert seen(Launch("first", "scale", (1,), (32,), {})).wrong == WRONG
    assert seen(launch("first", "")).wrong == WRONG, "the sums over a program"
