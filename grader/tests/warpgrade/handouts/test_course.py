from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.handouts import course

ROOT = Path(__file__).resolve().parents[4]
PLAIN = 'title = "T"\nterm = "t"\ngpu = "h200"\n'


def course_of(folder: Path, text: str) -> Path:
    (folder / "handouts").mkdir()
    (folder / "handouts" / "course.toml").write_text(text)
    for name in ("01-a", "02-b"):
        (folder / "labs" / name).mkdir(parents=True)
        (folder / "labs" / name / "lab.toml").write_text("")
    return folder


def test_the_courses_own_file_is_right() -> None:
    ours = course.load(ROOT)
    assert ours.title and ours.gpu and ours.language == "en"


def test_all_keys_are_read(tmp_path: Path) -> None:
    text = PLAIN + (
        'language = "de"\nbegins = 2027-02-01\nends = 2027-06-30\nlabs = ["02-b"]\npolicies = ["Alone."]\n'
    )
    (tmp_path / "policy.toml").write_text("[due]\n02-b = 2027-03-01T23:59:00+01:00\n")
    made = course.load(course_of(tmp_path, text))
    assert (made.language, made.labs, made.policies) == ("de", ("02-b",), ("Alone.",))
    assert made.due["02-b"].date() == datetime.date(2027, 3, 1)


def test_labs_of_a_policy_have_short_names_and_unknown_ones_are_noted(tmp_path: Path) -> None:
    time = "2027-03-01T23:59:00+01:00"
    (tmp_path / "policy.toml").write_text(f"[due]\n02 = {time}\n03-c = {time}\n")
    assert set(course.load(course_of(tmp_path, PLAIN)).due) == {"02-b", "03-c"}
    assert course.doubts(tmp_path) == ["policy.toml:3: the course has no lab '03-c'"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN + "rooms = 3\n", "handouts/course.toml:4: unknown key 'rooms'"),
        (PLAIN + "language = 3\n", "handouts/course.toml:4: language: 3 is not of type 'string'"),
        (PLAIN + 'language = "../de"\n', "handouts/course.toml:4: language: '../de' does not match"),
        (PLAIN + 'begins = "soon"\n', "begins: 'soon' is not of type 'date'"),
        (PLAIN + 'labs = ["09-x"]\n', "labs names the lab '09-x'"),
        (PLAIN + "[due]\n02-b = 2027-01-01\n", "unknown key 'due'"),
        ('title = "T"\nterm = "t"\n', "lacks the key 'gpu'"),
        ("title =\n", "handouts/course.toml:1: "),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InstructorError) as caught:
        course.load(course_of(tmp_path, text))
    assert message in str(caught.value) and caught.value.remedy
