"""Times of hand-ins from a sheet: Moodle's worksheet in two languages, and one of the course's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.submission import hand_in_times
from warpgrade.submission.admit import SubmissionEntry
from warpgrade.submission.downloads import Download
from warpgrade.submission.roster import People, Person

ANN = SubmissionEntry("ann-doe", "Ann Doe", Path("ann"), ids=("54001",))
BOB = SubmissionEntry("bob-li", "Bob Li", Path("bob"), ids=("54002", "bob.li"))
ENGLISH = """\
Identifier,"Full name","Email address",Status,Grade,"Last modified (submission)","Last modified (grade)"
"Participant 54001","A. Doe",ann@example.edu,Submitted,,"Friday, 2 October 2026, 11:58 PM",-
"Participant 54002","Bob Li",bob@example.edu,"No submission",,-,-
"""
GERMAN = """\
ID;"Vollständiger Name";E-Mail-Adresse;Status;Bewertung;"Zuletzt geändert (Abgabe)"
"Teilnehmer/in54001";"Ann Doe";ann@example.edu;Abgegeben;;"Freitag, 6. März 2026, 23:58"
"Teilnehmer/in54002";"Bob Li";bob@example.edu;Abgegeben;;"Samstag, 7. März 2026, 00:03"
"""


def times(text: str, folder: Path, *entries: SubmissionEntry) -> list[str]:
    file = folder / "sheet.csv"
    file.write_text(text, encoding="utf-8")
    download = hand_in_times.added(Download("moodle", entries or (ANN, BOB)), file)
    return [entry.submitted for entry in download.entries]


def notes(text: str, folder: Path, *entries: SubmissionEntry, people: People | None = None) -> list[str]:
    file = folder / "sheet.csv"
    file.write_text(text, encoding="utf-8")
    return list(hand_in_times.added(Download("plain", entries, people=people), file).notes)


def test_names_of_nobody_are_noted(tmp_path: Path) -> None:
    """With their lines; those who handed in nothing this week are in the roster."""
    names = ("ann doe", "zoe", "Bob Lee")
    text = "".join(("student,submitted\ncid,-\n", *(f"{name},2026-10-02T10:00\n" for name in names)))
    zoe = Person("zoe", "Zoe")
    known = People((zoe,), {"zoe": zoe})
    wrong = "sheet.csv: nobody here is called {}; correct the names, if they handed in"
    assert notes(text, tmp_path, ANN, BOB, people=known) == [wrong.format("bob lee in line 5")]
    assert notes(text, tmp_path, ANN, BOB) == [wrong.format("zoe in line 4, bob lee in line 5")]
    many = text + "".join(f"x{n},2026-10-02T10:00\n" for n in range(20))
    assert "x5 in line 11 and 14 more;" in notes(many, tmp_path, ANN, BOB)[0]


def test_a_time_months_from_the_others_counts_and_is_noted(tmp_path: Path) -> None:
    text = "student,submitted\nann-doe,2026-10-02T10:00\nbob-li,{}\ncid,2026-10-03T10:00+02:00\n"
    cid = SubmissionEntry("cid", "Cid", Path("cid"))
    assert notes(text.format("2026-11-20T10:00"), tmp_path, ANN, BOB, cid) == []
    (note,) = notes(text.format("2027-10-02T10:00"), tmp_path, ANN, BOB, cid)
    assert note.startswith("bob-li: handed in 2027-10-02T10:00:00, 364 days after most others")
    assert times(text.format("2027-10-02T10:00"), tmp_path)[1] == "2027-10-02T10:00:00"
    assert "days before" in notes(text.format("2025-10-02T10:00"), tmp_path, ANN, BOB, cid)[0]


def test_moodles_worksheet(tmp_path: Path) -> None:
    assert times(ENGLISH, tmp_path) == ["2026-10-02T23:58:00", ""]
    assert times(GERMAN, tmp_path) == ["2026-03-06T23:58:00", "2026-03-07T00:03:00"]


@pytest.mark.parametrize(
    ("words", "time"),
    [
        ("Saturday, 3 October 2026, 12:05 AM", "2026-10-03T00:05:00"),
        ("Saturday, 3 October 2026, 12:05 PM", "2026-10-03T12:05:00"),
        ("2026-10-03T12:05:00-04:00", "2026-10-03T12:05:00-04:00"),
        ("2026-10-03 12:05", "2026-10-03T12:05:00"),
    ],
)
def test_forms_of_a_time(words: str, time: str, tmp_path: Path) -> None:
    assert times(f'submitted,student\n"{words}",bob.li\n', tmp_path) == ["", time]


def test_a_time_of_the_download_stays_and_a_name_of_two_says_nothing(tmp_path: Path) -> None:
    known = SubmissionEntry("ann", "Ann", Path("a"), submitted="2026-10-01T10:00:00")
    twice = "student,submitted\nAnn,2026-10-02T10:00\nann,2026-10-03T10:00\n"
    assert times(twice, tmp_path, known) == ["2026-10-01T10:00:00"]
    assert times(twice, tmp_path, SubmissionEntry("ann", "Ann", Path("a"))) == [""]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("student,points\nann,3\n", 1, "has no column with times"),
        ("student,submitted\nann,yesterday\n", 2, "'yesterday' is no time"),
        ('student,submitted\nann,"31 February 2026, 10:00"\n', 2, "is no time"),
        ("", 1, "has no column"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(InstructorError, match=message) as caught:
        times(text, tmp_path)
    assert caught.value.line == line


def test_a_missing_sheet(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is missing"):
        hand_in_times.added(Download("moodle", (ANN,)), tmp_path / "none.csv")


def test_what_another_member_of_the_group_handed_in_has_the_time_of_that(tmp_path: Path) -> None:
    ann = replace(ANN, group="g1")
    of_bob = replace(ann, student="bob-li", name="Bob Li", ids=("bob.li",), is_shared=True)
    cara = replace(BOB, student="cara", name="Cara", path=Path("cara"), ids=("54003",))
    sheet = "id,submitted\n54001,2026-10-03T12:05\nbob.li,2026-01-01T00:00\n54003,2026-10-04T01:00\n"
    late = "2026-10-03T12:05:00"
    assert times(sheet, tmp_path, ann, of_bob, cara) == [late, late, "2026-10-04T01:00:00"]
    assert times("id,submitted\n54003,2026-10-04T01:00\n", tmp_path, of_bob, ann) == ["", ""]


def test_each_member_of_a_group_with_one_folder_keeps_an_entry_and_a_time(tmp_path: Path) -> None:
    both = [replace(each, path=Path("g1"), group="g1") for each in (ANN, BOB)]
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("id,submitted\n54001,2026-10-03T12:05\n", encoding="utf-8")
    found = hand_in_times.added(Download("plain", tuple(both)), sheet).entries
    assert [(entry.student, entry.submitted) for entry in found] == [
        ("ann-doe", "2026-10-03T12:05:00"), ("bob-li", "")
    ]  # fmt: skip
