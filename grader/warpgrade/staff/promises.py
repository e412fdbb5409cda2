"""What a lab promises of its own files: the solution earns everything, the skeleton its build points only,
and each mutant loses points for the reason that it states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from ..core import toml
from ..core.errors import InstructorError
from ..core.paths import text_hash, typed
from ..core.scratch import scratch_folder
from ..grading import pipeline
from ..grading.session import PreparedLab, Session
from ..records import Lab, Result, SourceFile, Submission, Verdict
from ..solution import planted_bugs
from ..solution.planted_bugs import PlantedBug


@dataclass(frozen=True)
class BrokenPromise:
    """A promise that is not kept. `file` is below the repository's root."""

    message: str
    file: str
    line: int | None
    remedy: str


@dataclass(frozen=True)
class _HandIn:
    """A file of the lab that is graded like a student's hand-in. `bug`: the row of a mutant."""

    what: str
    file: Path
    line: int | None
    text: str
    bug: PlantedBug | None = None


def broken(
    prepared: PreparedLab, session: Session, report: Callable[[int, int], None] | None = None
) -> tuple[BrokenPromise, ...]:
    """The promises that are not kept. `report(done, total)` is called after each hand-in is graded."""
    hand_ins = tuple(_hand_ins(prepared.lab, session))
    found: list[BrokenPromise] = []
    with scratch_folder(session.repository) as work, ThreadPoolExecutor(session.jobs) as pool:
        results = pool.map(lambda hand_in: _graded(hand_in, prepared, session, work), hand_ins)
        for done, (hand_in, result) in enumerate(zip(hand_ins, results, strict=True), 1):
            if message := _message(hand_in, result, prepared.lab):
                found.append(_broken(hand_in, message, result, prepared, session))
            if report:
                report(done, len(hand_ins))
    return tuple(found)


def up_to(case: str, item: Lab) -> Lab:
    """The lab with its cases up to this one. A mutant that fails this case need not run the later ones; the
    earlier ones may be needed, as they may leave behind what makes it fail, such as weights in constant
    memory.
    """
    return replace(item, cases=item.cases[: item.cases.index(item.case(case)) + 1])


def _hand_ins(item: Lab, session: Session) -> Iterator[_HandIn]:
    first, repository = item.files[0], session.repository
    solution, skeleton = repository.solution(item.name) / first, repository.labs / item.name / first
    text = solution.read_text(encoding="utf-8")
    yield _HandIn("solution", solution, None, text)
    yield _HandIn("skeleton", skeleton, None, skeleton.read_text(encoding="utf-8"))
    rows = solution.with_name("mutants.toml")
    written = rows.read_text(encoding="utf-8") if rows.is_file() else ""
    for number, bug in enumerate(planted_bugs.load(repository, item.name)):
        line = toml.line_of(written, ("mutant", number, "name"))
        if message := planted_bugs.unknown_name(bug, item):
            remedy = "name one of its cases or techniques"
            raise InstructorError(message, file=rows, line=line, remedy=remedy)
        changed = planted_bugs.applied(bug, text, str(solution))
        yield _HandIn(bug.name, rows, line, changed, bug)


def _graded(hand_in: _HandIn, prepared: PreparedLab, session: Session, work: Path) -> Result:
    """The result of the hand-in. A mutant that must fail a case runs only up to that
    case, and is not timed.
    """
    item, bug = prepared.lab, hand_in.bug
    folder = hand_in.file.parent
    there = (folder / name for name in item.files[1:] if (folder / name).is_file())
    others = (SourceFile(path.name, path.read_text(encoding="utf-8")) for path in there)
    files = (SourceFile(item.files[0], hand_in.text), *others)
    digest = text_hash(*(part for file in files for part in (file.name, file.text)))
    if bug and bug.case:
        prepared = replace(prepared, lab=up_to(bug.case, item))
        session = replace(session, compiler=replace(session.compiler, machine_code=False))
    submission = Submission(hand_in.what, item.name, item.files[0], files, digest)
    return pipeline.grade_one(submission, prepared, work / hand_in.what, session)


def _message(hand_in: _HandIn, result: Result, item: Lab) -> str:
    """How the result differs from the promise; "" if it does not."""
    score, bug = result.score, hand_in.bug
    if score is None or score.total is None or result.judgement is None:
        return f"cannot be graded: {result.problem.message if result.problem else result.status}"
    if bug is None:
        wanted = item.build_points if hand_in.what == "skeleton" else score.possible
        if score.total == wanted:
            return ""
        is_wrong = [part for part in score.parts if (part.earned != part.possible) == (score.total < wanted)]
        parts = "; ".join(
            f"{part.name} {part.earned:g} of {part.possible:g}: {part.sentence}"
            for part in is_wrong
            if part.kind != "build"
        )
        return f"the {hand_in.what} earns {score.total:g} points, not {wanted:g}: {parts}"
    verdicts = {case.name: case.verdict for case in result.judgement.cases}
    if not bug.technique:
        came = verdicts.get(bug.case, result.judgement.build)
        return (
            ""
            if came == bug.verdict
            else f"the mutant {bug.name!r} gets {came} in {bug.case}, not {bug.verdict}"
        )
    failed = [name for name, verdict in verdicts.items() if verdict is not Verdict.PASS]
    if failed or not verdicts:
        return f"the mutant {bug.name!r} is to lose a technique's points only, and fails {', '.join(failed)}"
    earned = next(part.earned for part in score.parts if part.name == bug.technique)
    return f"the mutant {bug.name!r} keeps {earned:g} points for {bug.technique}" if earned else ""


_REMEDIES = {
    "solution": "see the report: {check}",
    "skeleton": "let each case need something that students have to write, then see: {check}",
}


def _right_names(result: Result, prepared: PreparedLab) -> str:
    """What the solution must name where it names a fault wrongly; "" if it names all. No `check` shows it."""
    parts = result.score.parts if result.score else ()
    lost = {part.name for part in parts if part.kind == "fault" and part.earned < part.possible}
    wrong = [each for each in prepared.faults if each.key and f"{each.fault.name}-named" in lost]
    return "; ".join(
        f"in {each.fault.answers}, name {each.fault.name} by {each.key.verdict}, and line "
        f"{' or '.join(map(str, each.key.lines))} of {each.fault.file} as students get it"
        for each in wrong
        if each.key
    )


def _broken(
    hand_in: _HandIn, message: str, result: Result, prepared: PreparedLab, session: Session
) -> BrokenPromise:
    file = hand_in.file.relative_to(session.repository.root).as_posix()
    remedy = "correct the row, or add a case that shows the mistake"
    if result.problem:
        remedy = result.problem.remedy
    elif hand_in.bug is None:
        remedy = _REMEDIES[hand_in.what].format(check=typed(f"check {prepared.lab.name} {file}"))
        remedy = _right_names(result, prepared) or remedy
    return BrokenPromise(message, file, hand_in.line, remedy)
