"""The course's own promises, kept on the real tools: each solution earns everything, each skeleton
its build points only, each mutant loses points for the reason that it states.

Labs, solutions and mutants are found by listing folders. The first test of a lab grades all that the chosen
tests look at, on as many cores as there are. `make test` tries some of the mutants, `make test-course` all.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Iterator, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from support import sample
from support.hand_ins import handed_in
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, PreparedLab, prepare
from warpgrade.records import BuildStatus, LabKind, Result, Submission, Verdict
from warpgrade.solution import planted_bugs
from warpgrade.solution.planted_bugs import PlantedBug
from warpgrade.staff.lab_gaps.mutants import FEWEST
from warpgrade.staff.promises import up_to

pytestmark = pytest.mark.long

REPOSITORY = here()
# Labs of questions have tests of their own: answers/test_labs_of_questions.py.
LABS = {item.name: item for item in lab.find(REPOSITORY) if item.kind is not LabKind.ANSWERS}
Results = Callable[[str], dict[str, Result]]  # of a lab, by mutant


@dataclass(frozen=True)
class Mutant:
    """A lab's planted bug; `text` is the solution with the mistake in it."""

    lab: str
    bug: PlantedBug
    text: str


def solution(name: str) -> str:
    return (REPOSITORY.solution(name) / LABS[name].files[0]).read_text(encoding="utf-8")


@functools.cache
def mutants(name: str) -> tuple[Mutant, ...]:
    text = solution(name)
    return tuple(
        Mutant(name, bug, text.replace(bug.find, bug.replace)) for bug in planted_bugs.load(REPOSITORY, name)
    )


MUTANTS = [mutant for name in LABS for mutant in mutants(name)]


def kernels(name: str, wanted: Set[str]) -> Iterator[tuple[str, str, str]]:
    """What it is, its source, and the last case that it is given; "": it is given all."""
    yield "solution", solution(name), ""
    yield "skeleton", (REPOSITORY.labs / name / LABS[name].files[0]).read_text(encoding="utf-8"), ""
    for mutant in mutants(name):
        if mutant.bug.name in wanted:
            yield mutant.bug.name, mutant.text, mutant.bug.case


@pytest.fixture(scope="module")
def chosen(request: pytest.FixtureRequest) -> dict[str, set[str]]:
    """Lab → those of its mutants that a chosen test looks at."""
    found: dict[str, set[str]] = {name: set() for name in LABS}
    for (mutant,) in sample.chosen(request, "mutant"):
        found[mutant.lab].add(mutant.bug.name)
    return found


@pytest.fixture(scope="module")
def results(chosen: dict[str, set[str]]) -> Iterator[Results]:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        @functools.cache
        def of_lab(name: str) -> dict[str, Result]:
            session = prepare(REPOSITORY, [LABS[name]], Options("emulator"))
            (prepared,) = session.prepared_labs
            # Machine code says how long a kernel takes: a mutant that fails a case is not timed.
            untimed = replace(session, compiler=replace(session.compiler, machine_code=False))

            def graded(kernel: tuple[str, str, str]) -> tuple[str, Result]:
                what, text, case = kernel
                given = replace(prepared, lab=up_to(case, prepared.lab)) if case else prepared
                submission = handed(given, what, text)
                own = untimed if case else session
                return what, pipeline.grade_one(submission, given, Path(folder) / name / what, own)

            return dict(pool.map(graded, kernels(name, chosen[name])))

        yield of_lab


def handed(prepared: PreparedLab, what: str, text: str) -> Submission:
    """A submission of `text`, with the other files of the solution or, for a skeleton, of students."""
    name = prepared.lab.name
    folder = REPOSITORY.labs / name if what == "skeleton" else REPOSITORY.solution(name)
    return handed_in.submission(prepared.lab, text, folder)


def described(result: Result) -> str:
    """What a failing test shows."""
    assert result.score is not None
    return "\n".join(
        f"{p.kind} {p.name}: {p.earned} of {p.possible}: {p.sentence}" for p in result.score.parts
    )


@pytest.mark.parametrize("name", LABS)
def test_the_solution_earns_everything(name: str, results: Results) -> None:
    result = results(name)["solution"]
    assert result.status == "graded", result.problem
    assert result.score is not None and result.score.total == 100, described(result)
    assert result.run is not None and not result.run.findings


@pytest.mark.parametrize("name", LABS)
def test_the_skeleton_earns_its_build_points(name: str, results: Results) -> None:
    result = results(name)["skeleton"]
    assert result.build is not None and result.build.status == BuildStatus.BUILT
    assert result.score is not None and result.score.total == LABS[name].build_points, described(result)
    assert result.judgement is not None
    allowed = {Verdict.WRONG_ANSWER, Verdict.MEMORY}
    if LABS[name].kind is LabKind.DEBUG:
        allowed |= {Verdict.RACE, Verdict.BARRIER}  # its faults
    assert {case.verdict for case in result.judgement.cases} <= allowed, "it runs without crashing"


@pytest.mark.parametrize(
    "mutant",
    sample.sampled_by(map(mutants, LABS), one_in=24),
    ids=lambda mutant: f"{mutant.lab}-{mutant.bug.name}",
)
def test_the_mutant_loses_points_for_its_reason(mutant: Mutant, results: Results) -> None:
    assert solution(mutant.lab).count(mutant.bug.find) == 1, "the mutant does not apply to the text any more"
    result = results(mutant.lab)[mutant.bug.name]
    assert result.status == "graded", result.problem
    assert result.score is not None and result.score.total is not None
    assert result.score.total < 100, "it survives"
    assert result.judgement is not None and result.judgement.build == BuildStatus.BUILT, described(result)
    verdicts = {case.name: case.verdict for case in result.judgement.cases}
    if mutant.bug.technique:
        assert set(verdicts.values()) == {Verdict.PASS}, described(result)
        part = next(part for part in result.score.parts if part.name == mutant.bug.technique)
        assert part.kind == "technique" and part.earned == 0, described(result)
    else:
        assert verdicts[mutant.bug.case] == mutant.bug.verdict, described(result)


@pytest.mark.parametrize("name", LABS)
def test_there_are_enough_mutants(name: str) -> None:
    found = mutants(name)
    assert len(found) >= FEWEST and len({mutant.bug.name for mutant in found}) == len(found)
    assert all(mutant.bug.reason.strip() for mutant in found)


def test_mutants_name_cases_that_there_are() -> None:
    named = {(mutant.lab, mutant.bug.case) for mutant in MUTANTS if mutant.bug.case}
    known = {(name, case.name) for name, item in LABS.items() for case in item.cases}
    assert named <= known


def test_a_finding_costs_the_same_in_every_lab_of_kernels() -> None:
    """A variable without a value, say: what one lab only warns of costs nothing in another one either."""
    costs: dict[str, set[float]] = {}
    labs = [item for item in LABS.values() if item.kind is LabKind.KERNELS]
    for code in {deduction.code for item in labs for deduction in item.deductions}:
        costs[code] = {
            sum(deduction.points for deduction in item.deductions if deduction.code == code) for item in labs
        }
    assert len(labs) > 10 and {code: cost for code, cost in costs.items() if len(cost) > 1} == {}
