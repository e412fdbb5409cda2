"""The name of a fault: one line and one word; what is wrong or hostile gets a message."""

from __future__ import annotations

import pytest

from warpgrade.answers import fault_answers
from warpgrade.answers.fault_answers import FaultName
from warpgrade.core.errors import SubmissionError
from warpgrade.course import fault_sheet


def parse(text: str) -> FaultName | None:
    return fault_answers.parse(text, "fault.toml", "order")


def test_a_name_is_a_line_and_a_word() -> None:
    assert parse('[order]\nline = 12\nverdict = " Race "\n') == FaultName(12, "race")


def test_the_sheet_is_read_and_names_nothing_yet() -> None:
    rows = [{"name": "order", "file": "kernel.cu", "kernel": "k"}]
    assert parse(fault_sheet.blank("36-faulty", "fault.toml", rows)) is None
    assert parse('[order]\nline = 12\nverdict = "?"\n') is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[order]\nline = [1, 2, 3]\nverdict = "race"',
            r"fault.toml:2: line of \[order\] is not the number of one",
        ),
        (
            '[order]\nline = 3\nverdict = ["race", "memory"]',
            r"fault.toml:3: verdict of \[order\] is not one of",
        ),
        ('[order]\nline = 3\nverdict = "anything"', "is not one of barrier, crash, memory, race, timeout"),
        ('[order]\nline = "3"\nverdict = "race"', "is not the number of one line"),
        ('[order]\nline = 3.0\nverdict = "race"', "is not the number of one line"),
        ('[order]\nline = true\nverdict = "race"', "is not the number of one line"),
        ('[order]\nline = -1\nverdict = "race"', "is not the number of one line"),
        (f'[order]\nline = {"9" * 900}\nverdict = "race"', "is not the number of one line"),
        ("[order]\nline = " + "9" * 5000, "the line has more than 1,000 characters"),
        (
            '[[order]]\nline = 1\nverdict = "race"\n[[order]]\nline = 2\nverdict = "race"',
            r"has no table \[order\]",
        ),
        ('[other]\nline = 1\nverdict = "race"', r"has no table \[order\]"),
        ('[order]\nline = 1\nline = 2\nverdict = "race"', "fault.toml:3: "),
        (
            '[order]\nlines = 1\nverdict = "race"',
            r"fault.toml:2: lines of \[order\] is neither line nor verdict",
        ),
        ("x" * 1_000_000, "larger than 64 KiB"),
        ("[order]\nline = " + "\n[" * 30_000, "fault.toml"),
        ("", r"has no table \[order\]"),
    ],
)
def test_a_wrong_or_hostile_file_gets_a_message(text: str, message: str) -> None:
    with pytest.raises(SubmissionError, match=message) as caught:
        parse(text)
    assert caught.value.remedy


def test_for_a_word_without_quotation_marks_the_message_shows_both_forms() -> None:
    with pytest.raises(SubmissionError) as caught:
        parse("[order]\nline = 3\nverdict = race")
    assert caught.value.remedy == 'write both as in line = 12 and verdict = "race"'
