"""What staff write beside the grades of a term: roster, reviews, policy. It is applied after each grading."""

from __future__ import annotations

import csv

import pytest
from click.testing import CliRunner

from support.fake_repository import LAB, write
from support.term_folder import RULES, TermFolder, points
from warpgrade.cli import main
from warpgrade.grading import saved_grades

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
def graded(term_folder: TermFolder, monkeypatch: pytest.MonkeyPatch) -> TermFolder:
    monkeypatch.setenv("WARPGRADE_ROOT", str(term_folder.root))
    write(
        term_folder.out / "roster.csv",
        "student,name,section,group,grader\nann,Ann,A,g1,tess\nbob,Bob,A,,tom\ncid,Cid,B,,tom\neve,Eve,B,g1,tess\n",
    )
    write(term_folder.out / "reviews" / "tess.toml", REVIEW)
    write(term_folder.out / "policy.toml", RULES)
    grade(term_folder, "week1")
    return term_folder


def grade(term_folder: TermFolder, week: str) -> str:
    out = str(term_folder.out)
    options = ("--lab", LAB, "--sandbox", "none", "--device", "emulator", "--out", out)
    return warpgrade("grade", str(term_folder.root / week), *options)


def test_reviews_are_in_sums_and_on_pages_and_survive_a_regrade(graded: TermFolder) -> None:
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


def test_a_report_takes_what_was_written_since(graded: TermFolder) -> None:
    write(graded.out / "reviews" / "tess.toml", REVIEW.replace("points = 1", "points = -5"))
    words = warpgrade("report", "--out", str(graded.out))
    assert points(saved_grades.load(graded.out))["ann"][LAB] == 95
    assert "1 with fewer points" in words and "review changed" in words


def test_a_group_and_its_members(graded: TermFolder) -> None:
    eve = next(student for student in saved_grades.load(graded.out).students if student.id == "eve")
    assert points(saved_grades.load(graded.out))["eve"][LAB] == 100 and eve.grader == "tess"
    assert any("handed in by Ann" in note for note in eve.notes)


def test_anonymous_pages_name_nobody(graded: TermFolder) -> None:
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


def test_a_grader_or_a_student_that_is_mistyped(graded: TermFolder) -> None:
    out = ("--out", str(graded.out))
    for words, said in (
        (("report", "--anonymous", "--grader", "tes", *out), "the roster has tess, tom"),
        (("history", "evee", *out), "did you mean eve?"),
        (("history", "zzz", *out), "gradebook.csv has all ids"),
    ):
        done = CliRunner().invoke(main.cli, list(words))
        assert done.exit_code == 2 and said in done.output
    assert not (graded.out / "anonymous").exists()


def test_a_request_is_shown_to_the_staff_and_answered(graded: TermFolder) -> None:
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


def test_history_shows_every_attempt(graded: TermFolder) -> None:
    graded.hand_in("again", "bob", "2026-10-03-11-00-00")
    grade(graded, "again")
    words = warpgrade("history", "bob", "--out", str(graded.out))
    assert "2026-10-03T10:00:00" in words and "2026-10-03T11:00:00" in words and words.count("counts") == 2


def test_names_in_policy_and_reviews_are_any_of_the_rosters(graded: TermFolder) -> None:
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


def test_what_a_policy_says_of_nobody_and_of_no_lab_is_noted(graded: TermFolder) -> None:
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


def test_an_entry_for_a_group_names_its_members(graded: TermFolder) -> None:
    write(graded.out / "roster.csv", "student,group\nann,g1\nzoe,g1\n")
    write(graded.out / "policy.toml", f'[[late_days]]\nstudent = "g1"\nlab = "{LAB}"\ndays = 1\n')
    words = warpgrade("report", "--out", str(graded.out))
    assert "policy.toml:1: g1 is a group of the roster" in words
    assert "each of its members, ann and zoe" in words


def test_short_names_of_labs_are_understood_as_on_the_command_line(graded: TermFolder) -> None:
    number = LAB.partition("-")[0]
    rows = (("adjustment", -7, "reason"), ("comment", 2, "text"))
    taken, given = (
        f'[[{table}]]\nstudent = "ann"\nlab = "{number}"\npoints = {value}\n{key} = "agreed"\n'
        for table, value, key in rows
    )
    write(graded.out / "policy.toml", RULES.replace(LAB, number) + taken)
    write(graded.out / "reviews" / "tess.toml", given)
    words = warpgrade("report", "--out", str(graded.out))
    assert "note:" not in words
    assert points(saved_grades.load(graded.out))["ann"][LAB] == 95, "100 of the machine, and both entries"
