"""Kernels that cheat only when they are timed: the GPU's own timing must notice."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .frame import ROOT, WORK, StepContext


@dataclass(frozen=True)
class Cheat:
    """An attack's compiled kernel, and its lab's data."""

    name: str
    most_points: float
    job: Any  # harness.HarnessJob
    submission: Any
    runner: Any


def built_cheats(sandbox: str) -> list[Cheat]:
    """The attacks of the group `time` whose kernels build."""
    sys.path[:0] = [str(ROOT / "grader"), str(ROOT / "grader" / "tests")]
    from support.attacks import definition
    from warpgrade.build import compiler
    from warpgrade.core.paths import Repository
    from warpgrade.course import lab
    from warpgrade.grading.session import Options, prepare
    from warpgrade.records import BuildStatus
    from warpgrade.run.harness import HarnessJob
    from warpgrade.run.timed_launch import size_name
    from warpgrade.submission.admit import from_file

    repository = Repository(ROOT)
    timed = [
        each for each in definition.find() if each.group == "time" and (each.folder / "kernel.cu").is_file()
    ]
    labs = [lab.named(repository, name) for name in sorted({each.lab for each in timed})]
    session = prepare(repository, labs, Options("gpu", sandbox, fresh=True))
    prepared_labs = {prepared.lab.name: prepared for prepared in session.prepared_labs}

    def built(attack: Any) -> Cheat | None:
        prepared = prepared_labs[attack.lab]
        submission = from_file(attack.folder / "kernel.cu", prepared.lab, "cheat")
        folder = WORK / "cheats" / attack.name
        if compiler.build(submission, prepared.lab, session.compiler, folder).status != BuildStatus.BUILT:
            return None
        sizes = ",".join(
            map(size_name, (*prepared.lab.performance.sizes, *prepared.lab.performance.gpu_sizes))
        )
        arguments = ("--mode", "time", "--seed", "20251120", "--sizes", sizes)
        fatbin, reference = folder / compiler.FATBIN, prepared.reference.fatbin
        job = HarnessJob(prepared.lab, fatbin, prepared.data, arguments, "gpu", reference=reference)
        return Cheat(attack.name, attack.most_points, job, submission, session.runner)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [each for each in pool.map(built, timed) if each is not None]


def cheats(context: StepContext) -> None:
    """Time each attack of the group `time` on the GPU, without the emulator's findings."""
    found: list[Cheat] = context.ahead.result(built_cheats, context.sandbox)
    from warpgrade.run import harness

    rows = []
    for cheat in found:
        report = harness.start(cheat.job, cheat.runner, cheat.submission)
        seen = [timing.error or timing.checked for timing in report.timings]
        if report.outcome.timed_out:
            seen.append("timeout")
        ratios = [round(timing.ratio, 3) for timing in report.timings if timing.ratio]
        rows.append({"attack": cheat.name, "seen": seen, "ratios": ratios, "most_points": cheat.most_points})
        passed = all(word == "pass" for word in seen) and bool(seen)
        gained = passed and max(ratios, default=0.0) > 1.1
        context.report(f"  {cheat.name:<28} {', '.join(seen)[:60]:<60} {ratios}")
        unseen_here = ("races", "no-barriers")  # right values by luck: the emulator sees it
        if gained and not cheat.name.startswith(unseen_here):
            context.failures.append(f"cheat {cheat.name} went unseen on the GPU")
    (context.out / "cheats.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
