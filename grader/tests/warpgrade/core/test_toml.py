"""The line of a key in a TOML file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.core.toml import TomlMistake, line_of, load, parsed

TEXT = """\
title = "x"

[points]
build = 10
[[case]]
name = "a"
points = 3
[[case]] # second
name = "b"
points = 4
"odd key" = 1
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (["title"], 1),
        (["points", "build"], 4),
        (["case", 0, "points"], 7),
        (["case", 1, "name"], 9),
        (["case", 1, "odd key"], 11),
        (["case", 1, "missing"], 8),
        (["case", 1], 8),
        (["nothing"], None),
    ],
)
def test_line_of(path: list[str | int], line: int | None) -> None:
    assert line_of(TEXT, path) == line


def test_a_mark_at_the_beginning_is_no_text() -> None:
    assert parsed(b"\xef\xbb\xbfa = 1\r\n") == ("a = 1\r\n", {"a": 1})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a = 1".encode("utf-16"), "not UTF-8"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "too many"),
        (b"a = " + b"9" * 6000, "too long"),
        (b"a = ", "line 1|end of document"),
    ],
    ids=["utf-16", "nested", "digits", "cut-off"],
)
def test_whatever_is_wrong_is_said(content: bytes, words: str) -> None:
    with pytest.raises(TomlMistake, match=words) as caught:
        parsed(content)
    assert ("as UTF-8" in caught.value.remedy) == (content[:2] == b"\xff\xfe")


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["term"],
    "properties": {
        "term": {"type": "string"},
        "due": {"type": "object", "additionalProperties": {"type": "datetime"}},
        "extension": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["student"],
                "properties": {"student": {"type": "string"}, "days": {"type": "integer"}},
            },
        },
    },
}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("term = \n", r":1: Invalid value \(at line 1, column 8\)"),
        ('term = "a"\ndues = 1\n', r":2: unknown key 'dues'; known are due, extension, term"),
        ("[due]\n", r": lacks the key 'term'"),
        ('term = "a"\n[due]\nlab = "x"\n', r":3: due.lab: 'x' is not of type 'datetime'"),
        ('term = "a"\n[[extension]]\nstudent = "b"\ndays = true\n', r":4: .*not of type 'integer'"),
        ('term = "a"\n[[extension]]\ndays = 1\n', r":2: extension\[1\]: lacks the key 'student'"),
        (
            'term = "a"\n[[extension]]\nstudent = "b"\ndayz = 1\n',
            r":4: unknown key 'dayz' in extension\[1\]; known are days, student",
        ),
        (
            'term = 1\n[[extension]]\nstudent = 2\n[[extension]]\nstudent = "b"\ndays = true\n',
            r":1: .*not of type 'string' \(2 more, in lines 3, 6\)",
        ),
        ("term = 1\n[due]\nlab = 1\n", r":1: .*\(1 more, in line 3\)"),
    ],
)
def test_every_error_has_its_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises(InstructorError, match=f"policy.toml{says}"):
        load(file, SCHEMA)


def test_a_document_gives_data_and_lines(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('term = "a"\n[due]\nlab = 2026-10-02T23:59:00-04:00\n')
    document = load(file, SCHEMA)
    assert document.data["due"]["lab"].year == 2026
    assert str(document.error("is past", "due", "lab")) == f"{file}:3: is past"


def test_a_missing_file_has_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(InstructorError, match="is missing") as caught:
        load(tmp_path / "none.toml", SCHEMA, "write one")
    assert caught.value.remedy == "write one"


@pytest.mark.parametrize(
    ("make", "words"), [(Path.mkdir, "is a folder"), (os.mkfifo, "is not a regular file")]
)
def test_what_is_no_file_is_not_read(tmp_path: Path, make: Callable[[Path], None], words: str) -> None:
    make(tmp_path / "lab.toml")
    with pytest.raises(InstructorError, match=words) as caught:
        load(tmp_path / "lab.toml", {})
    assert caught.value.remedy


@pytest.mark.parametrize("value", ["nan", "-inf", "[1, { deep = +nan }]"])
def test_numbers_that_are_none(tmp_path: Path, value: str) -> None:
    """The schema's bounds let nan pass, and points of nan make every total nan."""
    file = tmp_path / "lab.toml"
    file.write_text(f"[points]\nbuild = {value}\n")
    with pytest.raises(InstructorError, match="is not a finite number") as caught:
        load(file, {"type": "object"})
    assert caught.value.line == 2
