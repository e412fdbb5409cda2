"""results.json and gradebook.csv."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import LAB, hand_in, write
from warpgrade.export import results
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.records import Grades, Part, Score
from warpgrade.submission import downloads


@pytest.fixture
def grades(class_folder: Path, session: Session) -> Grades:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "second: crash")
    hand_in(class_folder, '=HYPERLINK("evil")', "first: race")
    write(class_folder / '-mallory,"x".zip', "broken")
    out = session.repository.root / "grades"
    return batch.grade_class(downloads.read(class_folder), out, session)


def test_gradebook(grades: Grades) -> None:
    rows = list(csv.DictReader(io.StringIO(results.gradebook(grades))))
    by_student = {row["student"]: row for row in rows}
    assert by_student["alice"][LAB] == by_student["alice"]["total"] == "100"
    assert by_student["bob"][LAB] == by_student["bob"]["total"] == ""
    assert "withheld" in by_student["bob"]["remarks"]


def test_a_part_that_costs_nothing_has_no_points(grades: Grades) -> None:
    late = Part("adjustment", "late", 0.0, 0.0, "1 day late; 1 free late day used")
    result = replace(
        grades.students[0].results[0], score=Score(5.0, 100.0, (late, replace(late, earned=2.0)))
    )
    free, more = results.added_points(result)
    assert free == f"{LAB}: late: 1 day late; 1 free late day used"
    assert more == f"{LAB}: plus 2 (late: 1 day late; 1 free late day used)"


def test_no_cell_is_a_formula(grades: Grades) -> None:
    cells = [cell for row in csv.reader(io.StringIO(results.gradebook(grades))) for cell in row]
    assert len(cells) == 5 * 5
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert '\'=HYPERLINK("evil")' in cells


def test_results_hold_what_a_program_needs(grades: Grades) -> None:
    data = json.loads(results.results_json(grades))
    alice = next(student for student in data["students"] if student["id"] == "alice")
    result = alice["results"][0]
    assert result["score"]["total"] == 100
    assert result["judgement"]["cases"][0] == {
        "codes": [],
        "name": "first",
        "sentence": "right",
        "verdict": "PASS",
    }
    assert result["run"]["counters"]["first"]["smsp__sass_data_bytes_mem_global_op_ld.sum"] == 256
    assert len(result["submission"]["hash"]) == 64
    assert data["setting"]["toolkit"] == "13.0.88"


def test_no_sources_paths_or_prints(grades: Grades, tmp_path: Path) -> None:
    text = results.results_json(grades)
    assert "__global__" not in text and str(tmp_path) not in text and "hello from" not in text


def test_write(grades: Grades, tmp_path: Path) -> None:
    files = results.write(grades, tmp_path / "out")
    assert [path.name for path in files] == ["results.json", "gradebook.csv"]
    assert files[0].read_text(encoding="utf-8") == results.results_json(grades)


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        (" =1", " '=1"),
        ("eve;=1+1;@SUM(1)", "eve;'=1+1;'@SUM(1)"),
        ("a, -b", "a, '-b"),
        ("\uff1d1", "'\uff1d1"),
        ("Anne-Marie O'Neill", "Anne-Marie O'Neill"),
        ("87.5", "87.5"),
    ],
)
def test_signs_that_start_a_formula(cell: str, safe: str) -> None:
    assert results.safe(cell) == safe
