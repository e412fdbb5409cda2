"""Faulty kernels that students name and repair: the key of each fault, and the verdict on a submission.

The key is never typed in. The original, labs/<lab>/<file>, runs on the emulator, and the lines of the finding
that explains its failure are the right ones, with the verdict that it gives the case. A file beside the lab's
first is built and run like a lab of its own that has one kernel, the fault's cases, and no time; a file that
is a whole program, like a lab of the kind `program`.

`check` never says whether a name is right, and of a failing case only the verdict: a student could otherwise
try one line after the other, or have the line printed. Naming is judged where a class is graded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..answers import fault_answers
from ..answers.fault_answers import FaultName
from ..build.compiler import Compiler, inputs
from ..build.kinds import build_submission
from ..core import formatting, store
from ..core.code_hash import code_hash
from ..core.errors import GraderError, InstructorError, SubmissionError
from ..core.paths import file_hash, need, need_harness, text_hash
from ..judge import verdict
from ..judge.causes.source_text import bare
from ..judge.finding_verdicts import causes, verdict_of
from ..records import (
    Build,
    BuildStatus,
    FaultVerdict,
    FaultyKernel,
    Finding,
    Judgement,
    Lab,
    LabKind,
    Run,
    SourceFile,
    Submission,
    Verdict,
)
from ..records.lab import UNTIMED
from ..run import datasets
from ..run.harness import RunnerConfig
from ..run.programs.program import run_program
from ..run.run import Reference, run
from ..solution import skeletons
from ..submission.admit import from_file

if TYPE_CHECKING:
    from .session import Session

_DIGITS = 16


@dataclass(frozen=True)
class FaultKey:
    """The lines of the original that count as a right name of the fault, and the verdict that the fault
    causes.
    """

    lines: tuple[int, ...]
    verdict: str

    def fits(self, name: FaultName) -> bool:
        return name.line in self.lines and name.verdict == self.verdict


@dataclass(frozen=True)
class PreparedFault:
    """`lab`: the lab as which the fault's file is graded. `key`: None if names are not judged. `given`: the
    lines of the file that students got, without comments; empty if that file is not known.
    """

    fault: FaultyKernel
    lab: Lab
    data: Path
    fingerprint: str
    key: FaultKey | None
    given: tuple[str, ...] = ()


def prepare(lab: Lab, compiler: Compiler, runner: RunnerConfig, of_tools: str, fresh: bool,
            practice: bool) -> tuple[PreparedFault, ...]:  # fmt: skip
    """The faults of a lab, ready to be judged. `of_tools`: hash of emulator and compiler. InstructorError if
    no finding explains a fault.
    """
    return tuple(_prepared(lab, fault, compiler, runner, of_tools, fresh, practice) for fault in lab.faults)


def _prepared(lab: Lab, fault: FaultyKernel, compiler: Compiler, runner: RunnerConfig, of_tools: str,
              fresh: bool, practice: bool) -> PreparedFault:  # fmt: skip
    own = replace(
        lab,
        kind=LabKind.PROGRAM if fault.program else lab.kind,
        files=(fault.file,),
        kernels=(fault.kernel,),
        cases=tuple(case for case in lab.cases if case.name in fault.cases),
        techniques=(),
        performance=UNTIMED,
        faults=(),
    )
    data = datasets.prepare(compiler.repository, own, runner.salt, fresh)
    of_harness = file_hash(need_harness(compiler.repository, lab.name))
    fingerprint = text_hash(of_tools, of_harness, repr(own.kernels), repr(own.limits), data.name)
    text = bare((skeletons.original(compiler.repository, lab.name, fault.file) or b"").decode("utf-8"))
    found = PreparedFault(fault, own, data, fingerprint, None, tuple(text.splitlines()))
    return found if practice else replace(found, key=_key(found, compiler, runner))


# --- the key -----------------------------------------------------------------------------------


def _key(prepared: PreparedFault, compiler: Compiler, runner: RunnerConfig) -> FaultKey:
    lab, file = prepared.lab, compiler.repository.labs / prepared.lab.name / prepared.fault.file
    original = from_file(need(file, "type `make skeletons`"), lab, "original")
    known = text_hash(prepared.fingerprint, original.hash, inputs(lab), code_hash(__name__))
    folder = compiler.repository.references / lab.name / f"fault-{prepared.fault.name}" / known[:_DIGITS]

    def make() -> FaultKey:
        built, ran = _built_and_run(original, prepared, compiler, runner, folder)
        key = key_of(ran.findings if ran else ())
        if key is None:
            why = "nothing that the emulator reports names its fault" if ran else built.summary
            remedy = "a fault is a race, a wrong access, or a barrier; it has to show in one of its cases"
            raise InstructorError(why, file=file, remedy=remedy)
        return key

    return store.kept(folder, "key", known, FaultKey, make)


def key_of(findings: tuple[Finding, ...]) -> FaultKey | None:
    """The lines of both sides of the findings that are not consequences of others; None if no such finding
    has a line.

    A barrier that some threads skip also causes races after it.
    """
    found = [finding for finding in causes(findings) if finding.severity == "error" and finding.place.line]
    if not found:
        return None
    first = min(found, key=lambda finding: finding.check != "barrier")
    alike = [finding for finding in found if verdict_of(finding) is verdict_of(first)]
    lines = {finding.place.line for finding in alike}
    lines |= {finding.other.line for finding in alike if finding.other and finding.other.line}
    return FaultKey(tuple(sorted(lines)), verdict_of(first).value.lower())


# --- a submission ------------------------------------------------------------------------------


def judge(
    submission: Submission, prepared: PreparedFault, judgement: Judgement, folder: Path, session: Session
) -> FaultVerdict:
    """`judgement`: on the lab's first file. `folder`: for the build and the run of the fault's file."""
    fault = prepared.fault
    if submission.files and fault.file == submission.files[0].name:
        repaired, sentence = _outcome(prepared, judgement)
    else:
        repaired, sentence = _repaired(submission, prepared, folder / f"fault-{fault.name}", session)
    named, naming = _named(submission, prepared)
    return FaultVerdict(fault.name, repaired, sentence, named, naming)


def copy(judged: Path, folder: Path, prepared: Sequence[PreparedFault]) -> None:
    """Copy the saved builds and runs of an equal submission's fault files from the folder `judged` to
    `folder`.

    Each record is saved with a key of all that it depends on, so an invalid copy is not used.
    """
    for each in prepared:
        for stage in ("build.json", "run.json"):
            file = Path(f"fault-{each.fault.name}", stage)
            if (judged / file).is_file():
                store.write_bytes(folder / file, (judged / file).read_bytes())


def _repaired(
    submission: Submission, prepared: PreparedFault, folder: Path, session: Session
) -> tuple[bool, str]:
    file = prepared.fault.file
    text = submission.source(file)
    if text is None:
        return False, f"{file} is not among the files that were handed in"
    own = Submission(submission.student, submission.lab, file, (SourceFile(file, text),), text_hash(text))
    key = text_hash(session.build_fingerprint, prepared.fingerprint, own.hash, inputs(prepared.lab))
    built, ran = store.load(folder, "build", key, Build), store.load(folder, "run", key, Run)
    if built is None or (ran is None and built.status is BuildStatus.BUILT):
        runner = replace(session.runner, on_case=None)  # `check` prints the lab's own cases only
        built, ran = _built_and_run(own, prepared, session.compiler, runner, folder)
        store.save(folder, "build", key, built)
        if ran is not None:
            store.save(folder, "run", key, ran)
    if built.status is not BuildStatus.BUILT:
        return False, f"{file} does not compile: {built.summary}"
    return _outcome(prepared, verdict.judge(built, ran, prepared.lab, session.gpu))


def _built_and_run(
    submission: Submission, prepared: PreparedFault, compiler: Compiler, runner: RunnerConfig, folder: Path
) -> tuple[Build, Run | None]:
    """Build and run the fault's file, always on the emulator: it is the strict judge, and nothing is timed,
    so the build has no machine code.
    """
    lab = prepared.lab
    built = build_submission(submission, lab, replace(compiler, machine_code=False), folder)
    if built.problem:
        raise GraderError(built.problem.message, remedy=built.problem.remedy)
    if built.status is not BuildStatus.BUILT:
        return built, None
    made = folder / built.fatbin
    if prepared.fault.program:
        ran = run_program(built, made, submission, lab, runner, compiler, prepared.data)
    else:
        ran = run(built, made, submission, lab, runner, Reference(None, built), prepared.data, "emulator")
    if ran.problem:
        raise GraderError(ran.problem.message, remedy=ran.problem.remedy)
    return built, ran


def _outcome(prepared: PreparedFault, judgement: Judgement) -> tuple[bool, str]:
    for case in judgement.cases:
        if case.name in prepared.fault.cases and case.verdict is not Verdict.PASS:
            return False, f"{case.name}: {formatting.SIGNS[case.verdict].words}"
    return True, ""


def _named(submission: Submission, prepared: PreparedFault) -> tuple[bool | None, str]:
    """None where a student checks: the sentence then says only whether the file can be read."""
    fault = prepared.fault
    try:
        text = submission.source(fault.answers)
        name = None if text is None else fault_answers.parse(text, fault.answers, fault.name)
    except SubmissionError as error:
        message, right = formatting.sentences(str(error), error.remedy), False
        return (None if prepared.key is None else right), message
    if prepared.key is None:
        found = "not named yet" if name is None else f"{fault.answers} can be read"
        if name is not None and (doubt := _without_code(name, prepared)):
            return None, doubt
        return None, f"{found}; you learn with your grade whether the name is right"
    if name is None:
        return False, f"not named in {fault.answers}"
    right = prepared.key.fits(name)
    return right, "" if right else f"line {name.line} with {name.verdict} is not what the emulator reports"


def _without_code(name: FaultName, prepared: PreparedFault) -> str:
    """Why a line with this number cannot be a fault; "" for a line of code."""
    given, file = prepared.given, prepared.fault.file
    if not given or any(line.strip() for line in given[name.line - 1 : name.line]):
        return ""
    if name.line > len(given):
        lines = formatting.amount(len(given), "line")
        why = f"has {lines} as you got it, so line {name.line} is behind its end"
    else:
        why = f"has no code in line {name.line} as you got it"
    return f"{file} {why}: count the lines of the file before you changed it"
