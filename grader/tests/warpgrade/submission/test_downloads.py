"""Downloads as each learning platform makes them: whose, which attempt, nothing dropped."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from support.backends import strongest
from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import Repository
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.submission import admit, downloads, roster
from warpgrade.submission.admit import SubmissionEntry
from warpgrade.submission.archive import Contents


def by_id(download: downloads.Download) -> dict[str, SubmissionEntry]:
    return {entry.student: entry for entry in download.entries}


def held(entry: SubmissionEntry) -> dict[str, bytes]:
    contents = admit.read(entry)
    assert isinstance(contents, Contents), contents
    return contents.files


def held_or_problem(entry: SubmissionEntry) -> str:
    contents = admit.read(entry)
    return "" if isinstance(contents, Contents) else contents.message


def test_an_error_says_what_a_class_is(tmp_path: Path, repository: Repository) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    write(empty / ".DS_Store", "")
    zipfile.ZipFile(tmp_path / "none.zip", "w").close()
    for path, words in (
        (tmp_path / "nowhere", "is not there"),
        (write(tmp_path / "README.md", "hello"), "is neither a folder nor an archive"),
        (write(tmp_path / "kernel.cu", GOOD), "is neither a folder nor an archive"),
        (empty, "holds no submission"),
        (tmp_path / "none.zip", "holds no submission"),
    ):
        with (
            pytest.raises(UsageError, match=words) as caught,
            downloads.opened(path, repository, strongest()) as place,
        ):
            downloads.read(place)
        assert caught.value.file == path and "one entry for each student" in caught.value.remedy


def test_canvas(tmp_path: Path) -> None:
    names = ("doejohn_101_9000_kernel.cu", "roemary_LATE_102_9001_kernel.cu", "poeann_103_9002_report.pdf")
    for name in names:
        write(tmp_path / name, name)
    found = downloads.read(tmp_path)
    assert found.source == "canvas"
    entries = by_id(found)
    assert held(entries["doejohn"]) == {"kernel.cu": b"doejohn_101_9000_kernel.cu"}
    assert entries["roemary"].late and not entries["doejohn"].late
    assert not isinstance(admit.read(entries["poeann"]), Contents), "a PDF is reported as no submission"


def test_canvas_takes_the_latest_upload(tmp_path: Path) -> None:
    write(tmp_path / "doejohn_101_9000_kernel.cu", "old")
    write(tmp_path / "doejohn_101_10000_kernel-1.cu", "new")
    write(tmp_path / "roemary_102_9001_kernel-2.cu", "alone")
    write(tmp_path / "poeann_103_9002_lab-2.zip", "")
    entries = by_id(downloads.read(tmp_path))
    assert held(entries["doejohn"]) == {"kernel.cu": b"new"}, "9000 < 10000 as numbers, not as texts"
    assert "earlier attempt" in entries["doejohn"].notes[0]
    assert held(entries["roemary"]) == {"kernel.cu": b"alone"}
    assert entries["poeann"].parts[0][0] == "lab-2.zip"


def test_canvas_anonymous(tmp_path: Path) -> None:
    write(tmp_path / "anon_55_9000_kernel.cu", "a")
    write(tmp_path / "LATE_anon_56_9001_kernel.cu", "b")
    entries = by_id(downloads.read(tmp_path))
    assert entries.keys() == {"anon-55", "anon-56"} and entries["anon-56"].late


def test_one_name_two_people(tmp_path: Path) -> None:
    write(tmp_path / "kimlee_101_1_kernel.cu", "a")
    write(tmp_path / "kimlee_102_2_kernel.cu", "b")
    entries = downloads.read(tmp_path).entries
    assert len({entry.student for entry in entries}) == 2
    assert sorted(held(entry)["kernel.cu"] for entry in entries) == [b"a", b"b"]


def test_moodle_folders_and_flat_files(tmp_path: Path) -> None:
    write(tmp_path / "Ann Poe_77_assignsubmission_file" / LAB / "kernel.cu", "ann")
    write(tmp_path / "Ann Poe_77_assignsubmission_onlinetext" / "onlinetext.html", "hello")
    write(tmp_path / "Bo_Li_78_assignsubmission_file_" / "kernel.cu", "bo")
    write(tmp_path / "Participant_79_assignsubmission_file_kernel.cu", "blind")
    found = downloads.read(tmp_path)
    assert found.source == "moodle"
    entries = by_id(found)
    assert held(entries["Ann-Poe"]) == {f"{LAB}/kernel.cu": b"ann"}
    assert "typed online" in entries["Ann-Poe"].notes[0]
    assert held(entries["Bo_Li"]) == {"kernel.cu": b"bo"}
    assert held(entries["Participant"]) == {"kernel.cu": b"blind"}


def test_blackboard_takes_the_latest_attempt_as_a_whole(tmp_path: Path) -> None:
    old, new = "Lab 2_jdoe_attempt_2026-11-01-09-00-00", "Lab 2_jdoe_attempt_2026-11-02-08-30-05"
    for stem in (old, new):
        write(tmp_path / f"{stem}.txt", "Name: J")
    write(tmp_path / f"{old}_kernel.cu", "old")
    write(tmp_path / f"{old}_extra.cu", "old")
    write(tmp_path / f"{new}_kernel.cu", "new")
    write(tmp_path / "Lab 2_mroe_attempt_2026-11-02-08-30-05.txt", "nothing attached")
    found = downloads.read(tmp_path)
    assert found.source == "blackboard"
    entries = by_id(found)
    assert held(entries["jdoe"]) == {"kernel.cu": b"new"}
    assert entries["jdoe"].submitted == "2026-11-02T08:30:05" and len(entries["jdoe"].notes) == 2
    assert not isinstance(admit.read(entries["mroe"]), Contents), "reported, not dropped"


def test_a_file_named_like_another_students_attempt(tmp_path: Path) -> None:
    """Students name their files: what stands in front of that is the platform's own."""
    at = "attempt_2026-11-02-08-30-05"
    write(tmp_path / f"Lab 2_eve_{at}_lab_bob_attempt_2026-12-24-00-00-00_kernel.cu", "eve")
    write(tmp_path / f"Lab 2_bob_{at}_kernel.cu", "bob")
    found = by_id(downloads.read(tmp_path))
    assert set(found) == {"bob", "eve"} and held(found["bob"]) == {"kernel.cu": b"bob"}
    assert found["bob"].submitted == found["eve"].submitted == "2026-11-02T08:30:05"


