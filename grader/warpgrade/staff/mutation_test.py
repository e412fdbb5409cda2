"""What becomes of each mutant of a solution: does the grader notice each small mistake?

A mutant that still gets full points is a survivor: a case that is missing, or a change that changes
nothing. A person reads survivors and lists the latter in solutions/<lab>/equivalents.toml, each with
its reason:

    [[equivalent]]
    line = "for (int i = 0; i < TILE_WIDTH; ++i) sum += a[i] * b[i];"   # the solution's, trimmed
    mutant = "for (int i = 0; i != TILE_WIDTH; ++i) sum += a[i] * b[i];"
    reason = "i goes up by one and meets the bound exactly"

Nearly all mutants fail some case, so that is tried first, and cheaply: PTX alone is made, equal PTX is
judged once, and the case that has failed most of them goes before the others. Who fails none is graded
as a submission is. Which case a mutant has failed is kept in build/mutants/ and holds while the case stays.
"""

from __future__ import annotations

import math
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..build import ptx
from ..build.compiler import FATBIN, build
from ..core import store
from ..core.errors import InstructorError
from ..core.paths import Repository, file_hash, text_hash
from ..core.scratch import scratch_folder
from ..grading import batch
from ..grading.session import PreparedLab, Session
from ..judge import verdict
from ..records import BuildStatus, Case, Lab, Result, SourceFile, Submission, Verdict
from ..run import harness
from ..run.harness import HarnessJob
from . import mutation_operators
from .mutation_operators import Mutant

MOST_UNEXPLAINED = 0.01  # of the mutants of a lab
_TIMES_AS_LONG = 10  # as the solution a block may run in a case: many mutants never end
_STEPS = "smsp__inst_executed.sum"
_LOST, _UNBUILT, _SAME = "lost points", "does not build", "same code"
_OURS = (Verdict.PASS, Verdict.GRADER_ERROR)  # no case that the mutant has failed


@dataclass(frozen=True)
class MutantOutcome:
    """`outcome`: "lost points", "does not build", "same code", "equivalent", "survived" or "withheld"."""

    mutant: Mutant
    outcome: str
    reason: str = ""


@dataclass(frozen=True)
class Equivalent:
    line: str
    mutant: str
    reason: str


@dataclass(frozen=True)
class _End:
    """What is kept of a mutant. `case`: the one that it has failed."""

    outcome: str
    case: Case | None = None


def equivalents(repository: Repository, lab: str) -> tuple[Equivalent, ...]:
    """What a person has read and found to change nothing; empty where there is no such file."""
    file = repository.solution(lab) / "equivalents.toml"
    if not file.is_file():
        return ()
    try:
        rows = tomllib.loads(file.read_text(encoding="utf-8")).get("equivalent", [])
        return tuple(Equivalent(**row) for row in rows)
    except (tomllib.TOMLDecodeError, TypeError) as error:
        remedy = "it holds tables [[equivalent]] with line, mutant and reason"
        raise InstructorError(str(error), file=file, remedy=remedy) from None


def outcomes(
    prepared: PreparedLab, session: Session, tell: Callable[[int, int], None] | None = None
) -> tuple[MutantOutcome, ...]:
    """Every mutant of the lab's solution, judged. `tell` hears how many of how many are done."""
    file = prepared.lab.files[0]
    marked = (session.repository.solution(prepared.lab.name) / file).read_text(encoding="utf-8")
    made = mutation_operators.mutants(marked)
    known = {
        (item.line, item.mutant): item.reason for item in equivalents(session.repository, prepared.lab.name)
    }
    with scratch_folder(session.repository) as work, ThreadPoolExecutor(session.jobs) as pool:
        judge = _MutantJudge(prepared, session, work)
        solution = judge.graded(marked, "original")
        if not _is_full(solution):
            raise InstructorError("the solution does not get full points", file=file)
        judge.steps = _patience(solution, prepared.lab)
        judge.solution = judge.code(marked, "original") or ""
        found = []
        for outcome in pool.map(lambda numbered: _outcome(judge, known, *numbered), enumerate(made)):
            found.append(outcome)
            if tell:
                tell(len(found), len(made))
    return tuple(found)


def unexplained(found: Sequence[MutantOutcome]) -> tuple[MutantOutcome, ...]:
    return tuple(outcome for outcome in found if outcome.outcome in ("survived", "withheld"))


def _outcome(
    judge: _MutantJudge, known: dict[tuple[str, str], str], number: int, mutant: Mutant
) -> MutantOutcome:
    kept = judge.kept(mutant)
    if kept is not None:
        return MutantOutcome(mutant, kept.outcome)
    end = judge.judged(mutant, f"mutant{number}")
    if isinstance(end, str):
        return MutantOutcome(mutant, "withheld", end)
    judge.keep(mutant, end)
    if end.outcome != "survived":
        return MutantOutcome(mutant, end.outcome)
    reason = known.get((mutant.before, mutant.after), "")
    return MutantOutcome(mutant, "equivalent" if reason else "survived", reason)


