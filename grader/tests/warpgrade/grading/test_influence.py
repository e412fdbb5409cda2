"""What a wrong result depends on is looked for where nothing else explains it, in any lab."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import fixture_course
from support.hand_ins import handed_in
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository, here
from warpgrade.course import lab
from warpgrade.feedback import mistakes
from warpgrade.grading import influence, pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.records import CaseRun, Influences, Launch, Result, Run, Visibility
from warpgrade.run import harness
from warpgrade.tables import nsight

pytestmark = pytest.mark.long


def graded(repository: Repository, name: str, text: str, folder: Path) -> Result:
    course_lab = lab.named(repository, name)
    session = prepare(repository, [course_lab], Options("emulator", practice=True))
    handed = handed_in.submission(course_lab, text, repository.labs / name)
    return pipeline.grade_one(handed, session.prepared_labs[0], folder, session)


def found_in(result: Result) -> dict[str, Influences]:
    cases = result.run.cases if result.run else ()
    return {case.name: case.wrong.influences for case in cases if case.wrong and case.wrong.influences}


def words_of(result: Result) -> str:
    cases = result.run.cases if result.run else ()
    wrong = next(case.wrong for case in cases if case.wrong and case.wrong.influences)
    return " ".join(doubt.words for doubt in mistakes.doubts(wrong, result))


def changed(repository: Repository, name: str, find: str, replacement: str) -> str:
    text = (repository.solution(name) / "kernel.cu").read_text(encoding="utf-8")
    assert text.count(find) == 1
    return text.replace(find, replacement)


def test_a_lab_of_an_instructors_own(tmp_path: Path) -> None:
    """The lab knows nothing of it: its make() draws, and computes what is right, in one go."""
    course = fixture_course.make(tmp_path / "course")
    text = changed(
        course, "30-stencil", "if (x > 0) sum += before[at - 1]", "if (x > 1) sum += before[at - 2]"
    )
    result = graded(course, "30-stencil", text, tmp_path)
    assert len(found_in(result)) == 1
    assert "needs elements of before[i - 1–i + 1][j - 1–j + 1][k - 1–k + 1]" in words_of(result)


def test_only_a_visible_case_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    start = harness.start

    def noted(job: harness.HarnessJob, *others: object) -> harness.HarnessReport:
        started.append(job.arguments)
        return start(job, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(harness, "start", noted)
    repository = here()
    text = changed(repository, "01-basic", "i < k", "i < k - i % 2")
    result = graded(repository, "01-basic", text, tmp_path / "wrong")
    tried = [each[each.index("--try") + 1] for each in started if "--try" in each]
    known = lab.named(repository, "01-basic")
    assert all(known.case(name).visibility is Visibility.VISIBLE for name in tried)
    assert set(found_in(result)) <= {
        case.name for case in known.cases if case.visibility is Visibility.VISIBLE
    }
    started.clear()
    right = (repository.solution("01-basic") / "kernel.cu").read_text(encoding="utf-8")
    graded(repository, "01-basic", right, tmp_path / "right")
    assert not any("influence" in each for each in started)


def test_a_harness_that_refuses_other_values_costs_nobody_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = harness.start

    def refusing(job: harness.HarnessJob, *others: object) -> harness.HarnessReport:
        if "influence" in job.arguments:
            raise GraderError("the harness refused")
        return start(job, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(harness, "start", refusing)
    text = changed(here(), "01-basic", "B[i * n + column]", "B[i * n + row % n]")
    result = graded(here(), "01-basic", text, tmp_path)
    assert result.status == "graded" and not found_in(result)


def test_a_case_that_would_take_too_long_is_not_looked_at() -> None:
    def runs(instructions: int) -> int:
        counters = {nsight.WARP_INSTRUCTIONS: instructions}
        launch = Launch("first", "kernel", (1,), (32,), counters)
        return influence._runs(CaseRun("first", "wrong_answer"), Run("emulator", launches=(launch,)))

    assert runs(1000) > runs(1_000_000) > runs(10_000_000)
    assert runs(10_000_000) < influence._FEWEST_RUNS
