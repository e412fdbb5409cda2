"""All runs of a program in the sandbox.

The back end of the emulator starts the program on each case, serves its calls of the CUDA runtime, and
prints a record for each run.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.errors import GraderError
from ...core.paths import file_hash, need
from ...core.scratch import scratch_folder
from ...core.serialize import from_data
from ...course.evidence import COUNTERS, needed
from ...records import FACTS_OF_FAILURES, FACTS_OF_TIME, Case, Lab, ProgramRun, Technique, Visibility
from ...sandbox import process
from ...sandbox.process import Box, Mount, ResourceLimits
from .. import datasets, npy
from ..emulator_rows import is_count
from ..harness import RunnerConfig
from .cases import DISK, MEMORY, CaseFiles, seconds_of

_MIB = 1 << 20
_PLACES = 2  # of a case: so many runs with a failing call go on at the same time
_COMMAND = ("/course/backend", "/box/plan.json", "/course/program", "/course/frontend")


def run_all(
    program: Path,
    lab: Lab,
    runner: RunnerConfig,
    files: Mapping[str, CaseFiles],
    others: Mapping[str, CaseFiles],
) -> list[ProgramRun]:
    """The runs of all cases. `others`: of cases with other values, which the program does not see.

    Hidden cases have a sandbox of their own: what a program prints in the other cases is shown, and might
    tell of their inputs.
    """
    found: list[ProgramRun] = []
    for hidden in (False, True):
        cases = tuple(case for case in lab.cases if (case.visibility is Visibility.HIDDEN) == hidden)
        if cases:
            own = {case.name: files[case.name] for case in cases}
            with scratch_folder(runner.repository) as work:
                found += _run_cases(program, replace(lab, cases=cases), runner, work, own, others)
    return found


def _run_cases(
    program: Path,
    lab: Lab,
    runner: RunnerConfig,
    work: Path,
    files: Mapping[str, CaseFiles],
    others: Mapping[str, CaseFiles],
) -> list[ProgramRun]:
    """The runs of the lab's cases in one sandbox. `work`: an empty folder, the program's own."""
    box = _box(program, lab, runner, work, files)
    nonce = secrets.token_hex(16)
    choice = datasets.timing_seed(lab.name, file_hash(program), datasets.secret(runner.repository))
    _write_plan({"nonce": nonce, "choice": choice}, lab, runner, box, files, others)
    limits = ResourceLimits(
        seconds=lab.limits.seconds, memory_bytes=MEMORY, address_bytes=16384 * _MIB,
        file_bytes=64 * _MIB, disk_bytes=DISK, output_bytes=64 * _MIB,
    )  # fmt: skip
    outcome = process.run(_COMMAND, box, limits, runner.sandbox, "program")
    if outcome.status == 2 and not outcome.timed_out:
        message = f"the back end refused: {outcome.stderr.strip()[:300]}"
        raise GraderError(message, file=runner.repository.backend)
    found = [_run_of(row) for row in _rows(outcome.stdout, nonce)]
    for case in lab.cases:
        if not any(run.label == case.name for run in found):
            found.append(_missing(case.name, found, outcome))
    return found


def _box(program: Path, lab: Lab, runner: RunnerConfig, work: Path, files: Mapping[str, CaseFiles]) -> Box:
    """The sandbox: programs and the inputs of its cases can be read, `work` can be written."""
    repository = runner.repository
    mounts = [
        Mount(need(repository.backend, "type `make tools`"), "/course/backend"),
        Mount(program, "/course/program"),
        Mount(need(repository.frontend, "type `make tools`").parent, "/course/frontend"),
    ]
    mounts += [
        Mount(path, f"/data/{case}/{name}.npy")
        for case, each in files.items()
        for name, path in each.inputs.items()
    ]
    environment = {
        "WARPGRADE_CHECK": "all",
        "WARPGRADE_GPU": runner.gpu_model,
        "WARPGRADE_ORDER": "late",
        "WARPGRADE_STEP_LIMIT": str(lab.limits.steps),
        "WARPGRADE_THREADS": str(runner.threads or 1),
    }
    if repository.libraries.is_dir():
        mounts.append(Mount(repository.libraries, "/libraries"))
        environment["LD_LIBRARY_PATH"] = "/libraries"
    return Box(work, tuple(mounts), environment=environment)


def _write_plan(
    of_all: Mapping[str, Any],
    lab: Lab,
    runner: RunnerConfig,
    box: Box,
    files: Mapping[str, CaseFiles],
    others: Mapping[str, CaseFiles],
) -> None:
    """plan.json, which tells the back end what to run, and folders for the outputs."""
    fail_each = any(_needs(each, FACTS_OF_FAILURES) for each in lab.techniques)
    counted = {each.case for each in lab.techniques if _needs(each, (*FACTS_OF_TIME, *COUNTERS))}
    runs = []
    for case in lab.cases:
        row = _plan(case, lab, files[case.name], box, runner, fail_each)
        hidden = list(_others(case.name, others[case.name], box, runner)) if case.name in others else []
        runs.append(row | {"counts": case.name in counted, "others": hidden})
    text = json.dumps({**of_all, "runs": runs})
    (box.work / "plan.json").write_text(text, encoding="utf-8")


def _others(case: str, files: CaseFiles, box: Box, runner: RunnerConfig) -> Iterator[dict[str, Any]]:
    """Other values of the case's inputs, in files that the back end removes before the program begins."""
    for number, path in enumerate(files.inputs.values()):
        content = path.read_bytes()
        name = f"{case}.{number}"
        (box.work / name).write_bytes(content)
        array = npy.read(content)
        inside = process.path_inside(f"/box/{name}", box, runner.sandbox)
        yield {"path": inside, "type": array.dtype, "shape": array.shape}