@dataclass
class _MutantJudge:
    """Judges mutants; a string in place of an end says why one cannot be judged."""

    prepared: PreparedLab
    session: Session
    work: Path
    solution: str = ""  # its PTX
    steps: int = 0  # warp instructions that a block may take in a case
    _ends: dict[str, Future[_End | str]] = field(default_factory=dict)
    _fails: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def judged(self, mutant: Mutant, name: str) -> _End | str:
        code = self.code(mutant.text, name)
        if code is None:
            return _End(_UNBUILT)
        if code == self.solution:
            return _End(_SAME)
        with self._lock:
            first = code not in self._ends
            waiting = self._ends.setdefault(code, Future())
        if first:
            try:
                waiting.set_result(self._tried(mutant, name))
            except BaseException as error:
                waiting.set_exception(error)
        return waiting.result()

    def code(self, text: str, name: str) -> str | None:
        """Its PTX without what says where lines stand; None where it does not build."""
        lab, compiler = self.prepared.lab, self.session.compiler
        submission, folder = self._submission(text, name), self.work / name
        wanted = self.prepared.reference.build.parameters
        built = build(submission, lab, compiler, folder, wanted, machine_code=False)
        return _code(folder / FATBIN) if built.status == BuildStatus.BUILT else None

    def graded(self, text: str, name: str) -> Result:
        return batch.grade_one(self._submission(text, name), self.prepared, self.work / name, self.session)

    def _submission(self, text: str, name: str) -> Submission:
        source = SourceFile(self.prepared.lab.files[0], text)
        return Submission(name, self.prepared.lab.name, name, (source,), text_hash(source.name, text))

    def _tried(self, mutant: Mutant, name: str) -> _End | str:
        cases = self._in_order()
        for some in (cases[:1], cases[1:]):
            failed = self._failed(some, mutant, name) if some else None
            if failed is not None:
                with self._lock:
                    self._fails[failed.name] += 1
                return _End(_LOST, failed)
        result = self.graded(mutant.text, name)
        if result.score is None or result.score.total is None:
            return result.problem.message if result.problem else "no score"
        return _End("survived" if _is_full(result) else _LOST)

    def _in_order(self) -> list[Case]:
        """The case that most have failed first; at the beginning, the one with the least work."""
        return sorted(
            self.prepared.lab.cases, key=lambda case: (-self._fails[case.name], case.m * case.n * case.k)
        )

    def _failed(self, cases: Sequence[Case], mutant: Mutant, name: str) -> Case | None:
        """The first of these cases that it fails."""
        lab = replace(self.prepared.lab, limits=replace(self.prepared.lab.limits, steps=self.steps))
        only = f"--subcase={','.join(case.name for case in cases)}"
        job = HarnessJob(lab, self.work / name / FATBIN, self.prepared.data, ("--mode", "check", only))
        report = harness.start(job, self.session.runner, self._submission(mutant.text, name))
        told = {case.name: case for case in report.cases}
        for case in (case for case in cases if case.name in told):
            findings = [finding for finding in report.findings if finding.label == case.name]
            if verdict.judge_case(told[case.name], findings).verdict not in _OURS:
                return case
        # It ran out of time, or broke down: whose fault the latter is, grading finds out.
        begun = (case for case in cases if case.name in report.begun and case.name not in told)
        return next(begun, None) if report.outcome.timed_out else None

    def kept(self, mutant: Mutant) -> _End | None:
        """How it ended before; what may end otherwise by now is judged again."""
        end = store.load(self._folder, _digest(mutant), self._key, _End)
        if end is None or end.outcome == "survived":
            return None
        # Whatever passed every case and lost points for speed or technique loses some with other cases, too.
        return end if end.case is None or end.case in self.prepared.lab.cases else None

    def keep(self, mutant: Mutant, end: _End) -> None:
        store.save(self._folder, _digest(mutant), self._key, end)

    @property
    def _folder(self) -> Path:
        return self.session.repository.root / "build" / "mutants" / self.prepared.lab.name

    @property
    def _key(self) -> str:
        """Of all that decides, beside the cases."""
        repository, lab = self.session.repository, self.prepared.lab
        tools = file_hash(repository.emulator, repository.harness(lab.name))
        about = (
            self.session.build_fingerprint,
            tools,
            self.session.setting.salt,
            repr(lab.limits),
            lab.kernel,
        )
        return text_hash(*about, repr(lab.compilation), repr(lab.techniques), repr(lab.performance))


def _digest(mutant: Mutant) -> str:
    return text_hash(mutant.text)[:24]


def _patience(solution: Result, lab: Lab) -> int:
    names = {case.name for case in lab.cases}
    launches = [launch for launch in (solution.run.launches if solution.run else ()) if launch.label in names]
    steps = (launch.counters.get(_STEPS, 0) / math.prod(launch.grid) for launch in launches)
    most = round(_TIMES_AS_LONG * max(steps, default=0))
    return min(most or lab.limits.steps, lab.limits.steps)


def _is_full(result: Result) -> bool:
    return result.score is not None and result.score.total == result.score.possible


def _code(fatbin: Path) -> str:
    """The PTX in it without what says where lines stand."""
    lines = ptx.packed(fatbin.read_bytes()).partition(".section")[0].splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith((".loc", ".file", "//")))
