"""No student is lost: as many rows as entries, whatever names, numbers and addresses people share."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from support.fake_repository import LAB, hand_in, write
from warpgrade.export import results
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.report import html
from warpgrade.submission import admit, downloads, roster
from warpgrade.submission.archive import Contents

PEOPLE = 1000
NAMES = (
    "Zoë Lee",
    "ZOË LEE",
    "zoe\N{COMBINING DIAERESIS} lee",
    "Ann Poe",
    "ann  poe",
    "李明",
    "王芳",
    "Ann_Poe",
    "straße",
    "STRASSE",
)


def somebody(rng: random.Random) -> str:
    name = rng.choice(NAMES)
    return rng.choice((name, unicodedata.normalize("NFD", name), f"{name} {rng.randrange(300)}"))


def gradescope(folder: Path, rng: random.Random) -> int:
    """Everyone shares a number, else an address, else a name with someone. Returns the entries made."""
    rows, made, number = ["---"], 0, 0
    while made < PEOPLE:
        number += 1
        again = rng.random() < 0.02 and number > 1
        rows += [f"submission_{number - again}:", "  :submitters:"]
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            made += 1
            rows.append(f"  - :name: {json.dumps(somebody(rng) if rng.random() < 0.9 else '')}")
            rows += [f"    :sid: '{rng.randrange(300)}'"] if rng.random() < 0.4 else []
            rows += [f"    :email: p{rng.randrange(300)}@example.edu"] if rng.random() < 0.4 else []
        rows.append(f"  :created_at: 2026-11-02 08:30:{rng.randrange(60):02} Z")
        if not again:
            (folder / f"submission_{number}").mkdir(parents=True)
    write(folder / "submission_metadata.yml", "\n".join(rows) + "\n")
    return made


def named(form: Callable[[str, int, int], str]) -> Callable[[Path, random.Random], int]:
    """A class of files; entries differ in user id or name. A file system may keep fewer names apart."""

    def make(folder: Path, rng: random.Random) -> int:
        made = {(somebody(rng), rng.randrange(100, 700)) for _ in range(PEOPLE)}
        for number, (name, user) in enumerate(sorted(made)):
            write(folder / form(name, user, number), "a")
        return len(made)

    return make


CLASSES = {
    "gradescope": gradescope,
    "canvas": named(lambda name, user, number: f"{name.replace('_', '')}_{user}_{number}_kernel.cu"),
    "moodle": named(lambda name, user, number: f"{name}_{user}_assignsubmission_file/kernel.cu"),
    "blackboard": named(lambda name, user, _: f"Lab_{name}{user}_attempt_2026-11-02-08-30-05_kernel.cu"),
    "plain": named(lambda name, user, number: f"{name} {user}{('', '.cu', '/kernel.cu')[number % 3]}"),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("source", CLASSES)
def test_as_many_rows_as_entries(tmp_path: Path, source: str, seed: int) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    made = CLASSES[source](folder, random.Random(seed))
    known = roster.load(write(tmp_path / "roster.csv", "student,name\n77,Zoe Lee\nx,李明\nbob,B\nbób,C\n"))
    for people in (None, known):
        found = downloads.read(folder, people=people)
        assert found.source == source and len(found.entries) == made
        ids = [entry.student for entry in found.entries] + [student.id for student in found.missing]
        assert len({id.casefold() for id in ids}) == len(ids)
        assert any("stands for" in note for note in found.notes)
        assert people is None or len(found.missing) >= 2


METADATA = """\
---
submission_1:
  :submitters:
  - :name: Ann Poe
    :sid: '77'
submission_2:
  :submitters:
  - :name: Eve Low
    :sid: '77'
submission_3:
  :submitters:
  - :name: Ann Poe
    :email: ann@example.edu
  - :name: Bo Li
    :email: ann@example.edu
submission_4:
  :submitters:
  - :name: Cy Coe
submission_4:
  :submitters:
  - :name: cy  coe
../outside:
  :submitters:
  - :name: Cy Coe
"""


def test_nobody_takes_anothers_place(class_folder: Path, session: Session) -> None:
    for number in range(1, 5):
        hand_in(class_folder, f"submission_{number}", f"number {number}")
    write(class_folder / "submission_metadata.yml", METADATA)
    out = session.repository.root / "grades"
    found = downloads.read(class_folder)
    grades = batch.grade_class(found, out, session)
    html.render(grades, out)
    results.write(grades, out)
    assert sorted(student.name for student in grades.students) == [
        "Ann Poe", "Ann Poe", "Bo Li", "Cy Coe", "Cy Coe", "Eve Low", "cy  coe"
    ]  # fmt: skip
    assert [student.name for student in grades.students if student.problem] == ["Cy Coe"]
    assert sum(result.lab == LAB for student in grades.students for result in student.results) == 6
    page = (out / "index.html").read_text(encoding="utf-8")
    for name in ("77", "Ann Poe", "ann@example.edu", "Cy Coe"):
        assert f"{name} stands for 2 entries" in page
    rows = (out / "gradebook.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 7
    assert len(list((out / "students").iterdir())) >= 7


def test_one_user_id_with_two_names(tmp_path: Path) -> None:
    """Of two courses in one folder, say: nobody's file counts as another's earlier attempt."""
    write(tmp_path / "doejohn_101_9000_kernel.cu", "john")
    write(tmp_path / "roemary_101_9001_kernel.cu", "mary")
    found = downloads.read(tmp_path)
    contents = [admit.read(entry) for entry in found.entries]
    assert sorted(each.files["kernel.cu"] for each in contents if isinstance(each, Contents)) == [
        b"john",
        b"mary",
    ]
    assert any(note.startswith("101 stands for 2 entries: doejohn") for note in found.notes)


def test_people_who_only_look_alike_to_a_file_system(tmp_path: Path) -> None:
    """Names without an ASCII letter get the same folder name, though they are different names."""
    for name in ("李明", "王芳"):
        write(tmp_path / name / "kernel.cu", name)
    found = downloads.read(tmp_path)
    assert len({entry.student for entry in found.entries}) == 2 and found.notes == ()


@pytest.mark.parametrize(
    "name", [".net_101_9000_kernel.cu", ".net_7_assignsubmission_file_kernel.cu"], ids=["canvas", "moodle"]
)
def test_a_name_that_begins_with_a_dot_is_a_persons(tmp_path: Path, name: str) -> None:
    """Files of that name are hidden; those beside it are what macOS leaves there."""
    for number in range(2):
        write(tmp_path / name.replace(".net", f"ann{number}"), "a")
    write(tmp_path / name, "mine")
    write(tmp_path / f"._{name}", "litter")
    write(tmp_path / ".DS_Store", "litter")
    found = downloads.read(tmp_path)
    assert found.source in CLASSES and len(found.entries) == 3
    assert ".net" in [entry.name for entry in found.entries]
    assert sum(note.startswith("ignored ") for note in found.notes) == 2


def test_metadata_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "submission_1" / "kernel.cu", "a")
    write(tmp_path / "submission_metadata.yml", 'submission_1: "\\ud835"\n')
    found = downloads.read(tmp_path)
    assert [entry.student for entry in found.entries] == ["submission_1"]
    assert any("cannot be read" in note for note in found.notes)
