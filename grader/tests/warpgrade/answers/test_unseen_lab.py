"""A lab of questions that an instructor has just written: right, wrong, broken and hostile files of a class.

The lab stands in its three folders of a temporary course, and no line elsewhere names it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.fake_repository import LAB as KERNEL_LAB
from support.fake_repository import make_repository, write
from warpgrade.answers import stages
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.export import checks, results
from warpgrade.grading import batch
from warpgrade.grading.session import Options, prepare
from warpgrade.overview.class_overview import overview
from warpgrade.records import Grades, Result
from warpgrade.report import html, terminal, terminal_check
from warpgrade.solution import skeletons
from warpgrade.submission import downloads, roster

NAME = "20-bytes"
LAB_TOML = """\
title = "Bytes and bits"
kind = "answers"
teaches = ["Sizes of arrays"]
files = ["answers.toml"]
sizes = "your own numbers"
seed = "a term"

[points]
build = 0
"""
QUESTIONS = """\
[[question]]
name = "bytes"
text = "How many bytes have {count} floats?"
choose = { count = [100, 200, 300, 400, 500, 600, 700] }
answer = "4 * count"
unit = "bytes"
points = 60
feedback = "A float has more than one byte."
[[question.near_miss]]
name = "bits"
answer = "32 * count"
share = 0.25
feedback = "You gave bits."

[[question]]
name = "share"
text = "Which share of {total} is {part}?"
choose = { total = [3, 7, 9], part = [1, 2] }
answer = "part / total"
tolerance = 0.01
points = 25
feedback = "Divide."

