"""A class of three labs over three weeks in one folder: nothing that was graded is lost."""

from __future__ import annotations

import csv
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from support.fake_repository import GOOD, LAB, write
from warpgrade.cli import class_output, main
from warpgrade.core.errors import UsageError
from warpgrade.course import lab, policy
from warpgrade.grading import batch, saved_grades, term
from warpgrade.grading.progress import Pace
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.judge import late_policy
from warpgrade.overview import changes
from warpgrade.records import Grades, Result, Student
from warpgrade.report import terminal
from warpgrade.sandbox import process
from warpgrade.submission import downloads, hand_in_times

LABS = (LAB, "08-second", "09-third")
RULES = f"""\
[due]
{LABS[0]} = 2026-10-01T12:00:00+00:00
{LABS[1]} = 2026-10-08T12:00:00+00:00
{LABS[2]} = 2026-10-15T12:00:00+00:00

[late]
free_days = 3
percent_a_day = 10
"""


class Term:
    """A folder of grades, and Blackboard's downloads, which have times."""

    def __init__(self, root: Path, session: Session) -> None:
        self.root, self.session, self.out = root, session, root / "term"
        self.rules = policy.load(write(root / "policy.toml", RULES))
        repository = session.repository
        for name in LABS[1:]:
            shutil.copytree(repository.labs / LAB, repository.labs / name)
            shutil.copytree(repository.solution(LAB), repository.solution(name))
            shutil.copyfile(repository.harness(LAB), repository.harness(name))
            repository.harness(name).chmod(0o755)

    def hand_in(self, week: str, student: str, at: str, comment: str = "") -> None:
        source = GOOD + (f"// {comment}\n" if comment else "")
        write(self.root / week / f"Lab_{student}_attempt_{at}_kernel.cu", source)

    def grade(
        self, week: str, name: str, rules: policy.Policy | None = None, stop: bool = False,
        sheet: Path | None = None,
    ) -> Grades:  # fmt: skip
        repository = self.session.repository
        session = prepare(repository, [lab.named(repository, name)], Options("emulator", "none", jobs=2))
        adjust = partial(late_policy.adjusted, policy=rules or self.rules)

        def interrupt(pace: Pace) -> None:
            if stop and pace.done:
                raise KeyboardInterrupt

        download = downloads.read(self.root / week)
        download = hand_in_times.added(download, sheet) if sheet else download
        return batch.grade_class(download, self.out, session, interrupt, adjust)


@pytest.fixture
def term_folder(tmp_path: Path, session: Session) -> Term:
    made = Term(tmp_path, session)
    made.hand_in("week1", "ann", "2026-10-01-10-00-00")
    made.hand_in("week1", "bob", "2026-10-03-10-00-00", "second: wrong")  # two days late
    made.hand_in("week1", "cid", "2026-10-01-10-00-00", "SYNTAX")
    made.hand_in("week2", "ann", "2026-10-08-10-00-00", "third: race")
    made.hand_in("week2", "bob", "2026-10-10-11-00-00")  # two more: one free day is left
    made.hand_in("week3", "ann", "2026-10-15-10-00-00")
    made.hand_in("week3", "dan", "2026-10-15-10-00-00")
    return made


def points(grades: Grades) -> dict[str, dict[str, float | None]]:
    return {
        student.id: {result.lab: result.score.total if result.score else None for result in student.results}
        for student in grades.students
    }


def attempts(grades: Grades, id: str, name: str) -> list[Result]:
    student = next(student for student in grades.students if student.id == id)
    return [result for result in student.attempts if result.lab == name]


def test_three_labs_over_three_weeks(term_folder: Term) -> None:
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


def test_another_sheet_of_times_corrects_the_time(term_folder: Term) -> None:
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
def test_the_same_file_handed_in_again_late(term_folder: Term, counts: str, total: float) -> None:
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


def test_a_second_attempt_keeps_the_first(term_folder: Term) -> None:
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


def test_free_days_that_another_lab_leaves_are_the_reason(term_folder: Term) -> None:
    term_folder.grade("week1", LABS[0])
    before = term_folder.grade("week2", LABS[1])
    term_folder.hand_in("again", "bob", "2026-10-01-10-00-00")  # in time: the other lab has all free days
    after = term_folder.grade("again", LABS[0])
    reasons = {each.lab: each.reason for each in changes.changes(before, after) if each.what == "total"}
    assert reasons[LABS[0]] == "another submission" and "other free days" in reasons[LABS[1]]


@pytest.mark.parametrize(("counts", "total"), [("last", 60), ("best", 100), ("first", 100)])
def test_which_attempt_counts(term_folder: Term, counts: str, total: float) -> None:
    rules = policy.load(write(term_folder.root / "rules.toml", f'counts = "{counts}"\n' + RULES))
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("again", "ann", "2026-10-01-11-00-00", "second: wrong")
    assert points(term_folder.grade("again", LABS[0], rules))["ann"] == {LABS[0]: total}
    assert points(term_folder.grade("week1", LABS[0], rules))["ann"] == {LABS[0]: total}, "no third attempt"


