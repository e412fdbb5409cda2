"""Mutation testing: does the grader notice each small mistake in a solution?

A mutant that still gets full points survives. Either a case is missing, or the mutant is equivalent to the
solution. A person reads the survivors and lists the equivalent ones in solutions/<lab>/equivalents.toml,
each with its reason:

    [[equivalent]]
    line = "for (int i = 0; i < TILE_WIDTH; ++i) sum += a[i] * b[i];"   # of the solution, stripped
    mutants = ["for (int i = 0; i != TILE_WIDTH; ++i) sum += a[i] * b[i];"]
    reason = "i goes up by one and meets the bound exactly"

Nearly all mutants fail a case, so the cases run first, and cheaply: only PTX is compiled, mutants with equal
PTX are judged once, and the case that most mutants have failed runs first. A mutant that passes all cases is
graded like a submission. build/mutants/ caches the failed case; the entry is valid while the lab has it.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from ..build.compiler import FATBIN, build, inputs
from ..build.emu import Emu
from ..core import store, toml
from ..core.errors import InstructorError
from ..core.paths import Repository, file_hash, text_hash, typed
from ..core.scratch import scratch_folder
from ..course import work
from ..grading import pipeline
from ..grading.session import PreparedLab, Session
from ..judge import verdict
from ..records import BuildStatus, Case, Lab, Result, SourceFile, Submission, Verdict
from ..run import harness
from ..run.harness import HarnessJob
from ..tables import nsight
from . import mutation_operators
from .mutation_operators import Mutant

MOST_UNEXPLAINED = 0.01  # of the mutants of a lab
_CODE = (".cu", ".cuh", ".h")
_STEP_FACTOR = 10  # a block may run so many times the solution's steps: many mutants never end
_LOST, _UNBUILT, _SAME = "lost points", "does not build", "same code"
_NOT_FAILED = (Verdict.PASS, Verdict.GRADER_ERROR)


@dataclass(frozen=True)
class MutantOutcome:
    """`outcome`: "lost points", "does not build", "same code", "equivalent", "survived" or "withheld"."""

    mutant: Mutant
    outcome: str
    reason: str = ""


@dataclass(frozen=True)
class Equivalent:
    """A row of equivalents.toml: turning `line` into one of `mutants` changes no
    result, for the same reason.
    """

    line: str
    mutants: tuple[str, ...]
    reason: str


_SCHEMA = {
    "description": "it holds tables [[equivalent]] with line, mutants and reason",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "equivalent": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": [column.name for column in fields(Equivalent)],
                "properties": {
                    "line": {"type": "string"},
                    "mutants": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                    "reason": {"type": "string"},
                },
            },
        }
    },
}


@dataclass(frozen=True)
class _Judged:
    """A cached outcome. `case`: the case that the mutant failed, if any."""

    outcome: str
    case: Case | None = None


def equivalents(repository: Repository, lab: str) -> tuple[Equivalent, ...]:
    """The lab's equivalent mutants; empty if it has no equivalents.toml."""
    file = repository.solution(lab) / "equivalents.toml"
    if not file.is_file():
        return ()
    rows = toml.load(file, _SCHEMA).data.get("equivalent", ())
    return tuple(Equivalent(row["line"], tuple(row["mutants"]), row["reason"]) for row in rows)


def outcomes(
    prepared: PreparedLab, session: Session, report: Callable[[int, int], None] | None = None
) -> tuple[MutantOutcome, ...]:
    """The outcome of every mutant. `report(done, total)` is called after each.

    Mutants change the lab's code only, so points for the names of faults do not count.
    """
    prepared = replace(prepared, lab=replace(prepared.lab, faults=()), faults=())
    files = _solution(session.repository, prepared.lab)
    first = prepared.lab.files[0]
    made = [
        mutant for file, marked in files.items()
        for mutant in mutation_operators.mutants(marked, prepared.lab, file)
    ]  # fmt: skip
    known = {
        (item.line, mutant): item.reason
        for item in equivalents(session.repository, prepared.lab.name)
        for mutant in item.mutants
    }
    with scratch_folder(session.repository) as work, ThreadPoolExecutor(session.jobs) as pool:
        judge = _MutantJudge(prepared, session, work, files)
        solution = judge.graded(files[first], "original")
        if not _is_full(solution):
            file = session.repository.solution(prepared.lab.name) / first
            where = file.relative_to(session.repository.root).as_posix()
            raise InstructorError(
                "the solution does not get full points",
                file=where,
                remedy=typed(f"check {prepared.lab.name} {where}"),
            )
        judge.steps = _step_limit(solution, prepared.lab)
        judge.solution = judge.code(files[first], "original")
        found = []
        for outcome in pool.map(lambda numbered: _outcome(judge, known, *numbered), enumerate(made)):
            found.append(outcome)
            if report:
                report(len(found), len(made))
    return tuple(found)


