"""policy.toml is checked where it is read; every mistake is named with its line."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support.fake_repository import write
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import here
from warpgrade.course import policy
from warpgrade.course.policy import Adjustment, Extension, Late, Policy

EXAMPLE = here().root / "docs" / "policy.toml"


def test_a_copy_of_the_example_changes_nothing() -> None:
    assert policy.load(EXAMPLE) == Policy()


def test_the_example_has_every_key(tmp_path: Path) -> None:
    """Its rows are comments without a space behind the #."""
    schema = json.loads(Path(policy.__file__).with_name("policy.schema.json").read_text())
    rows = re.sub(r"^#(?! )", "", EXAMPLE.read_text(), flags=re.MULTILINE)
    example = tomllib.loads(rows)

    def keys(table: dict[str, Any]) -> set[str]:
        return set(table.get("items", table)["properties"])

    assert set(example) == keys(schema)
    for name in ("late", "extension", "late_days", "adjustment"):
        given = example[name][0] if isinstance(example[name], list) else example[name]
        assert set(given) == keys(schema["properties"][name]), name
    assert policy.load(write(tmp_path / "policy.toml", rows)).late.free_days == 3


def test_everything_is_read(tmp_path: Path) -> None:
    text = """\
term = "2026 autumn"
[due]
"01-a" = 2026-10-01T12:00:00+00:00
[late]
percent_a_day = 2.5
[[extension]]
student = "ill"
days = 3
reason = "ill"
[[late_days]]
student = "ada"
lab = "01-a"
days = 2
[[adjustment]]
student = "copy"
lab = "01-a"
points = -95
reason = "copied"
"""
    assert policy.load(write(tmp_path / "policy.toml", text)) == Policy(
        term="2026 autumn",
        due={"01-a": datetime(2026, 10, 1, 12, tzinfo=UTC)},
        late=Late(percent_a_day=2.5),
        extensions=(Extension("ill", 3, "ill"),),
        late_days={("ada", "01-a"): 2},
        adjustments=(Adjustment("copy", "01-a", -95, "copied"),),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[due]\na = 2026-10-01T12:00:00\n", 2, "with a zone"),
        ("[late]\nfree = 1\n", 2, "unknown key 'free' in late"),
        ("[[extension]]\nstudent = 'a'\ndays = 1\n", 1, "lacks the key 'reason'"),
        ("term = 'x'\n[[adjustment]]\nstudent = 'a'\nlab = 'b'\npoints = '5'\nreason = ''\n", 5, "points"),
        ("[late]\npercent_a_day = -5\n", 2, "-5 is less than the minimum of 0"),
        ("[late]\nfree_days = 99999999999999999999\n", 2, "greater than the maximum"),
        ("[[adjustment]]\nstudent = 'a'\nlab = 'b'\npoints = 1e300\nreason = ''\n", 4, "the maximum of 100"),
        ("[[extension]]\nstudent = 'a'\ndays = -1\nreason = ''\n", 3, "-1 is less than the minimum of 0"),
        ("[extra]\n", 1, "unknown key 'extra'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(InstructorError, match=message) as caught:
        policy.load(write(tmp_path / "policy.toml", text))
    assert caught.value.line == line


def test_a_lab_is_due_once(tmp_path: Path) -> None:
    dates = "[due]\n07 = 2026-10-01T12:00:00Z\n07-transpose = 2026-10-08T12:00:00Z\n"
    rules = policy.load(write(tmp_path / "policy.toml", dates))
    assert rules.due.keys() == {"07", "07-transpose"}
    with pytest.raises(
        InstructorError, match=r"policy\.toml:3: 07-transpose is due twice: .* at policy\.toml:2"
    ):
        rules.with_labs(lambda word: "07-transpose" if word == "07" else word)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        policy.load(tmp_path / "none.toml")