def test_the_best_is_chosen_after_late_days(term_folder: Term) -> None:
    rules = policy.load(write(term_folder.root / "rules.toml", 'counts = "best"\n' + RULES))
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("again", "bob", "2026-10-12-10-00-00")  # 100 points, eight days beyond: 80 %
    assert points(term_folder.grade("again", LABS[0], rules))["bob"] == {LABS[0]: 60}


def test_the_same_again_changes_nothing(term_folder: Term) -> None:
    first = term_folder.grade("week1", LABS[0])
    files = {path: path.read_bytes() for path in term_folder.out.rglob("*.json")}
    assert term_folder.grade("week1", LABS[0]) == first
    assert {path: path.read_bytes() for path in term_folder.out.rglob("*.json")} == files


def test_an_interrupted_run_leaves_the_old_state(term_folder: Term) -> None:
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


def test_what_cannot_be_read_replaces_nothing(term_folder: Term) -> None:
    term_folder.grade("week1", LABS[0])
    write(term_folder.root / "again" / "Lab_ann_attempt_2026-10-02-10-00-00_kernel.txt", "no source")
    after = term_folder.grade("again", LABS[0])
    assert points(after)["ann"] == {LABS[0]: 100} and any(note.startswith("ann: ") for note in after.notes)


def test_a_request_is_not_handed_in_late(term_folder: Term) -> None:
    rules = policy.load(
        write(term_folder.root / "rules.toml", RULES.replace("free_days = 3", "free_days = 0"))
    )
    term_folder.grade("week1", LABS[0], rules)
    term_folder.hand_in("again", "ann", "2026-10-09-10-00-00", "regrade: the third case is right, I think")
    after = term_folder.grade("again", LABS[0], rules)
    assert points(after)["ann"] == {LABS[0]: 100}
    assert attempts(after, "ann", LABS[0])[-1].request == "the third case is right, I think"


def test_grades_that_cannot_be_read_are_not_replaced(term_folder: Term) -> None:
    write(term_folder.out / "class.json", "{")
    with pytest.raises(UsageError, match="may hold grades"):
        term_folder.grade("week1", LABS[0])


def test_a_student_without_an_entry_keeps_the_results() -> None:
    result = Result("01-a", "graded", work="w")
    old = Grades(None, (), (Student("ann", "Ann", "ann.zip", (result,)),))  # type: ignore[arg-type]
    new = Grades(None, (), (Student("ann", "Ann Doe", ""),))  # type: ignore[arg-type]
    (student,) = term.students(old, new)
    assert student.results == (result,) and student.name == "Ann Doe" and student.entry == "ann.zip"


# --- by hand -----------------------------------------------------------------------------------

REVIEW = f"""\
lab = "{LAB}"
by = "Tess"

[[comment]]
student = "ann"
line = 1
text = "Well named."
points = 1

[[override]]
student = "bob"
part = "second"
points = 20
reason = "the statement was unclear"
"""


