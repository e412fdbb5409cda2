"""Mistakes in tables [[fault]] of lab.toml, each with its line and a remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support import fixture_course
from warpgrade.core.errors import InstructorError
from warpgrade.course import lab
from warpgrade.records import Lab

TEXT = (fixture_course.FIXTURES / "labs" / "36-faulty" / "lab.toml").read_text(encoding="utf-8")
Load = Callable[[str], object]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def with_text(text: str) -> object:
        folder = tmp_path / "36-faulty"
        folder.mkdir()
        (folder / "lab.toml").write_text(text, encoding="utf-8")
        return lab.load(folder)

    return with_text


def without(table: str) -> str:
    """The text without that table, up to the next one."""
    start = TEXT.index(f"{table}\n")
    return TEXT[:start] + TEXT[TEXT.index("\n[", start + 1) + 1 :]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.replace('file = "kernel.cu"', 'file = "other.cu"'),
            r"debug' has a \[\[fault\]\] in its first file",
        ),
        (
            without("[[fault]]").replace("build = 10", "build = 20"),
            r"debug' has a \[\[fault\]\] in its first file",
        ),
        (TEXT.replace('answers = "fault.toml"', 'answers = "name.toml"'), "there is no 'name.toml'"),
        (TEXT.replace('kernel = "mirror_groups"', 'kernel = "other"'), "there is no 'other'"),
        (TEXT.replace('"1000-zero-mean"]', '"1-zero-mean"]'), "there is no case '1-zero-mean'"),
        (TEXT.replace('"1000-zero-mean"]', '"77-zero-mean"]'), "the case '77-zero-mean' is hidden"),
        (TEXT.replace("named = 10", "named = 5\nrepaired = 5"), "earns the points of all cases"),
        (TEXT.replace("named = 10", "named = 10\nprogram = true"), "holds the lab's kernels"),
        (TEXT.replace("named = 10", "named = 11"), "make 101 points, not 100"),
        (TEXT.replace('name = "order"', 'name = "order"\nline = 3'), "unknown key 'line'"),
    ],
)
def test_a_mistake_is_named_with_its_line(load: Load, text: str, message: str) -> None:
    with pytest.raises(InstructorError, match=message) as caught:
        load(text)
    assert caught.value.line


def test_a_lab_to_debug_needs_no_time(load: Load) -> None:
    text = without("[performance]").replace("named = 10", "named = 30")
    found = load(text)
    assert isinstance(found, Lab) and found.performance.points == 0 and found.possible_points == 100


def test_check_can_tell_all_points_but_those_for_names(load: Load) -> None:
    found = load(TEXT)
    assert isinstance(found, Lab) and (found.possible_points, found.practice_points) == (100, 90)
