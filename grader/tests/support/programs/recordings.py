"""Recorded blocks of the tiled lab's solution, and of the solution with a line changed."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from warpgrade.build import toolkit
from warpgrade.build.compiler import FATBIN, Compiler, build
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.player import scene
from warpgrade.player.choice import Choice
from warpgrade.player.scene import Scene
from warpgrade.records import Case, Finding, Submission
from warpgrade.run import datasets, harness, trace
from warpgrade.run.datasets import PUBLIC_SALT
from warpgrade.run.harness import HarnessJob, RunnerConfig
from warpgrade.run.trace import Recording as Traced
from warpgrade.submission.admit import from_file

ROOT = Path(__file__).resolve().parents[4]
REPOSITORY = Repository(ROOT)
LAB = lab.named(REPOSITORY, "02-tiled")
CASE = LAB.case("32x32x32-integers")
SECOND_BARRIER = "__syncthreads();  // nobody reads these tiles any more"


@dataclass(frozen=True)
class Made:
    """`data`: the folder of the case's arrays. `traced`: the accesses of the same build and block."""

    scene: Scene
    data: Path
    findings: tuple[Finding, ...]
    traced: Traced | None = None


def tools() -> tuple[Compiler, RunnerConfig]:
    """What scenes are recorded with, without a sandbox."""
    toolchain = toolkit.find(REPOSITORY)
    return Compiler(REPOSITORY, toolchain, "none"), RunnerConfig(REPOSITORY, toolchain, "none", threads=1)


@cache
def recorded(
    without: str = "", block: tuple[int, ...] = (0, 0, 0), with_trace: bool = False, instead: str = ""
) -> Made:
    """Block of the solution in CASE; `without`: text that is left out of the solution, for its findings, or
    replaced by `instead`.
    """
    text = (REPOSITORY.solution(LAB.name) / "kernel.cu").read_text(encoding="utf-8")
    assert without in text
    compiler, runner = tools()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "kernel.cu"
        file.write_text(text.replace(without, instead) if without else text, encoding="utf-8")
        submission = from_file(file, LAB, "ada")
        found = _findings(submission, compiler, runner, folder) if without and not instead else ()
        here = tuple(each for each in found if tuple(each.place.block) == block)
        made = scene.record(submission, LAB, Choice(CASE, block, findings=here), compiler, runner, folder)
        traced = (
            trace.traced(runner, LAB, submission, folder / FATBIN, CASE, block)[0] if with_trace else None
        )
    return Made(made, data_of(CASE), here, traced)


def data_of(case: Case) -> Path:
    """The folder with the public values of the case."""
    return datasets.prepare(REPOSITORY, replace(LAB, cases=(case,)), PUBLIC_SALT)


def _findings(
    submission: Submission, compiler: Compiler, runner: RunnerConfig, folder: Path
) -> tuple[Finding, ...]:
    """Findings of the build that is judged."""
    build(submission, LAB, replace(compiler, machine_code=False), folder)
    one = replace(LAB, cases=(CASE,))
    job = HarnessJob(one, folder / FATBIN, data_of(CASE), ("--mode", "check"))
    return harness.start(job, runner, submission).findings
