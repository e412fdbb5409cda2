"""Questions about a run: what is read off the profile, and computed as the handout says, is the key."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from support import lab_questions
from warpgrade.answers import stages
from warpgrade.answers.questions import DrawnQuestion
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import launch_profile
from warpgrade.perfmodel.launch_profile import LaunchProfile
from warpgrade.report import terminal_launch_profile
from warpgrade.staff import recorded_runs
from warpgrade.student.profiled_program import compiled_program

REPOSITORY = here()
(ITEM,) = (item for item in lab.find(REPOSITORY) if item.profiled)
PROGRAM = recorded_runs.program_of(ITEM)
RUNS = tuple(recorded_runs.combinations(PROGRAM))
GPU = spec.load(REPOSITORY, PROGRAM.gpu)
QUESTIONS = lab_questions.of_lab(REPOSITORY, ITEM.name)
OPERATION = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
LOADED = "smsp__sass_data_bytes_mem_global_op_ld.sum"
AGAIN = f"type: ./warpgrade runs {ITEM.name}"
Data = dict[str, Any]


@pytest.fixture(scope="module")
def profiles() -> list[LaunchProfile]:
    """Of all runs, from today's emulator and model."""
    source = REPOSITORY.labs / ITEM.name / PROGRAM.file
    with compiled_program(REPOSITORY, source, GPU) as program:
        return [program.profile(tuple(run.values())) for run in RUNS]


def student_of(run: dict[str, str]) -> str:
    """A student whose questions are about that run."""
    for number in range(1000):
        drawn = stages.drawn_run(QUESTIONS, ITEM, f"student-{number}")
        if all(str(drawn[name]) == value for name, value in run.items()):
            return f"student-{number}"
    raise AssertionError("nobody has that run")


def test_the_recorded_runs_are_those_of_today(profiles: list[LaunchProfile]) -> None:
    assert recorded_runs.is_fresh(REPOSITORY, ITEM), AGAIN
    for recorded, found in zip(QUESTIONS.runs, profiles, strict=True):
        for name, value in launch_profile.figures(found).items():
            kept = recorded.get(name, 0)
            same = math.isclose(kept, value, rel_tol=1e-5) if isinstance(value, float) else kept == value
            assert same, f"{name}: {kept} was recorded, {value} is measured; {AGAIN}"


# --- what a student computes ---------------------------------------------------------------------


def per_request(data: Data, mark: str, kind: str, unit: str) -> float:
    (access,) = (row for row in data["accesses"] if row["mark"] == mark and row["kind"] == kind)
    return float(access[unit] / access["requests"])


def moved(data: Data, *what: str) -> float:
    return 32.0 * sum(data["counters"][SECTORS.format(each)] for each in what)


def operations(data: Data) -> float:
    executed = {name: data["counters"].get(OPERATION.format(name), 0) for name in ("ffma", "fadd", "fmul")}
    return 2.0 * executed["ffma"] + executed["fadd"] + executed["fmul"]


def intensity(data: Data) -> float:
    return operations(data) / moved(data, "ld", "st")


def allowed(data: Data) -> float:
    return min(data["peak_gflops"], intensity(data) * data["l2_gigabytes_per_second"])


def bound(data: Data) -> str:
    """The busiest resource, where shared memory and L1 are one data pipe."""
    busy = dict(data["busy"])
    pipe = {name: busy.pop(name, 0.0) for name in ("shared memory", "L1 cache")}
    busiest = max(busy, key=lambda name: busy[name])
    return max(pipe, key=lambda name: pipe[name]) if sum(pipe.values()) >= busy[busiest] else busiest


READ: dict[str, Callable[[Data], float | str]] = {
    "sectors-a-request": lambda data: per_request(data, "load", "global load", "sectors"),
    "used-bytes": lambda data: 100 * data["counters"][LOADED] / moved(data, "ld"),
    "wavefronts-a-request": lambda data: per_request(data, "read", "shared load", "wavefronts"),
    "intensity": intensity,
    "roofline": allowed,
    "reached": lambda data: 100 * operations(data) / data["milliseconds"] / 1e6 / allowed(data),
    "bound": bound,
}


def warps(data: Data, question: DrawnQuestion) -> int:
    """Of the GPU that the question's text names, with the registers that it adds."""
    models = ("t4", "a100", "rtx4090", "h200")
    gpu = next(gpu for gpu in (spec.load(REPOSITORY, model) for model in models) if gpu.name in question.text)
    more = next((int(word) for word in question.text.split() if word.isdigit()), 0)
    threads, registers = math.prod(data["block"]), data["registers"]
    more = more if "registers more" in question.text else 0
    held = theoretical(gpu.limits, gpu.compute_capability, threads, registers + more, data["shared_bytes"])
    return held.warps


@pytest.mark.parametrize("index", range(len(RUNS)), ids=lambda index: "-".join(RUNS[index].values()))
def test_what_is_read_off_the_profile_is_the_key(index: int, profiles: list[LaunchProfile]) -> None:
    data = json.loads(json.dumps(terminal_launch_profile.as_data(profiles[index], GPU)))
    left = []
    for question in stages.drawn(QUESTIONS, ITEM, student_of(RUNS[index])):
        if "warps" in question.unit:
            given: float | str = warps(data, question)
        elif question.name in READ:
            given = READ[question.name](data)
        else:
            left.append(question.name)
            continue
        number = question.options.index(given) if isinstance(given, str) else given
        assert question.accepts(number, question.answer), (question.name, given, question.answer)
    assert left == ["best-change", "gain", "idle-change"]
    assert READ["reached"](data) < 100  # type: ignore[operator]


@pytest.mark.parametrize("run", QUESTIONS.runs, ids=lambda run: f"{run['kernel']}-{run['n']}")
def test_the_changes_of_a_run_can_be_distinguished(run: dict[str, Any]) -> None:
    """One change clearly helps most, one changes nothing, and every other one does something."""
    gains = [run["milliseconds"] / run[f"{name}.milliseconds"] for name in "ABCD"]
    best, second = sorted(gains, reverse=True)[:2]
    assert best > 1.15 * second
    idle = [gain for gain in gains if abs(gain - 1) < 0.01]
    assert len(idle) == 1 and math.isclose(idle[0], 1, abs_tol=0.001)