[[question]]
name = "larger"
text = "Which is larger: a double or {other}?"
choose.other = [{ words = "a float", answer = 0 }, { words = "a double2", answer = 1 }]
answer = "other.answer"
options = ["the double", "the other"]
points = 15
feedback = "Compare bytes."
""".replace("{other}", "{other.words}")


@dataclass(frozen=True)
class Sheet:
    """A file that a student hands in, and what it must get: verdicts of the questions, points, a phrase."""

    content: str | bytes
    verdicts: str  # of each question: P pass, W wrong answer, S not answered, "-" not marked
    points: float
    phrase: str = ""  # in a sentence or message


def key(student: str, repository: Repository) -> str:
    return stages.key_sheet(repository, lab.named(repository, NAME), student)


def answered(rows: str) -> str:
    return f"[answers]\n{rows}\n"


DEEP = "[answers]\nbytes = " + "[" * 400 + "]" * 400 + "\n"
SHEETS = {
    "blank": Sheet(answered(""), "SSS", 0, "no answer yet"),
    "wrong": Sheet(answered("bytes = 1\nshare = 7\nlarger = 'neither'"), "WWW", 0, "more than one byte"),
    "text": Sheet(answered("bytes = '400'"), "WSS", 0, "without quotation marks"),
    "nan": Sheet(answered("bytes = nan\nshare = -inf"), "WWS", 0, "neither nan nor inf"),
    "huge": Sheet(answered("bytes = 1" + "0" * 400), "WSS", 0, "too large"),
    "longer": Sheet(answered("bytes = 1" + "0" * 5000), "---", 0, "more than 1,000 characters"),
    "exponent": Sheet(answered("bytes = 1e400\nshare = 1e-400"), "WWS", 0, "neither nan nor inf"),
    "types": Sheet(answered("bytes = [1]\nshare = {a = 1}\nlarger = 1979-05-27"), "WWW", 0, "not a list"),
    "boolean": Sheet(answered("bytes = true\nlarger = false"), "WSW", 0, "not true or false"),
    "unknown": Sheet(answered("byte = 3\nsahre = 1"), "SSS", 0, "'bytes'"),
    "many": Sheet(answered("\n".join(f"a{n} = 1" for n in range(3000))), "SSS", 0, "2,990 more keys"),
    "deep": Sheet(DEEP, "WSS", 0, "not a list"),
    "dotted": Sheet(answered("bytes" + ".a" * 300 + " = 1"), "WSS", 0, "not a table"),
    "no-table": Sheet("bytes = 400\n", "---", 0, "[answers]"),
    "list": Sheet("answers = [1, 2, 3]\n", "---", 0, "[answers]"),
    "syntax": Sheet(answered("bytes = 4 00"), "---", 0, "answers.toml:2"),
    "twice": Sheet(answered("bytes = 1\nbytes = 2"), "---", 0, "answers.toml:3"),
    "large": Sheet(b"[answers]\n" + b"# x\n" * 100_000, "---", 0, "larger than 64 KiB"),
    "empty": Sheet(b"", "---", 0, "[answers]"),
    "bytes": Sheet(bytes(range(256)), "---", 0),
    "latin": Sheet("[answers]\n# Größe\nbytes = 1\n".encode("latin-1"), "WSS", 0, "Latin-1"),
    "wide": Sheet("\ufeff[answers]\nbytes = 1\n".encode("utf-16-le"), "WSS", 0, "byte-order mark"),
    "name": Sheet("student = 7\n" + answered("bytes = 1"), "---", 0, "no short text"),
    "markup": Sheet(answered("'[bold]<script>' = 1\nlarger = '<script>alert(1)</script>'"), "SSW", 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = make_repository(tmp_path_factory.mktemp("course"))
    write(repository.labs / NAME / "lab.toml", LAB_TOML)
    write(repository.solution(NAME) / "questions.toml", QUESTIONS)
    assert [item.path.name for item in skeletons.write(skeletons.all_of(repository.root))]
    return repository


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grades")


@pytest.fixture(scope="module")
def grades(course: Repository, out: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grades]:
    place = tmp_path_factory.mktemp("class")
    for name, sheet in SHEETS.items():
        file = place / name / NAME / "answers.toml"
        file.parent.mkdir(parents=True)
        file.write_bytes(sheet.content.encode() if isinstance(sheet.content, str) else sheet.content)
    write(place / "alice" / NAME / "answers.toml", key("alice", course))
    write(place / "Bob Ernst" / NAME / "answers.toml", key("bob ernst", course))
    write(place / "copied" / NAME / "answers.toml", key("alice", course))
    write(place / "copied-further" / NAME / "answers.toml", key("alice", course).replace("alice", "?"))
    near = key("near", course).splitlines()
    number = next(int(line.split("=")[1].split("#")[0]) for line in near if line.startswith("bytes ="))
    write(place / "near" / NAME / "answers.toml", answered(f"bytes = {8 * number}"))
    write(place / "crlf" / NAME / "answers.toml", key("crlf", course).replace("\n", "\r\n"))
    session = prepare(course, lab.find(course), Options("emulator", "none", jobs=2))
    yield batch.grade_class(downloads.read(place), out, session)


def result_of(grades: Grades, student: str) -> Result:
    of_student = next(one for one in grades.students if one.id == student)
    assert of_student.problem is None, of_student.problem
    (result,) = of_student.results
    assert result.status == "graded", result.problem
    return result


def verdicts(result: Result) -> str:
    assert result.judgement is not None
    if result.judgement.build == "BUILD_FAILED":
        return "---"
    return "".join(case.verdict[0] for case in result.judgement.cases)


@pytest.mark.parametrize("name", SHEETS)
def test_each_file_gets_its_verdicts_and_a_sentence(name: str, grades: Grades) -> None:
    result, sheet = result_of(grades, name), SHEETS[name]
    assert verdicts(result) == sheet.verdicts
    assert result.score is not None and (result.score.total, result.score.possible) == (sheet.points, 100)
    item = next(item for item in grades.labs if item.name == NAME)
    words = " ".join(terminal_check.result_lines(item, result, 400))
    notes = result.submission.notes if result.submission else ()
    assert sheet.phrase in " ".join((words, *notes)), words


@pytest.mark.parametrize(
    ("student", "points"), [("alice", 100), ("Bob-Ernst", 100), ("crlf", 100), ("near", 15), ("copied", 0)]
)
def test_points_of_honest_and_copied_sheets(student: str, points: float, grades: Grades) -> None:
    score = result_of(grades, student).score
    assert score is not None and score.total == points


def test_a_copied_sheet_is_named_and_one_without_a_name_gets_own_values(
    grades: Grades,
) -> None:
    copied = result_of(grades, "copied")
    assert copied.build is not None
    assert copied.build.summary.endswith("this is the sheet of alice, and copied handed it in")
    score = result_of(grades, "copied-further").score
    assert score is not None and score.total is not None and score.total < 100


def test_a_sheet_under_another_name_of_the_same_person(course: Repository, tmp_path: Path) -> None:
    """As the roster or the course system knows the student; numbers are drawn from the name in the sheet."""
    rows = "student,name,login,folder\nzo7,Zoe Lane,z.lane,zoe\nan3,Ann Roe,a.roe,ann\nbo1,Bo Poe,b.poe,bo\n"
    people = roster.load(write(tmp_path / "roster.csv", rows))
    place, out = tmp_path / "class", tmp_path / "out"
    for folder, name in (("zoe", "Zoe Lane"), ("ann", "a.roe"), ("bo", "zoe")):
        write(place / folder / NAME / "answers.toml", key(name, course))
    session = prepare(course, [lab.named(course, NAME)], Options("emulator", "none", jobs=2))
    grades = batch.grade_class(downloads.read(place, people=people), out, session)
    totals = {each.id: each.results[0].score.total for each in grades.students if each.results[0].score}
    assert totals == {"zo7": 100, "an3": 100, "bo1": 0}
    assert totals == {
        each.id: each.results[0].score.total
        for each in batch.grade_again(grades, out, tmp_path / "again", session).students
        if each.results[0].score
    }


def test_a_roster_that_comes_later_keeps_sheets_valid(course: Repository, tmp_path: Path) -> None:
    """A folder's name is none that the roster has; the course system's id is."""
    file = tmp_path / "class" / "lanezoe_10442_7_answers.toml"
    write(file, key("lanezoe", course))
    session = prepare(course, [lab.named(course, NAME)], Options("emulator", "none", jobs=2))
    for rows in ("", "student,name,canvas\nzo7,Zoe Lane,10442\n"):
        people = roster.load(write(tmp_path / "roster.csv", rows)) if rows else None
        download = downloads.read(tmp_path / "class", "canvas", people)
        (student,) = batch.grade_class(download, tmp_path / "out" / str(bool(rows)), session).students
        assert student.results[0].score and student.results[0].score.total == 100
    assert student.id == "zo7"


def test_the_staff_are_told_whose_sheet_it_is(grades: Grades) -> None:
    words = "answers.toml cannot be marked: this is the sheet of alice, and copied handed it in"
    assert f"copied, {NAME}: {words}" in terminal.remarks(grades)
    assert terminal.legend(grades).endswith("✗ cannot be marked")
    rows = {row["student"]: row for row in csv.DictReader(results.gradebook(grades).splitlines())}
    assert f"{NAME}: {words}" in rows["copied"]["remarks"]


def test_the_gradebook_the_checks_and_the_pages_have_everybody(grades: Grades, out: Path) -> None:
    results.write(grades, out)
    rows = {row["student"]: row for row in csv.DictReader((out / "gradebook.csv").open(encoding="utf-8"))}
    assert rows.keys() == {student.id for student in grades.students}
    assert (rows["alice"][NAME], rows["near"][NAME], rows["nan"][NAME]) == ("100", "15", "0")
    assert rows["alice"][KERNEL_LAB] == ""
    pages = html.pages(grades)
    assert "<script>alert" not in "".join(pages.values())
    item = next(item for item in grades.labs if item.name == NAME)
    found = checks.checks(item, result_of(grades, "near"))
    assert [(each.name, each.earned) for each in found] == [("bytes", 15), ("share", 0), ("larger", 0)]
    assert math.isclose(sum(each.possible for each in found), 100)


def test_answers_are_never_overwritten(course: Repository, tmp_path: Path) -> None:
    item, file = lab.named(course, NAME), tmp_path / "answers.toml"
    stages.write_sheet(course, item, "alice", file)
    stages.write_sheet(course, item, "bob", file)  # no answer is lost
    assert 'student = "bob"' in file.read_text()
    file.write_text(file.read_text().replace('bytes = "?"', "bytes = 4"))
    with pytest.raises(Exception, match="holds answers already"):
        stages.write_sheet(course, item, "alice", file)
    with pytest.raises(Exception, match="is no name"):
        stages.write_sheet(course, item, "???", tmp_path / "other.toml")
    with pytest.raises(Exception, match="is a folder"):
        stages.write_sheet(course, item, "alice", tmp_path)


def test_staff_see_whose_sheet_was_copied(grades: Grades) -> None:
    needing = {each.id: each for each in overview(grades).at_risk}
    words = [reason.words for reason in needing["copied"].reasons]
    assert words == ["answers.toml cannot be marked: this is the sheet of alice, and copied handed it in"]
    assert "alice" not in needing
    page = html.pages(grades)["students/nan.html"]
    assert "no answer" in page and "compile" not in page.split("How these results were made")[0]


def test_a_hint_for_no_question_is_an_error(course: Repository, tmp_path: Path) -> None:
    write(tmp_path / "solutions" / NAME / "questions.toml", QUESTIONS)
    write(tmp_path / "labs" / NAME / "lab.toml", LAB_TOML + '[[hint]]\ntodo = 4\ntext = "Think."\n')
    with pytest.raises(InstructorError, match=r"lab.toml:11: there is no question 4: there are 3"):
        lab.load(tmp_path / "labs" / NAME)
