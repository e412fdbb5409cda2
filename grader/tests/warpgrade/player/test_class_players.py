"""Pages for the findings of a graded class: on demand, linked where they are, of visible cases only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support import sample_results
from support.programs.recordings import LAB, REPOSITORY, SECOND_BARRIER, tools
from warpgrade.player import class_players
from warpgrade.records import Grades, Visibility
from warpgrade.report import html

SALT = "no student may read this line"
HIDDEN = [case for case in LAB.cases if case.visibility is not Visibility.VISIBLE]

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


def racy_class() -> Grades:
    """Bob left out a barrier of the solution: a race in each case, hidden ones included."""
    text = (
        (REPOSITORY.solution(LAB.name) / "kernel.cu").read_text(encoding="utf-8").replace(SECOND_BARRIER, "")
    )
    line = next(at for at, row in enumerate(text.splitlines(), 1) if "A_tile[ty][tx] =" in row)
    bob = sample_results.racy_student()
    result = bob.results[0]
    assert result.run
    one = result.run.findings[0]
    one = replace(one, kernel="", place=replace(one.place, line=line, block=(0, 0, 0)))
    run = replace(result.run, findings=tuple(replace(one, label=case.name) for case in LAB.cases))
    bob = replace(
        bob,
        results=(
            sample_results.with_records(result, run=run, submission=sample_results.submission("bob", text)),
        ),
    )
    return replace(sample_results.grades(), labs=(LAB,), students=(bob,))


def test_a_page_for_a_finding_is_made_once_and_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPGRADE_SALT", SALT)
    grades = racy_class()
    assert HIDDEN and len(grades.students[0].results) == 1
    html.render(grades, tmp_path)
    page, overview = tmp_path / "students" / "bob.html", tmp_path / "index.html"
    assert "play 02-tiled --finding 1" in page.read_text(encoding="utf-8")
    assert "players/" not in page.read_text(encoding="utf-8") + overview.read_text(encoding="utf-8")

    assert not list(class_players.missing(grades, tmp_path, "eve"))
    (wanted,) = class_players.missing(grades, tmp_path)  # one race, whatever the number of cases
    assert class_players.make(wanted, *tools(), tmp_path) == ""
    assert not list(class_players.missing(grades, tmp_path))
    player = (tmp_path / wanted.name).read_text(encoding="utf-8")
    assert '"start":"#finding=1"' in player
    for hidden in (SALT, *(case.name for case in HIDDEN)):
        assert hidden not in player

    html.render(grades, tmp_path)
    assert f'href="../{wanted.name}"' in page.read_text(encoding="utf-8")
    assert f'href="{wanted.name}"' in overview.read_text(encoding="utf-8")
    assert 'href="students/bob.html#02-tiled-moment-1"' in overview.read_text(encoding="utf-8")

    html.render(replace(grades, students=()), tmp_path)
    assert not (tmp_path / wanted.name).exists(), "nobody's page is of another class"
