"""The same verdicts on the emulator and on the GPU: solutions, skeletons, mutants and the sample class."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .frame import ROOT, WORK, StepContext

CLASS = ROOT / "grader/tests/fixtures/submissions/class"


@dataclass(frozen=True)
class Compared:
    """One case of one kernel on both devices."""

    student: str
    lab: str
    case: str
    emulated: str
    findings: bool
    measured: str

    @property
    def faulty(self) -> bool:
        """The emulator found a fault."""
        return self.emulated != "pass" or self.findings

    @property
    def agrees(self) -> bool:
        """A fault that the emulator found may stay unseen on a GPU; what is right must be right there."""
        return self.faulty or self.measured == "pass"

    @property
    def unseen(self) -> bool:
        """The emulator's finding did not show in the GPU's result."""
        return self.faulty and self.measured == "pass"


def course_class(folder: Path, labs: tuple[str, ...]) -> Path:
    """A class whose students are the solutions, the skeletons and the mutants. `labs`: empty for all."""
    sys.path.insert(0, str(ROOT / "grader"))
    from warpgrade.core.paths import Repository
    from warpgrade.course import lab
    from warpgrade.records import LabKind
    from warpgrade.solution import planted_bugs

    shutil.rmtree(folder, ignore_errors=True)
    repository = Repository(ROOT)
    for each in lab.find(repository):
        if each.kind is LabKind.ANSWERS or (labs and each.name not in labs):
            continue
        source = each.files[0]
        solution = repository.solution(each.name) / source
        text = solution.read_text(encoding="utf-8")
        codes = {
            "solution": text,
            "skeleton": (repository.labs / each.name / source).read_text(encoding="utf-8"),
        }
        for bug in planted_bugs.load(repository, each.name):
            codes[f"mutant-{bug.name}"] = planted_bugs.applied(bug, text, str(solution))
        for name, code in codes.items():
            path = folder / f"{name}" / each.name / source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code, encoding="utf-8")
    return folder


def grade(context: StepContext, folder: Path, out: Path) -> float:
    """Grade a class on the GPU; returns the seconds. Its labs have no sizes for timing, which would take most
    of the time."""
    sys.path.insert(0, str(ROOT / "grader"))
    from warpgrade.core.paths import Repository
    from warpgrade.course import lab
    from warpgrade.export import results
    from warpgrade.grading import batch
    from warpgrade.grading.session import Options, prepare
    from warpgrade.submission import downloads

    began = time.monotonic()
    repository = Repository(ROOT)
    labs = [each for each in lab.find(repository) if not context.labs or each.name in context.labs]
    session = prepare(repository, labs, Options("gpu", context.sandbox, fresh=True))
    session = replace(
        session,
        prepared_labs=tuple(
            replace(prepared, lab=_untimed(prepared.lab)) for prepared in session.prepared_labs
        ),
    )
    grades = batch.grade_class(downloads.read(folder), out, session)
    results.write(grades, out)
    return time.monotonic() - began


def _untimed(lab: Any) -> Any:
    return replace(lab, performance=replace(lab.performance, gpu_sizes=()))


def compared(out: Path) -> Iterator[Compared]:
    """The cases that ran on both devices, from the saved stages."""
    for file in sorted(out.glob("*/*/*/run.json")):
        stage = json.loads(file.read_text(encoding="utf-8"))
        run = stage.get("value") or stage.get("record") or stage
        measured = ran({case["name"]: case["status"] for case in run.get("device_cases", ())})
        found = {finding["label"] for finding in run.get("findings", ())}
        for case in run.get("cases", ()):
            if case["name"] in measured:
                name = case["name"]
                yield Compared(
                    file.parts[-4], file.parts[-3], name, case["status"], name in found, measured[name]
                )


def ran(measured: dict[str, str]) -> dict[str, str]:
    """Each case's status, without those that did not run because an earlier one hung or broke the device."""
    broke = any(status not in ("pass", "wrong_answer", "not_run") for status in measured.values())
    return {name: status for name, status in measured.items() if not broke or status != "not_run"}


def contradicted(rows: list[Compared]) -> list[Compared]:
    """Cases of kernels that are right in every case on the emulator, and wrong on the GPU.

    A kernel with a fault elsewhere may fail more cases there: the GPU launches each again with other values,
    the emulator only what keeps something between launches (harness/program/session.cpp).
    """
    faulty = {(row.student, row.lab) for row in rows if row.faulty}
    return [row for row in rows if not row.agrees and (row.student, row.lab) not in faulty]


def summary(rows: list[Compared]) -> list[str]:
    """The lines of the summary."""
    wrong, more = contradicted(rows), sum(not row.agrees for row in rows)
    unseen = sorted({(row.student, row.lab) for row in rows if row.unseen})
    lines = [f"{len(rows)} cases on both devices; {len(wrong)} of right kernels wrong on the GPU"]
    lines += [f"  {row.student} {row.lab} {row.case}: {row.emulated} / {row.measured}" for row in wrong]
    lines.append(f"of faulty kernels, cases that only the GPU shows: {more - len(wrong)}")
    lines.append(f"kernels with a fault that the emulator shows and the GPU's result does not: {len(unseen)}")
    lines += [f"  {student} {lab}" for student, lab in unseen]
    return lines


def verdicts(context: StepContext) -> None:
    """The same verdicts on both devices."""

    rows: list[Compared] = []
    for name, folder in (("course", course_class(WORK / "course", context.labs)), ("sample", CLASS)):
        seconds = grade(context, folder, WORK / f"grades-{name}")
        found = list(compared(WORK / f"grades-{name}"))
        shutil.copyfile(WORK / f"grades-{name}" / "results.json", context.out / f"{name}-results.json")
        context.report(f"{name}: {len(found)} cases on both devices in {seconds:.0f} s, {context.sandbox}")
        rows += found
    for line in summary(rows):
        context.report(line)
    context.failures += [f"verdict of {row.student} {row.lab} {row.case}" for row in contradicted(rows)]
