"""A roster that is written after a class was graded renames what is saved; nobody stands there twice."""

from __future__ import annotations

from pathlib import Path

from support.fake_repository import GOOD, write
from support.term_folder import LABS, TermFolder, attempts, points
from warpgrade.core.lazy_sequence import LazySequence
from warpgrade.grading import saved_grades
from warpgrade.grading.listed import listed
from warpgrade.records import Grades
from warpgrade.submission import roster
from warpgrade.submission.roster import People


def people(folder: Path, rows: str) -> People:
    return roster.load(write(folder / "roster.csv", f"student,name,folder,section,grader\n{rows}"))


def graded(term_folder: TermFolder) -> Grades:
    for name in ("ann", "bob"):
        write(term_folder.root / "before" / f"{name}.cu", GOOD)
    return term_folder.grade("before", LABS[0])


def test_a_saved_student_becomes_the_person_of_the_roster(term_folder: TermFolder, tmp_path: Path) -> None:
    old = graded(term_folder)
    new = listed(old, people(tmp_path, "zo7,Ann Miller,ann,B,eve\n"))
    assert points(new) == {"bob": {LABS[0]: 100}, "zo7": {LABS[0]: 100}}, "sorted by the new identity"
    ann = new.students[1]
    assert (ann.name, ann.section, ann.grader, ann.entry) == ("Ann Miller", "B", "eve", "ann.cu")
    assert ann.results[0].submission is not None, "its files are found where they were saved"
    assert new.notes[len(old.notes) :] == ("ann: is zo7 in the roster",)
    again = listed(new, people(tmp_path, "zo7,Ann Miller,ann,C,eve\n"))
    assert [student.section for student in again.students] == ["", "C"] and again.notes == new.notes


def test_the_same_files_handed_in_again_are_no_second_student(
    term_folder: TermFolder, tmp_path: Path
) -> None:
    graded(term_folder)
    write(term_folder.root / "after" / "ann.cu", GOOD)
    write(term_folder.root / "after" / "cid.cu", GOOD)
    listing = people(tmp_path, "zo7,Ann Miller,ann,B,eve\n")
    new = term_folder.grade("after", LABS[0], people=listing)
    assert points(new) == {name: {LABS[0]: 100} for name in ("bob", "cid", "zo7")}
    assert len(attempts(new, "zo7", LABS[0])) == 1
    assert "ann: is zo7 in the roster" in new.notes
    assert saved_grades.load(term_folder.out) == new


def test_attempts_under_both_identities_are_joined(term_folder: TermFolder, tmp_path: Path) -> None:
    graded(term_folder)
    write(term_folder.root / "after" / "zo7.cu", f"{GOOD}// again\n")
    both = term_folder.grade("after", LABS[0])
    new = listed(both, people(tmp_path, "zo7,Ann Miller,ann,B,eve\n"))
    assert [student.id for student in new.students] == ["bob", "zo7"]
    found = [result.submission for result in attempts(new, "zo7", LABS[0])]
    assert [each.files[0].text.endswith("again\n") for each in found if each] == [False, True]


def test_two_students_that_may_be_one_person_stay_apart(term_folder: TermFolder, tmp_path: Path) -> None:
    old = graded(term_folder)
    unsure = people(tmp_path, "zo7,ann,bob,B,eve\n")
    assert points(listed(old, unsure)) == points(old)
    assert listed(old, None) is old


def test_students_of_a_large_class_are_still_read_one_by_one(term_folder: TermFolder, tmp_path: Path) -> None:
    old = graded(term_folder)
    large = Grades(old.setting, old.labs, LazySequence(len(old.students), old.students.__getitem__))
    new = listed(large, people(tmp_path, "zo7,Ann Miller,ann,B,eve\n"))
    assert isinstance(new.students, LazySequence) and [each.id for each in new.students] == ["bob", "zo7"]