def _needs(technique: Technique, facts: Sequence[str]) -> bool:
    return not set(facts).isdisjoint(needed(technique))


def _missing(case: str, found: Sequence[ProgramRun], outcome: process.Outcome) -> ProgramRun:
    """The result of a case without a record: not run after a limit, else the back end was killed."""
    if any(run.timed_out or run.too_much for run in found):
        return ProgramRun(case, not_begun=True)
    too_much = "files" if outcome.spilled else "memory" if outcome.overfull else ""
    return ProgramRun(case, lost=True, timed_out=outcome.timed_out, too_much=too_much)


def _plan(
    case: Case, lab: Lab, files: CaseFiles, box: Box, runner: RunnerConfig, fail_each: bool
) -> dict[str, Any]:
    """What to run in this case. Makes the folders in which the program works."""

    def place(path: str) -> str:
        return process.path_inside(path, box, runner.sandbox)

    def workplace(number: int) -> dict[str, Any]:
        folder = f"runs/{case.name}/{number}"
        (box.work / folder).mkdir(parents=True)
        outputs = [place(f"/box/{folder}/{output.name}.npy") for output in files.outputs]
        inputs = [place(f"/data/{case.name}/{name}.npy") for name in files.inputs]
        return {"folder": place(f"/box/{folder}"), "outputs": outputs, "arguments": [*inputs, *outputs]}

    return {
        "label": case.name,
        "arrays": [{"type": each.dtype, "shape": each.shape} for each in files.outputs],
        "places": [workplace(number) for number in range(_PLACES)],
        "seconds": seconds_of(lab),
        "fail_each": fail_each and case.visibility is not Visibility.HIDDEN,
    }


def _rows(text: str, nonce: str) -> Iterator[dict[str, Any]]:
    """The back end's lines. Others come from the program, which cannot know the nonce."""
    for line in text.split("\n"):
        word, _, rest = line.partition(" ")
        if word == nonce and rest.startswith("{"):
            yield json.loads(rest)


def _run_of(row: dict[str, Any]) -> ProgramRun:
    findings = tuple(each for each in row.pop("findings", ()) if not is_count(each))
    launches, counters = tuple(row.pop("launches", ())), row.pop("counters", {})
    try:
        return replace(from_data(ProgramRun, row), findings=findings, launches=launches, counters=counters)
    except (TypeError, KeyError, ValueError) as error:
        raise GraderError(f"the back end wrote no proper record: {error}") from None