def _solution(repository: Repository, lab: Lab) -> dict[str, str]:
    """The text of each code file of the solution, by name. The first file is the one that is compiled."""
    folder = repository.solution(lab.name)
    code = (file for file in lab.files[1:] if file.endswith(_CODE))
    there = (lab.files[0], *(file for file in code if (folder / file).is_file()))
    return {file: (folder / file).read_text(encoding="utf-8") for file in there}


def unexplained(found: Sequence[MutantOutcome]) -> tuple[MutantOutcome, ...]:
    """Mutants that no case failed and no row of equivalents.toml explains."""
    return tuple(outcome for outcome in found if outcome.outcome in ("survived", "withheld"))


def _outcome(
    judge: _MutantJudge, known: dict[tuple[str, str], str], number: int, mutant: Mutant
) -> MutantOutcome:
    cached = judge.cached(mutant)
    if cached is not None:
        return MutantOutcome(mutant, cached.outcome)
    judged = judge.judge(mutant, f"mutant{number}")
    if isinstance(judged, str):
        return MutantOutcome(mutant, "withheld", judged)
    judge.cache(mutant, judged)
    if judged.outcome != "survived":
        return MutantOutcome(mutant, judged.outcome)
    reason = known.get((mutant.before, mutant.after), "")
    return MutantOutcome(mutant, "equivalent" if reason else "survived", reason)


