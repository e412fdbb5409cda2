"""The roster CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.submission import roster


def test_every_column_is_a_name(tmp_path: Path) -> None:
    text = "\ufeffname,student,canvas,email\nAnn  Poe,ap2,103,ann@example.edu\n\nBo Li,bl3,,\n"
    found = roster.load(write(tmp_path / "people.csv", text))
    assert [person.student for person in found.everyone] == ["ap2", "bl3"]
    for name in ("103", "ANN@example.edu", "ann poe", "ap2"):
        person = found.find(["unknown", name])
        assert person is not None and person.name == "Ann  Poe"
    assert found.find(["", "unknown"]) is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name,id\nAnn,1\n", 1, "no column `student`"),
        ("student\na\na\n", 3, "second time"),
        ("student,name\n,Ann\n", 2, "names no student"),
        ("student,mail\na,x@y\nb,X@Y\n", 3, "means a and b"),
        pytest.param(f"student\n{'a' * 200_000}\n", 2, "field larger", id="long"),
    ],
)
def test_mistakes_are_reported_with_their_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(InstructorError, match=message) as caught:
        roster.load(write(tmp_path / "people.csv", text))
    assert caught.value.line == line


@pytest.mark.parametrize("sign", [";", "\t"])
def test_columns_are_parted_as_a_spreadsheet_of_that_language_does(tmp_path: Path, sign: str) -> None:
    found = roster.load(write(tmp_path / "people.csv", f"student{sign}name\nap2{sign}Poe, Ann\n"))
    assert found.everyone == (roster.Person("ap2", "Poe, Ann"),)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        roster.load(tmp_path / "none.csv")


def test_two_people_may_have_the_same_name(tmp_path: Path) -> None:
    people = roster.load(write(tmp_path / "r.csv", "student,name,login\nam1,Ann Li,x1\nam2,ann li,x2\n"))
    assert [person.name for person in people.everyone] == ["Ann Li", "ann li"]
    assert people.find(["Ann Li"]) is None, "nobody knows which of the two it is"
    found = people.find(["Ann Li", "x2"])
    assert found is not None and found.student == "am2"
