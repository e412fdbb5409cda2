"""One submission through all stages. Each saves its record; a saved record that is still valid is used."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

from ..answers.questions import QuestionFile
from ..answers.stages import mark_answers, read_answers
from ..build.compiler import inputs
from ..build.kinds import build_submission, product, with_product
from ..core import store
from ..core.concurrency import profiling
from ..core.errors import GraderError
from ..core.paths import text_hash
from ..judge import findings, score, verdict
from ..records import (
    Build,
    BuildStatus,
    Fault,
    JudgedFindings,
    Judgement,
    LabKind,
    Origin,
    Problem,
    Result,
    Run,
    StageRecords,
    Submission,
    Verdict,
)
from ..run.programs.gpu_run import on_gpu
from ..run.programs.program import run_program
from ..run.run import Emulated, emulate, measure, with_emulated_times
from ..sandbox import process
from . import faults, influence
from .session import PreparedLab, Session

WAITING = "waiting"  # status of a result that only a GPU can complete; no saved class holds one
_ATTEMPTS = 3  # an error of the grader may not occur the next time
_DIGITS = 16
_EMULATED = "emulated"  # a stage between build and run, kept until a GPU has gone on from it


def grade_one(submission: Submission, prepared: PreparedLab, folder: Path, session: Session) -> Result:
    """Grade one submission; each stage saves its record in `folder`.

    The submission is graded again if the grader, and not the submission, was at fault. Where times are taken
    elsewhere, a submission that a GPU must run has the status WAITING.
    """
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        try:
            result = _stages(submission, prepared, folder, session)
        except process.Stopped:
            raise
        except _NeedsGpu:
            return Result(prepared.lab.name, WAITING)
        except Exception as error:  # an error of the grader must not end a batch
            records = StageRecords(submission)
            result = Result(prepared.lab.name, "withheld", records, problem=_problem_of(error))
        if result.status != "withheld" or last:
            return replace(result, origin=origin(submission.hash, prepared, session))
    raise AssertionError("unreachable")


class _NeedsGpu(Exception):
    """Raised when everything that this machine can do about a submission is done and saved."""


def copy_stages(judged: Path, folder: Path, hash: str, prepared: PreparedLab, session: Session) -> None:
    """Copy build and run of an equal submission from the folder `judged` to `folder`."""
    if prepared.questions:
        return  # each student has values of her own
    of_build, of_run = _keys(hash, prepared, session)
    made = product(prepared.lab)
    of_build = with_product(of_build, judged / made)
    stages = (("build", of_build, Build), (_EMULATED, of_run, Emulated), ("run", of_run, Run))
    for stage, key, kind in stages if session.setting.device == "gpu" else (stages[0], stages[2]):
        record: object = store.load(judged, stage, key, kind)
        if record is None:
            continue
        if stage == "build" and (judged / made).is_file():
            mode = stat.S_IMODE((judged / made).stat().st_mode)
            store.write_bytes(folder / made, (judged / made).read_bytes(), mode)
        if store.load(folder, stage, key, kind) != record:
            store.save(folder, stage, key, record)
    faults.copy(judged, folder, prepared.faults)


def _stages(submission: Submission, prepared: PreparedLab, folder: Path, session: Session) -> Result:
    lab = prepared.lab
    if prepared.questions:
        built, ran = _marked(submission, prepared, prepared.questions, folder)
    else:
        built, ran = _built_and_run(submission, prepared, folder, session)
    with profiling.lap("verdict and score"):
        if ran is not None:
            ran = findings.judged(ran, submission, lab, session.gpu)
            store.save(folder, "findings", "", JudgedFindings(ran.findings))
        judgement = verdict.judge(built, ran, lab, session.gpu)
        if prepared.faults:
            found = (faults.judge(submission, each, judgement, folder, session) for each in prepared.faults)
            judgement = replace(judgement, faults=tuple(found))
        scored = score.score(judgement, lab)
    problem = ran.problem if ran else built.problem
    if scored.total is None or problem is not None:
        problem = problem or Problem(Fault.GRADER, _unexplained(judgement))
        scored = replace(scored, total=None)
    store.save(folder, "verdict", "", judgement)
    store.save(folder, "score", "", scored)
    status = "withheld" if scored.total is None else "graded"
    return Result(lab.name, status, StageRecords(submission, built, ran), judgement, scored, problem)


def _marked(
    submission: Submission, prepared: PreparedLab, questions: QuestionFile, folder: Path
) -> tuple[Build, Run | None]:
    """Marks the answers of a submission again each time, which is faster than validating a saved record."""
    built = read_answers(submission, prepared.lab)
    store.save(folder, "build", "", built)
    if built.status != BuildStatus.BUILT:
        return built, None
    ran = mark_answers(submission, prepared.lab, questions)
    store.save(folder, "run", "", ran)
    return built, ran


def _built_and_run(
    submission: Submission, prepared: PreparedLab, folder: Path, session: Session
) -> tuple[Build, Run | None]:
    of_build, of_run = _keys(submission.hash, prepared, session)
    built = _saved_build(submission, prepared, folder, session, of_build)
    if built.status != BuildStatus.BUILT:
        return built, None
    ran = store.load(folder, "run", of_run, Run)
    if ran is None:
        ran = _run(built, submission, prepared, folder, session, of_run)
        store.save(folder, "run", of_run if ran.problem is None else "", ran)
    (folder / f"{_EMULATED}.json").unlink(missing_ok=True)  # also beside a run that was copied here
    return built, ran


def _run(built: Build, submission: Submission, prepared: PreparedLab, folder: Path, session: Session,
         key: str) -> Run:  # fmt: skip
    """Run a submission that was built. Where times are taken elsewhere, _NeedsGpu once all else is saved."""
    lab, made, runner = prepared.lab, folder / product(prepared.lab), session.runner
    if session.setting.device != "gpu":
        emulated = _emulated(built, made, submission, prepared, session)
        return with_emulated_times(emulated.checked, emulated.watched)
    saved = store.load(folder, _EMULATED, key, Emulated)
    emulated = saved or _emulated(built, made, submission, prepared, session)
    if session.times_elsewhere:
        if saved is None:
            store.save(folder, _EMULATED, key, emulated)
        raise _NeedsGpu
    if lab.kind is LabKind.PROGRAM:
        return on_gpu(emulated.checked, made, lab, runner, prepared.reference.fatbin, prepared.data)
    return measure(emulated, made, submission, lab, runner, prepared.reference, prepared.data)


def _emulated(
    built: Build, made: Path, submission: Submission, prepared: PreparedLab, session: Session
) -> Emulated:
    """What the emulator reports about a submission; it is the same for every device."""
    lab, runner, data = prepared.lab, session.runner, prepared.data
    if lab.kind is LabKind.PROGRAM:
        return Emulated(run_program(built, made, submission, lab, runner, session.compiler, data))
    emulated = emulate(built, made, submission, lab, runner, prepared.reference, data, session.setting.device)
    checked = influence.traced(emulated.checked, built, made, submission, prepared, session)
    return replace(emulated, checked=checked)


def _keys(hash: str, prepared: PreparedLab, session: Session) -> tuple[str, str]:
    """Hashes of all inputs of a build and of a run."""
    of_build = text_hash(session.build_fingerprint, hash, inputs(prepared.lab))
    return of_build, text_hash(of_build, prepared.fingerprint)


def origin(hash: str, prepared: PreparedLab, session: Session) -> Origin:
    """All inputs of the result of a submission with that hash."""
    setting = session.setting
    return Origin(prepared.lab.hash, hash, setting.grader, setting.toolkit, setting.device_name, setting.salt,
                  prepared.fingerprint[:_DIGITS])  # fmt: skip


def _saved_build(
    submission: Submission, prepared: PreparedLab, folder: Path, session: Session, key: str
) -> Build:
    made = folder / product(prepared.lab)
    known = store.load(folder, "build", with_product(key, made), Build)
    if known is not None:
        return known
    made.unlink(missing_ok=True)
    built = build_submission(submission, prepared.lab, session.compiler, folder, prepared.reference.build)
    store.save(folder, "build", with_product(key, made), built)
    return built


def _unexplained(judgement: Judgement) -> str:
    case = next((case for case in judgement.cases if case.verdict == Verdict.GRADER_ERROR), None)
    return f"{case.name}: {case.sentence}" if case else "the build broke down"


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, GraderError):
        return error.problem()
    if isinstance(error, OSError):
        message, remedy = f"cannot be used: {error.strerror}", "free some disk space; grade again"
        return GraderError(message, file=error.filename, remedy=remedy).problem()
    return Problem(Fault.GRADER, f"{type(error).__name__}: {error}"[:300])