def test_a_person_named_like_another_students_folder(tmp_path: Path) -> None:
    write(tmp_path / "Eve_42_assignsubmission_file_x_11_assignsubmission_file" / "kernel.cu", "eve")
    write(tmp_path / "Bob_42_assignsubmission_file" / "kernel.cu", "bob")
    found = {entry.key: held(entry) for entry in downloads.read(tmp_path).entries}
    assert found == {"moodle 11": {"kernel.cu": b"eve"}, "moodle 42": {"kernel.cu": b"bob"}}


def test_blackboard_users_with_underscores_are_kept_apart(tmp_path: Path) -> None:
    for user in ("ann_doe", "bo_doe", "roe"):
        write(tmp_path / f"Lab_2_{user}_attempt_2026-11-02-08-30-05_kernel.cu", user)
    found = by_id(downloads.read(tmp_path))
    assert {id: held(entry)["kernel.cu"].decode() for id, entry in found.items()} == {
        "ann_doe": "ann_doe", "bo_doe": "bo_doe", "roe": "roe"
    }  # fmt: skip


def test_a_roster_knows_where_the_user_begins(tmp_path: Path) -> None:
    """Where all names of a class begin alike, the task is not read from the file names."""
    known = roster.load(write(tmp_path / "roster.csv", "student,name\nj_doe,Jo Doe\nj_roe,Jay Roe\n"))
    for user in ("j_doe", "j_roe"):
        write(tmp_path / "class" / f"Lab 2_{user}_attempt_2026-11-02-08-30-05_kernel.cu", user)
    found = downloads.read(tmp_path / "class", people=known)
    assert {entry.student: entry.name for entry in found.entries} == {"j_doe": "Jo Doe", "j_roe": "Jay Roe"}
    assert found.missing == ()


def test_a_day_that_there_is_not(tmp_path: Path) -> None:
    write(tmp_path / "Lab 2_eve_attempt_2026-13-45-99-00-00_kernel.cu", "eve")
    assert by_id(downloads.read(tmp_path))["eve"].submitted == ""


def test_only_what_does_not_count_is_called_earlier(tmp_path: Path) -> None:
    write(tmp_path / "doejohn_101_9000_kernel.cu", "old")
    write(tmp_path / "doejohn_101_10000_kernel-1.cu", "new")
    (entry,) = downloads.read(tmp_path).entries
    assert entry.notes == ("doejohn_101_9000_kernel.cu: an earlier attempt, a later one counts",)


METADATA = """\
---
submission_1:
  :submitters:
  - :name: Ann Poe
    :sid: '77'
    :email: ann@example.edu
  - :name: "Bo \\u00d8"
    :sid: '78'
  :created_at: 2026-11-02 08:30:05.123000000 Z
  :score: 1.0
  :results:
    tests:
    - :name: not a student
  :history:
  - :id: 4
    :created_at: 2020-01-01 00:00:00 Z
submission_2:
  :submitters:
  - :name: Ann Poe
    :sid: '77'
  :created_at: 2026-11-03 08:30:05 Z
submission_3:
  :submitters:
  - :name: Cy Coe
    :sid: '79'
  :created_at: 2026-11-03 08:30:05 Z
"""


