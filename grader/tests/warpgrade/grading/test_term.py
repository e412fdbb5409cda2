"""A class of three labs over three weeks in one folder: nothing that was graded is lost."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from support.fake_repository import GOOD, write
from support.term_folder import LABS, RULES, TermFolder, attempts, points
from warpgrade.cli import class_output
from warpgrade.core.errors import UsageError
from warpgrade.course import policy
from warpgrade.grading import saved_grades, term
from warpgrade.overview import changes
from warpgrade.records import Grades, Result, Student
from warpgrade.report import terminal
from warpgrade.sandbox import process
from warpgrade.submission import roster


def test_three_labs_over_three_weeks(term_folder: TermFolder) -> None:
    first = term_folder.grade("week1", LABS[0])
    assert points(first) == {"ann": {LABS[0]: 100}, "bob": {LABS[0]: 60}, "cid": {LABS[0]: 0}}
    second = term_folder.grade("week2", LABS[1])
    assert points(second)["ann"] == {LABS[0]: 100, LABS[1]: 60}
    assert points(second)["bob"] == {LABS[0]: 60, LABS[1]: 90}, "the fourth late day of the term costs"
    assert points(second)["cid"] == {LABS[0]: 0}
    third = term_folder.grade("week3", LABS[2])
    assert points(third) == {
        "ann": {LABS[0]: 100, LABS[1]: 60, LABS[2]: 100},
        "bob": {LABS[0]: 60, LABS[1]: 90},
        "cid": {LABS[0]: 0},
        "dan": {LABS[2]: 100},
    }
    assert [each.name for each in third.labs] == sorted(LABS)
    assert saved_grades.load(term_folder.out) == third
    class_output.write(third, term_folder.out)
    book = (term_folder.out / "gradebook.csv").read_text().splitlines()
    assert book[0].split(",")[2:5] == sorted(LABS) and len(book) == 5
    assert "2026-10-10" in (term_folder.out / "students" / "bob.html").read_text()


def test_another_sheet_of_times_corrects_the_time(term_folder: TermFolder) -> None:
    """Of the same files, the sheet of the last grading says when they were handed in."""
    write(term_folder.root / "moodle" / "eve.cu", GOOD)

    def graded(at: str) -> Grades:
        sheet = write(term_folder.root / "times.csv", f"name,submitted\neve,{at}\n" if at else "")
        return term_folder.grade("moodle", LABS[0], sheet=sheet if at else None)

    in_time, late = "2026-10-01T10:00:00+00:00", "2026-10-09T10:00:00+00:00"
    for at, total in ((in_time, 100), (late, 50), (in_time, 100), ("", 100), (late, 50)):
        grades = graded(at)
        assert points(grades) == {"eve": {LABS[0]: total}}
        assert len(attempts(grades, "eve", LABS[0])) == 1
    write(term_folder.root / "moodle" / "eve.cu", GOOD + "// again\n")
    assert [each.submitted for each in attempts(graded(in_time), "eve", LABS[0])] == [late, in_time]


@pytest.mark.parametrize(("counts", "total"), [("last", 50), ("best", 100), ("first", 100)])
def test_the_same_file_handed_in_again_late(term_folder: TermFolder, counts: str, total: float) -> None:
    """Two sheets state two times for the same files: where the best attempt counts, the one in time."""
    write(term_folder.root / "moodle" / "eve.cu", GOOD)
    rules = policy.load(write(term_folder.root / "rules.toml", f'counts = "{counts}"\n' + RULES))
    in_time, late = "2026-10-01T10:00:00+00:00", "2026-10-09T10:00:00+00:00"
    for at in (in_time, late):
        sheet = write(term_folder.root / "times.csv", f"name,submitted\neve,{at}\n")
        grades = term_folder.grade("moodle", LABS[0], rules, sheet=sheet)
    assert points(grades) == {"eve": {LABS[0]: total}}
    (attempt,) = attempts(grades, "eve", LABS[0])
    assert attempt.submitted == late and attempt.restated == (in_time,)
    assert saved_grades.load(term_folder.out) == grades
    assert points(term_folder.grade("moodle", LABS[0], rules)) == {"eve": {LABS[0]: total}}, "graded again"


def test_a_second_attempt_keeps_the_first(term_folder: TermFolder) -> None:
    before = term_folder.grade("week1", LABS[0])
    term_folder.hand_in("again", "bob", "2026-10-04-10-00-00")
    after = term_folder.grade("again", LABS[0])
    assert points(after)["ann"] == points(before)["ann"]
    one, two = attempts(after, "bob", LABS[0])
    assert (one.attempt, two.attempt) == (1, 2) and one.folder != two.folder
    assert points(after)["bob"] == {LABS[0]: 100}, "three free days"
    for result in (one, two):
        assert (term_folder.out / result.folder / "run.json").is_file()
    (row,) = changes.summaries(before, after)
    assert (row.new, row.higher, row.same) == (0, 1, 2)
    table = terminal.history_table(next(student for student in after.students if student.id == "bob"))
    assert table.row_count == 2


def test_free_days_that_another_lab_leaves_are_the_reason(term_folder: TermFolder) -> None:
    rules = policy.load(write(term_folder.root / "rules.toml", 'counts = "best"\n' + RULES))
    term_folder.grade("week1", LABS[0], rules)
    before = term_folder.grade("week2", LABS[1], rules)
    term_folder.hand_in("again", "bob", "2026-10-01-10-00-00")  # in time: the other lab has all free days
    after = term_folder.grade("again", LABS[0], rules)
    reasons = {each.lab: each.reason for each in changes.changes(before, after) if each.what == "total"}
    assert reasons[LABS[0]] == "another submission" and "other free days" in reasons[LABS[1]]


@pytest.mark.parametrize(("counts", "total"), [("last", 60), ("best", 100), ("first", 100)])
def test_which_attempt_counts(term_folder: TermFolder, counts: str, total: float) -> None:
    rules = policy.load(write(term_folder.root / "rules.toml", f'counts = "{counts}"\n' + RULES))
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("again", "ann", "2026-10-01-11-00-00", "second: wrong")
    assert points(term_folder.grade("again", LABS[0], rules))["ann"] == {LABS[0]: total}
    assert points(term_folder.grade("week1", LABS[0], rules))["ann"] == {LABS[0]: total}, "no third attempt"


@pytest.mark.parametrize(("counts", "total"), [("last", 100), ("first", 60)])
def test_an_older_download_that_is_graded_later(term_folder: TermFolder, counts: str, total: float) -> None:
    rules = policy.load(write(term_folder.root / "rules.toml", f'counts = "{counts}"\n' + RULES))
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("older", "ann", "2026-09-30-10-00-00", "second: wrong")
    assert points(term_folder.grade("older", LABS[0], rules))["ann"] == {LABS[0]: total}


def test_without_a_time_the_order_of_grading_counts(term_folder: TermFolder) -> None:
    term_folder.grade("week1", LABS[0])
    write(term_folder.root / "older" / "ann.cu", GOOD + "// second: wrong\n")
    assert points(term_folder.grade("older", LABS[0]))["ann"] == {LABS[0]: 60}


def test_the_best_is_chosen_after_late_days(term_folder: TermFolder) -> None:
    rules = policy.load(write(term_folder.root / "rules.toml", 'counts = "best"\n' + RULES))
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("again", "bob", "2026-10-12-10-00-00")  # 100 points, eight days beyond: 80 %
    assert points(term_folder.grade("again", LABS[0], rules))["bob"] == {LABS[0]: 60}


def test_the_same_again_changes_nothing(term_folder: TermFolder) -> None:
    first = term_folder.grade("week1", LABS[0])
    files = {path: path.read_bytes() for path in term_folder.out.rglob("*.json")}
    assert term_folder.grade("week1", LABS[0]) == first
    assert {path: path.read_bytes() for path in term_folder.out.rglob("*.json")} == files


def test_an_interrupted_run_leaves_the_old_state(term_folder: TermFolder) -> None:
    before = term_folder.grade("week1", LABS[0])
    files = {path: path.read_bytes() for path in term_folder.out.rglob("*.json")}
    term_folder.hand_in("again", "bob", "2026-10-04-10-00-00")
    term_folder.hand_in("again", "ann", "2026-10-04-10-00-00", "third: race")
    with pytest.raises(KeyboardInterrupt):
        term_folder.grade("again", LABS[0], stop=True)
    process.resume()
    assert saved_grades.load(term_folder.out) == before
    assert {path: path.read_bytes() for path in files} == files, "nothing that counts was written to"
    assert points(term_folder.grade("again", LABS[0]))["bob"] == {LABS[0]: 100}


def test_what_cannot_be_read_replaces_nothing(term_folder: TermFolder) -> None:
    term_folder.grade("week1", LABS[0])
    write(term_folder.root / "again" / "Lab_ann_attempt_2026-10-02-10-00-00_kernel.txt", "no source")
    after = term_folder.grade("again", LABS[0])
    assert points(after)["ann"] == {LABS[0]: 100} and any(note.startswith("ann: ") for note in after.notes)


def test_a_hand_in_that_cannot_be_read_is_not_forgotten(term_folder: TermFolder, tmp_path: Path) -> None:
    """Until that student hands in something readable of that lab."""
    people = roster.load(write(tmp_path / "roster.csv", "student,name\neve,Eve\nann,Ann\n"))
    write(term_folder.root / "broken" / "eve.zip", "no zip")
    write(term_folder.root / "broken" / "ann" / "kernel.txt", "no source")
    write(term_folder.root / "others" / "ann.cu", GOOD)
    write(term_folder.root / "again" / "eve.cu", GOOD)

    def graded(week: str, lab: str) -> tuple[dict[str, str], str]:
        grades = term_folder.grade(week, lab, people=people)
        class_output.write(grades, term_folder.out)
        assert saved_grades.load(term_folder.out) == grades
        rows = csv.DictReader((term_folder.out / "gradebook.csv").read_text().splitlines())
        page = (term_folder.out / "students" / "eve.html").read_text()
        return {row["student"]: row["remarks"] for row in rows}, page

    graded("broken", LABS[0])
    remarks, page = graded("others", LABS[1])
    assert "cannot be read" in remarks["eve"] and "cannot be read" in page
    assert f"{LABS[0]}: ann was not read: nothing in it fits" in remarks["ann"]
    assert f"{LABS[0]}: not handed in" not in remarks["ann"]
    remarks, page = graded("again", LABS[1])
    assert f"{LABS[0]}: eve.zip was not read" in remarks["eve"] and f"{LABS[0]}: eve.zip was not read" in page
    remarks, page = graded("again", LABS[0])
    assert "was not read" not in remarks["eve"] + page and "was not read" in remarks["ann"]


def test_a_request_is_not_handed_in_late(term_folder: TermFolder) -> None:
    rules = policy.load(
        write(term_folder.root / "rules.toml", RULES.replace("free_days = 3", "free_days = 0"))
    )
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("again", "ann", "2026-10-09-10-00-00", "regrade: the third case is right, I think")
    after = term_folder.grade("again", LABS[0], rules)
    assert points(after)["ann"] == {LABS[0]: 100}
    assert attempts(after, "ann", LABS[0])[-1].request == "the third case is right, I think"


def test_grades_that_cannot_be_read_are_not_replaced(term_folder: TermFolder) -> None:
    write(term_folder.out / "class.json", "{")
    with pytest.raises(UsageError, match="may hold grades"):
        term_folder.grade("week1", LABS[0])


def test_a_student_without_an_entry_keeps_the_results() -> None:
    result = Result("01-a", "graded", work="w")
    old = Grades(None, (), (Student("ann", "Ann", "ann.zip", (result,)),))  # type: ignore[arg-type]
    new = Grades(None, (), (Student("ann", "Ann Doe", ""),))  # type: ignore[arg-type]
    (student,) = term.students(old, new)
    assert student.results == (result,) and student.name == "Ann Doe" and student.entry == "ann.zip"
