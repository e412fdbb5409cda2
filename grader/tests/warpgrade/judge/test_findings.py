"""A saved run gets its advice when it is judged: the run itself stays as it was reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.core.paths import here
from warpgrade.course import lab, work
from warpgrade.gpu.spec import load
from warpgrade.judge.findings import judged
from warpgrade.perfmodel.model import floor
from warpgrade.records import CaseRun, Finding, Memory, Place, Run, SourceFile, Submission, Timing

LAB = lab.load(here().labs / "02-tiled")
GPU = load(here(), "h200")
SUBMISSION = Submission("s", LAB.name, "s", (SourceFile("kernel.cu", "for (i = 0; i <= k; ++i)"),), "0")
SIZE = (2048, 2048, 2048)


def finding(label: str) -> Finding:
    memory = Memory("global", "0x0", 4, "A", 600, 0, "after")
    return Finding(label, "memory", "out-of-bounds-read", "WG101", "error", "m", Place("kernel.cu", 1),
                   memory=memory, help="the emulator's own")  # fmt: skip


def test_a_finding_of_a_case_gets_advice_and_another_stays() -> None:
    case, timed = finding(LAB.cases[0].name), finding("time/256x256x256/student")
    run = Run("emulator", findings=(case, timed))
    found = judged(run, SUBMISSION, LAB, GPU)
    assert "A has" in found.findings[0].help and found.findings[1] == timed
    assert run.findings == (case, timed)
    assert replace(found, findings=()) == replace(run, findings=())


@pytest.mark.parametrize("status", ["crash", "timeout"])
def test_what_a_program_leaves_that_ended_early_is_no_finding(status: str) -> None:
    name, other = LAB.cases[0].name, LAB.cases[1].name
    leak = Finding(name, "memory", "memory-leak", "WG110", "warning", "m", Place("program.cu", 9))
    unfinished = Finding(name, "host", "unfinished-work", "WG119", "error", "m", Place())
    fault = Finding(name, "memory", "device-pointer", "WG116", "error", "m", Place("program.cu", 7))
    found = (leak, unfinished, fault, replace(leak, label=other))
    run = Run("emulator", cases=(CaseRun(name, status, "how"), CaseRun(other, "pass")), findings=found)
    assert judged(run, SUBMISSION, LAB, GPU).findings == (fault, replace(leak, label=other))


def test_an_array_that_grows_with_the_case_has_elements_of_one_thread_each() -> None:
    """Declared in [arrays], or as long as a number of the case says."""
    case = LAB.cases[0]
    count = next(iter(case.parameters.values()))

    def cause(name: str, elements: int, bare: bool = False) -> str | None:
        memory = Memory("global", "0x0", 4, name, 4 * elements, 0, "inside")
        race = replace(finding(case.name), check="race", code="WG114", memory=memory, update=True)
        item = replace(LAB, arrays=()) if bare else LAB
        return judged(Run("emulator", findings=(race,)), SUBMISSION, item, GPU).findings[0].cause

    assert cause("C", 7) == "shared-element" and cause("bins", count + 1) == "lost-update"
    assert cause("y", count, bare=True) == "shared-element"
    four = Memory("global", "0x0", 16, "y", 4 * count, 0, "inside")
    race = replace(finding(case.name), check="race", code="WG114", memory=four, update=True)
    found = judged(Run("emulator", findings=(race,)), SUBMISSION, replace(LAB, arrays=()), GPU).findings
    assert found[0].cause == "shared-element", "four elements at once"
    assert cause("bins", count + 1, bare=True) == "lost-update"


@pytest.mark.parametrize(("share", "count"), [(0.5, 1), (0.96, 1), (0.98, 0), (1.2, 0)])
def test_a_time_below_the_roof_is_a_finding(share: float, count: int) -> None:
    assert floor(work.of(LAB, SIZE), GPU) == pytest.approx(0.2568, rel=0.01)  # 2·2048³ / 66.9 TFLOP/s
    times = (share * floor(work.of(LAB, SIZE), GPU),) * 3
    timed = Run("gpu", GPU.name, timings=(Timing(SIZE, times, times, 1.0, False, "pass"),))
    found = judged(timed, SUBMISSION, LAB, GPU).findings
    assert [finding.label for finding in found] == ["time/2048x2048x2048/student"] * count
    assert not judged(replace(timed, device_name="another GPU"), SUBMISSION, LAB, GPU).findings


def test_what_fails_a_case_is_an_error_there() -> None:
    same = Finding(
        LAB.cases[0].name, "race", "race-same-value", "WG113", "warning", "m", Place("kernel.cu", 1)
    )
    (found,) = judged(Run("emulator", findings=(same,)), SUBMISSION, LAB, GPU).findings
    assert found.severity == "error"