def test_gradescope(tmp_path: Path) -> None:
    export = tmp_path / "assignment_5_export"
    write(export / "submission_metadata.yml", METADATA)
    write(export / "submission_1" / "kernel.cu", "group")
    write(export / "submission_2" / "kernel.cu", "alone")
    write(export / "submission_9" / "kernel.cu", "unknown")
    found = downloads.read(tmp_path)
    assert found.source == "gradescope"
    entries = by_id(found)
    anns = [entry for entry in found.entries if entry.name == "Ann Poe"]
    assert len(entries) == 5 and entries.keys() > {"Bo-O", "Cy-Coe", "submission_9"}
    assert held(entries["Bo-O"]) == {"kernel.cu": b"group"}
    assert sorted(held(entry)["kernel.cu"] for entry in anns) == [b"alone", b"group"]
    assert sorted(entry.submitted for entry in anns)[1] == "2026-11-03T08:30:05+00:00"
    assert any(note.startswith("77 stands for 2 entries") for note in found.notes)
    assert "does not name it" in entries["submission_9"].notes[0]
    assert not isinstance(admit.read(entries["Cy-Coe"]), Contents), "named, but not there: reported"


def test_what_does_not_fit_is_an_entry_too(tmp_path: Path) -> None:
    write(tmp_path / "doejohn_101_9000_kernel.cu", "a")
    write(tmp_path / "roemary_102_9001_kernel.cu", "b")
    write(tmp_path / "mail-from-ann" / "kernel.cu", "c")
    entries = by_id(downloads.read(tmp_path))
    assert held(entries["mail-from-ann"]) == {"kernel.cu": b"c"}
    assert "does not look like" in entries["mail-from-ann"].notes[0]


def test_plain_unless_most_names_say_otherwise(tmp_path: Path) -> None:
    for name in ("alice.cu", "bob.cu", "team_12_34_kernel.cu"):
        write(tmp_path / name, "a")
    assert downloads.read(tmp_path).source == "plain"
    assert by_id(downloads.read(tmp_path, "canvas")).keys() == {"alice", "bob", "team"}
    with pytest.raises(UsageError, match="nothing from Moodle"):
        downloads.read(tmp_path, "moodle")
    with pytest.raises(UsageError, match="submission_metadata"):
        downloads.read(tmp_path, "gradescope")


def test_roster(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    write(folder / "doejohn_101_9000_kernel.cu", "a")
    write(folder / "roemary_102_9001_kernel.cu", "b")
    file = write(tmp_path / "people.csv", "student,name,canvas\njd1,John Doe,101\nap2,Ann Poe,103\n")
    found = downloads.read(folder, people=roster.load(file))
    entries = by_id(found)
    assert entries["jd1"].name == "John Doe"
    assert "not in the roster" in entries["roemary"].notes
    assert [(student.id, student.problem is not None) for student in found.missing] == [("ap2", True)]


def test_an_archive_that_is_not_read_is_of_its_person(tmp_path: Path) -> None:
    """Unless that person has handed in something else, which is then not given another name."""
    for name in ("dora.rar", "eve.7z", "eve.cu"):
        write(tmp_path / "class" / name, "a")
    people = roster.load(write(tmp_path / "people.csv", "student,name\ndora,Dora Lee\neve,Eve\n"))
    found = downloads.read(tmp_path / "class", people=people)
    assert {entry.student: entry.path.name for entry in found.entries} == {
        "dora": "dora.rar",
        "eve": "eve.cu",
        "eve-7z": "eve.7z",
    }
    assert found.missing == ()


def test_a_class_in_one_archive(tmp_path: Path, repository: Repository) -> None:
    file = tmp_path / "submissions.zip"
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("top/alice/kernel.cu", "a")
        target.writestr("top/bob.cu", "b")
        target.writestr("../evil.cu", "c")
    with downloads.opened(file, repository, strongest()) as place:
        found = downloads.read(place)
        evil = held_or_problem(by_id(found)["not-unpacked-1-txt"])
    assert by_id(found).keys() == {"alice", "bob", "not-unpacked-1-txt"}
    assert evil == "is no submission"
    assert not (tmp_path / "evil.cu").exists()


def test_graded_from_a_download(tmp_path: Path, session: Session) -> None:
    folder = tmp_path / "download"
    write(folder / "doejohn_101_9000_kernel.cu", GOOD)
    write(folder / "roemary_LATE_102_9001_kernel.cu", "// second: wrong\n" + GOOD)
    write(folder / "poeann_103_9002_report.pdf", "")
    grades = batch.grade_class(downloads.read(folder), tmp_path / "grades", session)
    totals = {s.id: s.results[0].score.total for s in grades.students if s.results and s.results[0].score}
    assert totals == {"doejohn": 100, "roemary": 60}
    assert [student.id for student in grades.students if student.problem] == ["poeann"]


def test_members_of_a_group_are_no_strangers_to_one_another(tmp_path: Path) -> None:
    file = write(
        tmp_path / "roster.csv", "student,name,canvas,group\nann,Ann,1,g\nbob,Bob,2,g\ncid,Cid,3,g\n"
    )
    write(tmp_path / "class" / "annann_1_77_kernel.cu", "a")
    found = downloads.read(tmp_path / "class", people=roster.load(file))
    assert found.notes == ()
    shared = {entry.student: (entry.is_shared, entry.ids) for entry in found.entries}
    assert shared == {"ann": (False, ("1", "ann")), "bob": (True, ("bob",)), "cid": (True, ("cid",))}