def warpgrade(*words: str) -> str:
    done = CliRunner().invoke(main.cli, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def graded(term_folder: Term, monkeypatch: pytest.MonkeyPatch) -> Term:
    monkeypatch.setenv("WARPGRADE_ROOT", str(term_folder.root))
    write(
        term_folder.out / "roster.csv",
        "student,name,section,group,grader\nann,Ann,A,g1,tess\nbob,Bob,A,,tom\ncid,Cid,B,,tom\neve,Eve,B,g1,tess\n",
    )
    write(term_folder.out / "reviews" / "tess.toml", REVIEW)
    write(term_folder.out / "policy.toml", RULES)
    grade(term_folder, "week1")
    return term_folder


def grade(term_folder: Term, week: str) -> str:
    out = str(term_folder.out)
    options = ("--lab", LAB, "--sandbox", "none", "--device", "emulator", "--out", out)
    return warpgrade("grade", str(term_folder.root / week), *options)


def test_reviews_are_in_sums_and_on_pages_and_survive_a_regrade(graded: Term) -> None:
    def check() -> None:
        found = points(saved_grades.load(graded.out))
        assert found["ann"][LAB] == 101 and found["bob"][LAB] == 80
        page = (graded.out / "students" / "ann.html").read_text()
        assert "Well named." in page and "Tess" in page
        assert "the statement was unclear" in (graded.out / "students" / "bob.html").read_text()
        assert "the statement was unclear" in (graded.out / "gradebook.csv").read_text()

    check()
    warpgrade("regrade", "--sandbox", "none", "--device", "emulator", "--out", str(graded.out), "--accept")
    check()
    assert (graded.out / "changes.html").is_file() and (graded.out / "reviews" / "tess.toml").is_file()
    grade(graded, "week1")
    check()


def test_a_report_takes_what_was_written_since(graded: Term) -> None:
    write(graded.out / "reviews" / "tess.toml", REVIEW.replace("points = 1", "points = -5"))
    words = warpgrade("report", "--out", str(graded.out))
    assert points(saved_grades.load(graded.out))["ann"][LAB] == 95
    assert "1 with fewer points" in words and "review changed" in words


def test_a_group_and_its_members(graded: Term) -> None:
    eve = next(student for student in saved_grades.load(graded.out).students if student.id == "eve")
    assert points(saved_grades.load(graded.out))["eve"][LAB] == 100 and eve.grader == "tess"
    assert any("handed in by Ann" in note for note in eve.notes)


def test_anonymous_pages_name_nobody(graded: Term) -> None:
    warpgrade("report", "--out", str(graded.out), "--anonymous", "--grader", "tom")
    pages = list((graded.out / "anonymous").rglob("*.html"))
    assert sum(page.parent.name == "students" for page in pages) == 2
    text = "".join(page.read_text() for page in pages)
    assert "Bob" not in text and "bob" not in text and "Cid" not in text
    name = next(
        page.stem for page in pages if "unclear" in page.read_text() and page.stem.startswith("anon-")
    )
    write(
        graded.out / "reviews" / "tom.toml",
        f'lab = "{LAB}"\n[[comment]]\nstudent = "{name}"\ntext = "x"\npoints = 2\n',
    )
    warpgrade("report", "--out", str(graded.out))
    assert points(saved_grades.load(graded.out))["bob"][LAB] == 82


def test_a_request_is_shown_to_the_staff_and_answered(graded: Term) -> None:
    graded.hand_in("again", "bob", "2026-10-09-10-00-00", "second: wrong\n// regrade: please look")
    grade(graded, "again")
    assert "asks: please look" in (graded.out / "index.html").read_text()
    write(
        graded.out / "reviews" / "tom.toml",
        f'lab = "{LAB}"\n[[answer]]\nstudent = "bob"\ntext = "It is wrong."\n',
    )
    warpgrade("report", "--out", str(graded.out))
    page = (graded.out / "students" / "bob.html").read_text()
    assert "please look" in page and "It is wrong." in page
    assert "asks:" not in (graded.out / "index.html").read_text()


def test_history_shows_every_attempt(graded: Term) -> None:
    graded.hand_in("again", "bob", "2026-10-03-11-00-00")
    grade(graded, "again")
    words = warpgrade("history", "bob", "--out", str(graded.out))
    assert "2026-10-03T10:00:00" in words and "2026-10-03T11:00:00" in words and words.count("counts") == 2


def test_names_in_policy_and_reviews_are_any_of_the_rosters(graded: Term) -> None:
    write(graded.out / "roster.csv", "student,name,login\nann,Ann,x1\nbob.li,Bob,bob\ncid,Cid,x3\n")
    write(
        graded.out / "policy.toml",
        RULES
        + f'''
[[adjustment]]
student = "bob.li"
lab = "{LAB}"
points = -7
reason = "agreed"
''',
    )
    write(
        graded.out / "reviews" / "tess.toml",
        f'lab = "{LAB}"\n[[comment]]\nstudent = "x3"\ntext = "x"\npoints = 2\n',
    )
    before = points(saved_grades.load(graded.out))
    graded.hand_in("again", "bob", "2026-10-03-10-30-00")
    words = grade(graded, "again")
    found = points(saved_grades.load(graded.out))
    assert found["bob-li"][LAB] == 93 and found["cid"][LAB] == before["cid"][LAB] + 2
    assert "nobody" not in words
    assert "bob-li (Bob)" in warpgrade("history", "bob.li", "--out", str(graded.out))
    merged = graded.out / "merged.csv"
    warpgrade("export", "feedback", "mail", LAB, "--grades", str(graded.out), "--out", str(merged))
    logins = {row["student"]: row["login"] for row in csv.DictReader(merged.read_text().splitlines())}
    assert logins["bob-li"] == "bob" and logins["cid"] == "x3"


def test_what_a_policy_says_of_nobody_and_of_no_lab_is_noted(graded: Term) -> None:
    rules = f'''[due]
"00-none" = 2026-10-01T12:00:00+00:00
[[late_days]]
student = "anne"
lab = "{LAB}"
days = 1
'''
    write(graded.out / "policy.toml", rules)
    words = warpgrade("report", "--out", str(graded.out))
    assert "policy.toml:3: anne is nobody in the class" in words
    assert "policy.toml:2: the course has no lab '00-none'" in words