@dataclass
class _MutantJudge:
    """Judges the mutants of one lab. Methods return a string in place of an outcome if a mutant cannot be
    judged; it says why.
    """

    prepared: PreparedLab
    session: Session
    work: Path
    files: dict[str, str]  # of the solution
    solution: int | None = None  # the code of the lab's solution
    steps: int = 0  # warp instructions that a block may run in a case
    _by_code: dict[int, Future[_Judged | str]] = field(default_factory=dict)
    _failures: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def judge(self, mutant: Mutant, name: str) -> _Judged | str:
        """Compile the mutant, and judge it unless another one has the same PTX."""
        code = self.code(mutant.text, name, mutant.file)
        if code is None:
            return _Judged(_UNBUILT)
        if code == self.solution:
            return _Judged(_SAME)
        with self._lock:
            first = code not in self._by_code
            waiting = self._by_code.setdefault(code, Future())
        if first:
            try:
                waiting.set_result(self._run(mutant, name))
            except BaseException as error:
                waiting.set_exception(error)
        return waiting.result()

    def code(self, text: str, name: str, file: str = "") -> int | None:
        """A hash of the compiled kernel, without line information; None if the text does not compile."""
        lab, compiler = self.prepared.lab, replace(self.session.compiler, machine_code=False)
        submission, folder = self._submission(text, name, file), self.work / name
        wanted = self.prepared.reference.build
        built = build(submission, lab, compiler, folder, wanted)
        if built.status != BuildStatus.BUILT:
            return None
        made = Emu(compiler.repository, compiler.sandbox).fingerprints([folder / FATBIN])[0]
        return made.code if made else None

    def graded(self, text: str, name: str, file: str = "") -> Result:
        submission = self._submission(text, name, file)
        return pipeline.grade_one(submission, self.prepared, self.work / name, self.session)

    def _submission(self, text: str, name: str, file: str) -> Submission:
        """The solution with `text` in place of one of its files, the first by default."""
        texts = self.files | {file or self.prepared.lab.files[0]: text}
        sources = tuple(SourceFile(*each) for each in texts.items())
        digest = text_hash(*(word for each in texts.items() for word in each))
        return Submission(name, self.prepared.lab.name, name, sources, digest)

    def _run(self, mutant: Mutant, name: str) -> _Judged | str:
        """Run the cases; grade the mutant like a submission if it passes all of them."""
        cases = self._in_order()
        for part in (cases[:1], cases[1:]):
            failed = self._failed(part, mutant, name) if part else None
            if failed is not None:
                with self._lock:
                    self._failures[failed.name] += 1
                return _Judged(_LOST, failed)
        result = self.graded(mutant.text, name, mutant.file)
        if result.score is None or result.score.total is None:
            return result.problem.message if result.problem else "no score"
        return _Judged("survived" if _is_full(result) else _LOST)

    def _in_order(self) -> list[Case]:
        """The cases in the order in which they run: those that most mutants have failed first, then those
        with the least work.
        """
        lab = self.prepared.lab
        return sorted(
            lab.cases, key=lambda case: (-self._failures[case.name], work.of(lab, case.size).counted)
        )

    def _failed(self, cases: Sequence[Case], mutant: Mutant, name: str) -> Case | None:
        """The first of these cases that the mutant fails."""
        lab = replace(self.prepared.lab, limits=replace(self.prepared.lab.limits, steps=self.steps))
        only = f"--subcase={','.join(case.name for case in cases)}"
        job = HarnessJob(lab, self.work / name / FATBIN, self.prepared.data, ("--mode", "check", only))
        report = harness.start(job, self.session.runner, self._submission(mutant.text, name, mutant.file))
        reported = {case.name: case for case in report.cases}
        for case in (case for case in cases if case.name in reported):
            findings = [finding for finding in report.findings if finding.label == case.name]
            if verdict.judge_case(reported[case.name], findings).verdict not in _NOT_FAILED:
                return case
        # A case that began but has no report timed out or crashed. Grading decides whose fault a crash is.
        begun = (case for case in cases if case.name in report.begun and case.name not in reported)
        return next(begun, None) if report.outcome.timed_out else None

    def cached(self, mutant: Mutant) -> _Judged | None:
        """The cached outcome; None if there is none or the lab's cases may change it."""
        judged = store.load(self._folder, _digest(mutant), self._key, _Judged)
        if judged is None or judged.outcome == "survived":
            return None
        # No case failed: the mutant lost points for speed or technique, which does not depend on the cases.
        return judged if judged.case is None or judged.case in self.prepared.lab.cases else None

    def cache(self, mutant: Mutant, judged: _Judged) -> None:
        store.save(self._folder, _digest(mutant), self._key, judged)

    @property
    def _folder(self) -> Path:
        return self.session.repository.root / "build" / "mutants" / self.prepared.lab.name

    @property
    def _key(self) -> str:
        """Hash of everything that an outcome depends on except the cases."""
        repository, lab = self.session.repository, self.prepared.lab
        tools = file_hash(repository.emulator, repository.harness(lab.name))
        about = (
            self.session.build_fingerprint,
            tools,
            self.session.setting.salt,
            repr(lab.limits),
            inputs(lab),
        )
        return text_hash(*about, repr(lab.techniques), repr(lab.performance))


def _digest(mutant: Mutant) -> str:
    return text_hash(mutant.file, mutant.text)[:24]


def _step_limit(solution: Result, lab: Lab) -> int:
    """Warp instructions that a block of a mutant may run in a case."""
    names = {case.name for case in lab.cases}
    launches = [launch for launch in (solution.run.launches if solution.run else ()) if launch.label in names]
    steps = (launch.counters.get(nsight.WARP_INSTRUCTIONS, 0) / math.prod(launch.grid) for launch in launches)
    most = round(_STEP_FACTOR * max(steps, default=0))
    return min(most or lab.limits.steps, lab.limits.steps)


def _is_full(result: Result) -> bool:
    return result.score is not None and result.score.total == result.score.possible
