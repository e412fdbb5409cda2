"""Outcomes of systematic mutants, with fake tools: a kernel "does" what its comments say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import InstructorError
from warpgrade.grading.session import Session
from warpgrade.run import harness
from warpgrade.staff import mutation_operators, mutation_test
from warpgrade.staff.mutation_operators import Mutant


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The arguments of each start of the harness."""
    seen: list[str] = []
    start = harness.start

    def noted(job: harness.HarnessJob, *rest: object) -> harness.HarnessReport:
        seen.append(" ".join(job.arguments))
        return start(job, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(harness, "start", noted)
    yield seen


def mutant(line: str) -> Mutant:
    """A mutant that behaves as the line says; text after a "|" is a comment only."""
    what, _, comment = line.partition("|")
    code = "" if what == "same" else f"int {what.replace(': ', '_')};\n"
    return Mutant("store", 1, GOOD, line, f"// {what}\n// {comment}\n{code}{GOOD}")


def of(session: Session, monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """The outcome of a mutant for each line, one after another."""
    made = tuple(map(mutant, lines))
    monkeypatch.setattr(mutation_operators, "mutants", lambda *_: made)
    return [
        outcome.outcome
        for outcome in mutation_test.outcomes(session.prepared_labs[0], replace(session, jobs=1))
    ]


def test_each_outcome(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = ("first: wrong", "second: race", "third: memory", "first: hang", "first: loads")
    assert of(session, monkeypatch, *lost) == ["lost points"] * len(lost)
    assert of(session, monkeypatch, "SYNTAX", "same", "nothing") == [
        "does not build",
        "same code",
        "survived",
    ]


def test_a_crash_of_the_harness_is_no_outcome(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of(session, monkeypatch, "first: crash") == ["withheld"]


def test_a_solution_without_full_points_is_named_with_what_to_type(session: Session) -> None:
    write(session.repository.solution(LAB) / "kernel.cu", f"// first: wrong\nint first_wrong;\n{GOOD}")
    with pytest.raises(InstructorError) as caught:
        mutation_test.outcomes(session.prepared_labs[0], session)
    assert str(caught.value.file) == f"solutions/{LAB}/kernel.cu"
    assert f"check {LAB} solutions/{LAB}/kernel.cu" in caught.value.remedy


def test_an_equivalent_mutant_needs_a_written_reason(session: Session) -> None:
    write(session.repository.solution(LAB) / "kernel.cu", f"x = y;\n{GOOD}")
    (outcome,) = mutation_test.outcomes(session.prepared_labs[0], session)
    assert (
        outcome.outcome == "survived"
        and outcome.mutant.after == ";"
        and mutation_test.unexplained((outcome,))
    )
    write(
        session.repository.solution(LAB) / "equivalents.toml",
        "[[equivalent]]\nline = 'x = y;'\nmutants = [';']\nreason = 'x is never read'\n",
    )
    (outcome,) = mutation_test.outcomes(session.prepared_labs[0], session)
    assert (outcome.outcome, outcome.reason) == (
        "equivalent",
        "x is never read",
    ) and not mutation_test.unexplained((outcome,))


def of_mutants(started: list[str]) -> list[str]:
    """The cases of each start that checks a mutant: the solution is given all at once."""
    cases = [words.partition("--subcase=")[2] for words in started if "--subcase" in words]
    return [names for names in cases if names != "first,second,third"]


def test_the_case_that_most_mutants_failed_runs_first(
    session: Session, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    of(session, monkeypatch, "third: wrong", "third: race")
    assert of_mutants(started) == ["first", "second,third", "third"]


def test_equal_code_is_judged_once(
    session: Session, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    assert of(session, monkeypatch, "first: wrong|once", "first: wrong|again") == ["lost points"] * 2
    assert of_mutants(started).count("first") == 1


def test_a_failed_case_is_cached_while_the_lab_has_it(
    session: Session, monkeypatch: pytest.MonkeyPatch, started: list[str]
) -> None:
    of(session, monkeypatch, "first: wrong")
    started.clear()
    assert of(session, monkeypatch, "first: wrong") == ["lost points"]
    assert not of_mutants(started)
    prepared = session.prepared_labs[0]
    other = replace(
        prepared,
        lab=replace(
            prepared.lab, cases=(replace(prepared.lab.cases[0], size=(5, 4, 4)), *prepared.lab.cases[1:])
        ),
    )
    assert of(replace(session, prepared_labs=(other,)), monkeypatch, "first: wrong") == ["lost points"]
    assert "first" in of_mutants(started)


def test_a_wrong_list_of_equivalents(session: Session) -> None:
    write(session.repository.solution(LAB) / "equivalents.toml", "[[equivalent]]\nline = 'x'\n")
    with pytest.raises(InstructorError, match=r"equivalents\.toml:1: .*lacks the key 'mutants'"):
        mutation_test.equivalents(session.repository, LAB)


def test_every_file_of_the_solution_is_changed(session: Session) -> None:
    """The imitated compiler reads the first file only: changes of the second leave the code the same."""
    folder = session.repository.solution(LAB)
    write(folder / "kernel.cu", f"x = y;\n{GOOD}")
    write(folder / "helper.cuh", "v = w;\n")
    prepared = session.prepared_labs[0]
    both = replace(prepared, lab=replace(prepared.lab, files=("kernel.cu", "helper.cuh")))
    found = mutation_test.outcomes(both, session)
    assert [(each.mutant.file, each.mutant.after, each.outcome) for each in found] == [
        ("kernel.cu", ";", "survived"),
        ("helper.cuh", ";", "same code"),
    ]
