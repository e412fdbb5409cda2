"""A class: every entry ends in the results, nothing is done twice, the bytes are the same."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import GOOD, LAB, hand_in, stages, write
from warpgrade.cli import class_output
from warpgrade.core.concurrency import ceiling
from warpgrade.core.errors import GraderError, UsageError
from warpgrade.export import results
from warpgrade.grading import batch, saved_grades
from warpgrade.grading.progress import Pace
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.judge import findings
from warpgrade.records import Grades, Student, Verdict
from warpgrade.report import html
from warpgrade.run import harness
from warpgrade.sandbox import process
from warpgrade.submission import downloads


@pytest.fixture
def klass(class_folder: Path) -> Path:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "second: wrong")
    hand_in(class_folder, "carol", "third: race")
    hand_in(class_folder, "dan", "SYNTAX")
    write(class_folder / "eve.cu", GOOD)
    write(class_folder / "frank.zip", "no archive")
    write(class_folder / "notes.txt", "hello")
    write(class_folder / "grace" / "kernel.txt", "wrong suffix")
    hand_in(class_folder / "heidi" / "a", "")
    hand_in(class_folder / "heidi" / "b", "")
    write(class_folder / ".DS_Store", "")
    return class_folder


def graded(klass: Path, session: Session, out: str = "grades") -> Grades:
    return batch.grade_class(downloads.read(klass), session.repository.root / out, session)


def student(grades: Grades, id: str) -> Student:
    return next(student for student in grades.students if student.id == id)


def total(grades: Grades, id: str) -> float | None:
    score = student(grades, id).results[0].score
    return score.total if score else None


def test_every_entry_is_in_the_results(klass: Path, session: Session) -> None:
    grades = graded(klass, session)
    ids = [student.id for student in grades.students]
    assert ids == ["alice", "bob", "carol", "dan", "eve", "frank", "grace", "heidi", "notes-txt"]
    totals = {id: total(grades, id) for id in ("alice", "bob", "carol", "dan", "eve")}
    assert totals == {"alice": 100, "bob": 60, "carol": 60, "dan": 0, "eve": 100}
    for id in ("frank", "grace", "notes-txt"):
        problem = student(grades, id).problem
        assert problem is not None and problem.fault == "submission" and problem.remedy
    assert grades.notes == ("ignored .DS_Store",)


def test_what_is_ambiguous_is_refused(klass: Path, session: Session) -> None:
    result = student(graded(klass, session), "heidi").results[0]
    assert result.status == "refused" and result.score is not None and result.score.total == 0
    assert result.problem is not None and "which one is meant" in result.problem.message


def test_a_second_time_nothing_is_run(klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    first = results.results_json(graded(klass, session))

    run, started = process.run, list[str]()

    def noted(command: Any, box: Any, limits: Any, kind: str = "bwrap", called: str = "") -> Any:
        started.append(called)
        return run(command, box, limits, kind, called)

    monkeypatch.setattr(process, "run", noted)
    assert results.results_json(graded(klass, session)) == first
    assert set(started) == {"read an archive"}, "what was handed in is read again, and nothing else"


def test_only_what_is_missing_is_done_again(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = results.results_json(graded(klass, session))
    shutil.rmtree(session.repository.root / "grades" / "bob")
    started: list[str] = []
    start = harness.start

    def watched(job: Any, runner: Any, submission: Any) -> Any:
        started.append(submission.student)
        return start(job, runner, submission)

    monkeypatch.setattr(harness, "start", watched)
    assert results.results_json(graded(klass, session)) == first
    assert set(started) == {"bob"}


def test_a_changed_submission_is_graded_again(klass: Path, session: Session) -> None:
    graded(klass, session)
    hand_in(klass, "bob")
    assert total(graded(klass, session), "bob") == 100
    hand_in(klass, "bob", "SYNTAX")
    assert total(graded(klass, session), "bob") == 0


def test_new_points_need_no_new_run(klass: Path, session: Session) -> None:
    graded(klass, session)
    prepared = session.prepared_labs[0]
    cheaper = replace(prepared, lab=replace(prepared.lab, build_points=5.0))
    assert total(graded(klass, replace(session, prepared_labs=(cheaper,))), "alice") == 95


def test_one_worker_or_several_write_the_same_bytes(klass: Path, session: Session) -> None:
    one = results.results_json(graded(klass, replace(session, jobs=1), "one"))
    four = results.results_json(graded(klass, replace(session, jobs=4), "four"))
    assert one == four


@pytest.mark.parametrize("left", [b"", b"half of it", None])
def test_a_damaged_fat_binary_is_built_again(klass: Path, session: Session, left: bytes | None) -> None:
    first = results.results_json(graded(klass, session))
    made = stages(session.repository.root / "grades", "alice") / "kernel.fatbin"
    whole = made.read_bytes()
    made.unlink() if left is None else made.write_bytes(left)
    (made.parent / "run.json").unlink()
    assert results.results_json(graded(klass, session)) == first
    assert made.read_bytes() == whole


def test_a_damaged_reference_is_built_again(session: Session) -> None:
    fatbin = session.prepared_labs[0].reference.fatbin
    assert fatbin is not None
    whole = fatbin.read_bytes()
    fatbin.write_bytes(whole[:10])
    prepare(session.repository, session.labs, Options("emulator", "none"))
    assert fatbin.read_bytes() == whole


def test_what_is_loaded_is_what_was_graded(klass: Path, session: Session) -> None:
    grades = graded(klass, session)
    loaded = saved_grades.load(session.repository.root / "grades")
    assert loaded == grades and results.results_json(loaded) == results.results_json(grades)
    with pytest.raises(UsageError, match="no saved grades"):
        saved_grades.load(session.repository.root / "elsewhere")


def test_a_crash_of_ours_withholds_one_score_only(klass: Path, session: Session) -> None:
    hand_in(klass, "bob", "second: crash")
    grades = graded(klass, session)
    bob = student(grades, "bob").results[0]
    assert bob.status == "withheld" and bob.score is not None and bob.score.total is None
    assert bob.problem is not None and bob.problem.fault == "grader"
    assert total(grades, "alice") == 100
    assert saved_grades.load(session.repository.root / "grades") == grades
    hand_in(klass, "bob")
    assert total(graded(klass, session), "bob") == 100


def test_a_fault_of_ours_that_passes_is_not_seen(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = harness.start
    calls: dict[str, int] = {}

    def failing_twice(job: Any, runner: Any, submission: Any) -> Any:
        calls[submission.student] = calls.get(submission.student, 0) + 1
        if calls[submission.student] <= 2:
            raise GraderError("the device is gone")
        return start(job, runner, submission)

    monkeypatch.setattr(harness, "start", failing_twice)
    assert total(graded(klass, session), "alice") == 100


def test_a_fault_of_ours_that_stays(klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise GraderError("the device is gone")

    monkeypatch.setattr(harness, "start", failing)
    grades = graded(klass, session)
    alice = student(grades, "alice").results[0]
    assert alice.status == "withheld" and alice.problem is not None and "gone" in alice.problem.message
    assert total(grades, "dan") == 0, "what needs no device is graded"


def test_verdicts_are_saved_beside_the_scores(klass: Path, session: Session) -> None:
    graded(klass, session)
    folder = stages(session.repository.root / "grades", "bob")
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "submission.json",
        "build.json",
        "kernel.fatbin",
        "run.json",
        "findings.json",
        "verdict.json",
        "score.json",
    }
    assert Verdict.WRONG_ANSWER in (folder / "verdict.json").read_text()


def test_stopped_in_the_middle_the_next_run_ends_it(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = results.results_json(graded(klass, session, "undisturbed"))

    def interrupt(pace: Pace) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.grade_class(downloads.read(klass), session.repository.root / "grades", session, interrupt)
    process.resume()
    assert results.results_json(graded(klass, session)) == whole


def test_several_labs(klass: Path, session: Session) -> None:
    other = session.repository.labs / "08-other"
    shutil.copytree(session.repository.labs / LAB, other)
    shutil.copytree(session.repository.solution(LAB), session.repository.solution("08-other"))
    shutil.copyfile(session.repository.harness(LAB), session.repository.harness("08-other"))
    session.repository.harness("08-other").chmod(0o755)
    labs = [*session.labs, replace(session.labs[0], name="08-other")]
    both = prepare(session.repository, labs, Options("emulator", "none"))
    grades = graded(klass, both)
    assert [result.lab for result in student(grades, "alice").results] == [LAB]
    problem = student(grades, "eve").problem
    assert problem is not None and "nothing in it fits" in problem.message


def test_equal_submissions_are_judged_once(
    class_folder: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("alice", "bob", "carol"):
        hand_in(class_folder, name, "second: wrong")
    hand_in(class_folder, "dan")
    alone = results.results_json(graded(class_folder, replace(session, jobs=1), "alone"))
    started: list[str] = []
    start = harness.start

    def watched(job: Any, runner: Any, submission: Any) -> Any:
        started.append(submission.hash)
        return start(job, runner, submission)

    monkeypatch.setattr(harness, "start", watched)
    grades = graded(class_folder, session)
    assert [total(grades, id) for id in ("alice", "bob", "carol", "dan")] == [60, 60, 60, 100]
    wrong = [hash for hash in started if started.count(hash) == 1]
    assert len(set(started)) == 2 and len(wrong) == 1, "the wrong one is checked once, not three times"
    assert results.results_json(grades) == alone
    out = session.repository.root / "grades"
    texts = {(stages(out, name) / "run.json").read_text() for name in ("alice", "bob", "carol")}
    assert len(texts) == 1
    submission = student(grades, "carol").results[0].submission
    assert submission is not None and submission.student == "carol"


def test_a_changed_copy_leaves_its_twins_alone(class_folder: Path, session: Session) -> None:
    for name in ("alice", "bob"):
        hand_in(class_folder, name)
    graded(class_folder, session)
    hand_in(class_folder, "alice", "SYNTAX")
    grades = graded(class_folder, session)
    assert [total(grades, id) for id in ("alice", "bob")] == [0, 100]


def test_a_mistake_of_ours_does_not_end_the_batch(
    klass: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = harness.start

    def broken(job: Any, runner: Any, submission: Any) -> Any:
        if submission.student == "alice":
            raise ZeroDivisionError("a slip")
        return start(job, runner, submission)

    hand_in(klass, "alice", "unlike the others")
    monkeypatch.setattr(harness, "start", broken)
    grades = graded(klass, session)
    alice = student(grades, "alice").results[0]
    assert alice.status == "withheld" and alice.problem is not None
    assert alice.problem.fault == "grader" and "a slip" in alice.problem.message
    assert total(grades, "bob") == 60


def test_every_result_says_what_it_was_made_with(klass: Path, session: Session) -> None:
    grades = graded(klass, session)
    made = student(grades, "alice").results[0].origin
    assert made is not None and made.lab == session.labs[0].hash and made.grader == grades.setting.grader
    assert made.seed == session.setting.salt and made.toolkit == "13.0.88" and made.device and made.tools
    other = student(grades, "bob").results[0].origin
    assert other is not None and other.submission != made.submission


def test_a_submission_that_takes_the_grader_too_long(
    class_folder: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets a page that says so, and the batch continues: no thread is stuck, no score withheld."""
    hand_in(class_folder, "alice")
    hand_in(class_folder, "eve", "endless")
    judged = findings.judged

    def slow(ran: Any, submission: Any, *others: Any) -> Any:
        while submission.student == "eve":
            pass
        return judged(ran, submission, *others)

    monkeypatch.setattr(findings, "judged", slow)
    monkeypatch.setattr(ceiling, "SECONDS", 2.0)
    grades = graded(class_folder, session)
    eve = student(grades, "eve").results[0]
    assert total(grades, "alice") == 100 and total(grades, "eve") == 0
    assert eve.status == "refused" and eve.problem is not None and "processor time" in eve.problem.message
    out = session.repository.root / "grades"
    class_output.write(grades, out)
    assert "more than 2 seconds of processor time" in (out / "students" / "eve.html").read_text()


