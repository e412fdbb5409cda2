"""Players in handouts: what a student may see of a solution, and what a picture of a moment shows."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from support.programs.recordings import LAB, SECOND_BARRIER
from warpgrade.core import messages
from warpgrade.core.paths import Repository
from warpgrade.drawing.moment import ArrayPicture
from warpgrade.handouts.figures import recorded_players
from warpgrade.player import stills
from warpgrade.records import Visibility
from warpgrade.solution import markers
from warpgrade.solution.markers import View

ROOT = Path(__file__).resolve().parents[5]
REPOSITORY = Repository(ROOT)
WORDS = messages.load(ROOT, "en")
FILE = f"solutions/{LAB.name}/kernel.cu"
MARKED = (ROOT / FILE).read_text(encoding="utf-8")
SOURCE = markers.cut(MARKED, FILE, View.STAFF)
CASE = "32x32x32-integers"

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


def rows(figure: str) -> list[list[str]]:
    return [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", figure)][1:]


def test_a_phase_fills_the_tiles_waits_and_reads_them() -> None:
    mask = markers.masked(MARKED, FILE)
    made = recorded_players.of_phase(WORDS, REPOSITORY, LAB, SOURCE, CASE, "phase", mask)
    filling, waiting, reading = rows(made.figure)
    assert "32 lanes of warp" in filling[1] and "32 written now" in filling[3]
    assert waiting[2] == "7 warps" and "0 never written" in waiting[3]
    assert "0 never written" in reading[3] and re.search(r"[1-9]\d* read now", reading[3])
    assert f'src="{made.name}"' in made.figure and "Line 3" not in made.figure
    for line in markers.solution_lines(MARKED, FILE):
        assert len(line) < 8 or line.replace("<", "\\u003c") not in made.page, line
    assert "__shared__ float" not in made.page and "constexpr int TILE_WIDTH = 16;" in made.page
    assert "bar.sync" in made.page and "[%" not in made.page, "operands of instructions tell an index"


def test_a_race_shows_both_sides() -> None:
    wrong = SOURCE.replace(SECOND_BARRIER, "")
    made = recorded_players.of_race(WORDS, REPOSITORY, LAB, wrong, CASE, "race")
    assert made is not None and len(rows(made.figure)) in (2, 3) and 'class="hot"' in made.figure
    assert '"start":"#finding=1"' in made.page
    caption = re.sub(r"\s+", " ", unescape(made.figure).split("<figcaption>")[1].split("</figcaption>")[0])
    lines = wrong.splitlines()
    for number in {int(number) for number in re.findall(r"step [\d,]+, line (\d+)", made.figure)}:
        assert f"Line {number}: {lines[number - 1].strip()}" in caption, "a listing has no numbers of lines"
    assert recorded_players.of_race(WORDS, REPOSITORY, LAB, SOURCE, CASE, "none") is None
    hidden = replace(LAB, cases=tuple(replace(each, visibility=Visibility.HIDDEN) for each in LAB.cases))
    assert recorded_players.of_race(WORDS, REPOSITORY, hidden, wrong, CASE, "race") is None


@pytest.mark.parametrize(
    ("columns", "count", "index", "is_table", "name", "at"),
    [
        (33, 32 * 33, 3 * 33 + 32, True, "tile[0…15][0…32]", 3 * 33 + 32),
        (132, 8 * 132, 4 * 132 + 100, True, "tile[0…7][84…116]", 4 * 33 + 16),
        (132, 128 * 132, 128 * 132 - 1, True, "tile[112…127][99…131]", 16 * 33 - 1),
        (32, 1000, 999, False, "tile[512…999]", 487),
    ],
)
def test_of_a_large_array_the_part_around_the_race_is_drawn(
    columns: int, count: int, index: int, is_table: bool, name: str, at: int
) -> None:
    cells = ["never"] * count
    cells[index] = "raced"
    part = stills._around(ArrayPicture("tile", columns, tuple(cells)), index, is_table)
    assert (part.name, part.cells.index("raced")) == (name, at)
    assert part.columns <= 33 and part.rows <= 16


def test_the_caption_of_a_race_is_true_of_every_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """It speaks of arrays in shared memory below the lanes, also where they are large."""
    monkeypatch.setattr(stills, "_MOST", 100)
    wrong = SOURCE.replace(SECOND_BARRIER, "") + "// with large arrays\n"
    made = recorded_players.of_race(WORDS, REPOSITORY, LAB, wrong, CASE, "race")
    assert made is not None and all("_tile[0…15][0…15]" in row[3] for row in rows(made.figure))
