"""The file in which students name faults: cut with the skeletons, one table for each fault."""

from __future__ import annotations

import tomllib

from warpgrade.core.paths import here
from warpgrade.course import fault_sheet, lab
from warpgrade.solution import skeletons


def test_each_fault_of_the_file_has_a_table() -> None:
    rows = [
        {"name": "first", "file": "a.cu", "kernel": "scan"},
        {"name": "second", "file": "b.cu", "kernel": "add"},
    ]
    text = fault_sheet.blank("05-scan", "fault.toml", rows)
    blank = {"line": 0, "verdict": fault_sheet.UNANSWERED}
    assert tomllib.loads(text) == {"first": blank, "second": blank}
    assert "./warpgrade check 05-scan" in text and all(word in text for word in fault_sheet.WORDS)
    assert "[second]  # add in b.cu\n" in text


def test_a_lab_with_faults_has_a_sheet_among_its_skeletons() -> None:
    made = {(each.lab, each.path.name) for each in skeletons.all_of(here().root)}
    labs = [item for item in lab.find(here()) if item.faults]
    assert labs and all((item.name, fault.answers) in made for item in labs for fault in item.faults)
