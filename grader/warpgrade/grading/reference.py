"""The instructor's solution of a lab, compiled once and kept under build/references/<lab>/.

A students' copy of the course has no solutions. There, labs/<lab>/reference.json holds the solution's
build and the counters of its timed launches.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..build.compiler import Compiler, inputs
from ..build.kinds import build_submission, product, with_product
from ..core import store
from ..core.errors import GraderError, InstructorError
from ..core.paths import Repository, text_hash, typed
from ..records import Build, BuildStatus, CaseRun, Lab, LabKind, Launch, Submission
from ..run import harness
from ..run.harness import HarnessJob, RunnerConfig
from ..run.programs.program import run_program
from ..run.run import Reference
from ..submission.admit import from_file

RELEASED = "reference"  # labs/<lab>/reference.json
_DIGITS = 16


@dataclass(frozen=True)
class Confirmed:
    """A record that the solution was right in these cases."""

    cases: tuple[str, ...]


@dataclass(frozen=True)
class Released:
    """Numbers about the solution, without its code."""

    build: Build
    launches: tuple[Launch, ...]


def compile_reference(lab: Lab, compiler: Compiler, fingerprint: str) -> Reference:
    """The compiled solution. `fingerprint`: hash of everything else that a build depends on.

    InstructorError if the solution is missing or does not build.
    """
    source = compiler.repository.solution(lab.name) / lab.files[0]
    if not source.is_file():
        released = store.load(compiler.repository.labs / lab.name, RELEASED, None, Released)
        if released is not None:
            return Reference(None, released.build, released.launches)
        raise InstructorError(
            "is missing: a lab needs a solution to compare with", file=source,
            remedy=f"write it; {typed(f'lab check {lab.name}')} says what else the lab lacks",
        )  # fmt: skip
    solution = from_file(source, lab, "reference")
    key = text_hash(fingerprint, solution.hash, inputs(lab))
    folder = compiler.repository.references / lab.name / key[:_DIGITS]
    made = folder / product(lab)
    known = store.load(folder, "build", with_product(key, made), Build)
    if known is None:
        with store.one_maker(folder / "build"):
            known = store.load(folder, "build", with_product(key, made), Build)
            if known is None:
                made.unlink(missing_ok=True)
                known = _built(solution, lab, compiler, folder, source)
                store.save(folder, "build", with_product(key, made), known)
    return Reference(made, known)


def changed_source(repository: Repository, lab: str) -> Path | None:
    """A source file of the lab's harness that is newer than the built harness; None if there is none."""
    own, made = repository.labs / lab, repository.harness(lab)
    sources = (*own.glob("harness.cpp"), *sorted(own.glob("*.hpp")))
    there = sources if made.exists() else ()
    return next((each for each in there if each.stat().st_mtime > made.stat().st_mtime), None)


def confirm(lab: Lab, reference: Reference, data: Path, runner: RunnerConfig, compiler: Compiler,
            key: str) -> None:  # fmt: skip
    """Run the solution on the lab's cases before a class is held against it; once for each `key`.

    InstructorError where it is not right, or where the harness is older than its source: one that no longer
    compiles would be used as it was.
    """
    if changed := changed_source(compiler.repository, lab.name):
        remedy = "type `make tools`, which says what does not compile"
        raise InstructorError("has changed since the harness was built", file=changed, remedy=remedy)
    if reference.fatbin is None:  # a students' copy has no solution
        return
    folder = reference.fatbin.parent

    def make() -> Confirmed:
        source = compiler.repository.solution(lab.name) / lab.files[0]
        wrong = _first_wrong(from_file(source, lab, "reference"), lab, reference, data, runner, compiler)
        if wrong is not None:
            raise InstructorError(
                f"the solution is not right: {wrong.name}: {wrong.sentence or wrong.status}", file=source,
                remedy=typed(f"check {lab.name} {source}"),
            )  # fmt: skip
        return Confirmed(tuple(case.name for case in lab.cases))

    store.kept(folder, "confirmed", key, Confirmed, make)


def _first_wrong(
    solution: Submission, lab: Lab, reference: Reference, data: Path, runner: RunnerConfig, compiler: Compiler
) -> CaseRun | None:
    assert reference.fatbin is not None
    if lab.kind is LabKind.PROGRAM:
        program = run_program(reference.build, reference.fatbin, solution, lab, runner, compiler, data)
        if all(case.status == "crash" for case in program.cases):  # no case began, as far as one can see
            source = compiler.repository.solution(lab.name) / lab.files[0]
            raise GraderError(
                f"no case of the solution ended: {program.cases[0].sentence}", file=source,
                remedy="type `make clean tools`, as the back end or the runtime of programs may be damaged; "
                f"then {typed(f'check {lab.name} {source}')}",
            )  # fmt: skip
        return next((case for case in program.cases if case.status != "pass"), None)
    job = HarnessJob(lab, reference.fatbin, data, ("--mode", "check"))
    report = harness.start(job, runner, solution)
    if not report.begun and not report.outcome.is_over_a_limit:
        raise harness.not_begun(report, job, runner)
    found = {finding.label: CaseRun(finding.label, "finding", finding.message) for finding in report.findings}
    cases = {case.name: case for case in report.cases}
    missing = "the process that runs it broke down"
    judged = (cases.get(case.name, CaseRun(case.name, "crash", missing)) for case in lab.cases)
    wrong = (case if case.status != "pass" else found.get(case.name) for case in judged)
    return next(filter(None, wrong), None)


def _built(solution: Submission, lab: Lab, compiler: Compiler, folder: Path, source: Path) -> Build:
    built = build_submission(solution, lab, compiler, folder)
    if built.status != BuildStatus.BUILT:
        line = next((message.line for message in built.diagnostics if message.line), None)
        raise InstructorError(
            f"the solution does not build: {built.summary}", file=source, line=line,
            remedy="correct it, or the header of labs/common/ that it includes",
        )  # fmt: skip
    return built