@pytest.mark.parametrize("slow", [False, True])
def test_an_entry_that_takes_too_long_to_read_or_breaks_its_reader(
    class_folder: Path, session: Session, monkeypatch: pytest.MonkeyPatch, slow: bool
) -> None:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "eve")
    read = batch.read

    def odd(entry: Any, sandbox: str) -> Any:
        if entry.student == "eve":
            while slow:
                pass
            raise RecursionError("a slip")
        return read(entry, sandbox)

    monkeypatch.setattr(batch, "read", odd)
    monkeypatch.setattr(ceiling, "SECONDS", 2.0)
    grades = graded(class_folder, session)
    problem = student(grades, "eve").problem
    assert total(grades, "alice") == 100 and problem is not None
    assert ("processor time" if slow else "RecursionError: a slip") in problem.message


@pytest.mark.parametrize("slow", [False, True])
def test_a_page_that_cannot_be_made(
    class_folder: Path, session: Session, monkeypatch: pytest.MonkeyPatch, slow: bool
) -> None:
    for name in ("alice", "bob", "eve"):
        hand_in(class_folder, name)
    add = html.ReportWriter.add

    def failing(pages: html.ReportWriter, student: Student) -> None:
        if student.id == "bob" and student.results:
            while slow:
                pass
            raise RecursionError("a slip")
        add(pages, student)

    grades = graded(class_folder, session)
    monkeypatch.setattr(html.ReportWriter, "add", failing)
    monkeypatch.setattr(ceiling, "SECONDS", 2.0)
    out = session.repository.root / "grades"
    class_output.write(grades, out)
    assert "the results cannot be shown" in (out / "students" / "bob.html").read_text()
    assert (out / "students" / "eve.html").exists() and (out / "index.html").exists()
    assert "bob" in (out / "gradebook.csv").read_text()
