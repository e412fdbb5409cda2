"""The page, driven in headless Chromium as a student drives it."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.pages import browser
from support.programs import recorded_programs
from support.programs.recordings import CASE, LAB, REPOSITORY, SECOND_BARRIER, recorded
from warpgrade.player import comparison, page, program_scene
from warpgrade.player.recording import READ, accessed
from warpgrade.records import Visibility
from warpgrade.run import npy

SECRET = "no student may read this line"
pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")

DRIVER = (Path(__file__).parent / "page" / "driver.js").read_text(encoding="utf-8")
RECEIVER = f"const post = {browser.POST}; addEventListener('message', (event) => post(event.data));"


def drive(text: str, script: str, folder: Path, width: int = 1400, fragment: str = "") -> dict[str, Any]:
    """What the script put into `out`. A phone's width is that of a frame, as a window cannot be so narrow."""
    inner, outer = folder / "inner.html", folder / "outer.html"
    driver = f"<script>{DRIVER.replace('SCRIPT;', script)}</script>"
    body, _, end = text.rpartition("</body>")
    inner.write_text(f"{body}{driver}</body>{end}", encoding="utf-8")
    frame = f"<iframe style='width:{width}px;height:900px;border:0' src='inner.html{fragment}'></iframe>"
    outer.write_text(f"<!doctype html><body><script>{RECEIVER}</script>{frame}")
    answers = browser.posted(folder, outer.name)
    assert answers, "the page posted nothing"
    found: dict[str, Any] = json.loads(answers)
    assert "error" not in found, found["error"]
    return found


@pytest.fixture(scope="module", autouse=True)
def secret() -> Iterator[None]:
    """All pages of this module are made where the course has a secret."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPGRADE_SALT", SECRET)
        yield


def race_page() -> str:
    made = recorded(SECOND_BARRIER)
    return page.page(made.scene.recording, made.scene.head, "Tiled", "a race", made.scene.notes)


@browser.needs_chromium
def test_the_page_opens_at_the_race_and_moves_by_keys(tmp_path: Path) -> None:
    found = drive(
        race_page(),
        """
        const at = player.moment;
        out.race = text('findings');
        key('ArrowLeft'); out.left = player.moment - at;
        key('ArrowRight'); out.right = player.moment - at;
        key('Home'); out.home = player.moment;
        key('PageDown'); out.barrier = text('story') + text('where');
        key('PageUp'); out.noBarrier = text('story');
        key('End'); out.end = player.moments.last - player.moment;
        key('ArrowUp'); out.up = player.moment < player.moments.last;
        key('ArrowDown'); out.down = player.moments.last - player.moment;
        player.go(at); key('W'); out.write = at - player.moment;
        key('w'); out.nextWrite = player.moment - at;
        key('Home'); key('f'); out.finding = player.moment;
        key('.'); out.thread = document.querySelector('#variables h2').textContent;
        player.go(7); await later(400); out.address = location.hash;
        player.readAddress('#step=4&thread=33'); player.show(); out.read = [player.moment, player.thread];
        player.go(player.moments.last); out.never = count('.grid .never');
        player.go(0); out.neverAtFirst = count('.grid .never');
        const all = [...document.querySelectorAll('button,select,canvas,[role=img]')];
        const timeline = document.getElementById('timeline'), canvas = timeline.querySelector('canvas');
        timeline.style.width = '500px';
        await new Promise((done) => new ResizeObserver(done).observe(timeline));
        out.resized = canvas.width / devicePixelRatio;
        const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
        for (const rule of rules) if (rule.media?.mediaText === 'print') rule.media.mediaText = 'all';
        const source = document.querySelector('.source'), shown = (each) => getComputedStyle(each).display;
        const moves = [...document.querySelectorAll('nav > *')].filter((each) => shown(each) !== 'none');
        out.printed = [moves.map((each) => each.id).join(), source.scrollHeight - source.clientHeight];
        out.printedLine = document.querySelector('.source .now').textContent.length > 0;
        out.unnamed = all.filter((node) => !node.closest('[aria-hidden]') && !named(node)).length;
        const registers = document.getElementById('registers');
        player.go(at); registers.open = true; await later(50);
        out.ptx = registers.querySelector('.ptx').textContent;
        out.registers = [...registers.querySelectorAll('tbody tr')].map((row) => row.textContent);
        """,
        tmp_path,
    )
    assert re.match(r"[a-z]+[.a-z0-9]* ", found["ptx"])
    assert len(found["registers"]) > 10 and all(each.startswith("%") for each in found["registers"])
    assert "No barrier opens between these two" in found["race"]
    assert "reads A_tile[" in found["race"] and "writes A_tile[" in found["race"]
    assert (found["left"], found["right"], found["home"]) == (-1, 0, 0)
    assert "the barrier opens" in found["barrier"] and "phase 2" in found["barrier"]
    assert found["noBarrier"] == "There is none."
    assert found["end"] == 0 and found["up"] and found["down"] == 0
    assert found["write"] > 0 and found["nextWrite"] == 0
    assert found["finding"] > 0 and found["thread"].startswith("Variables of thread (")
    assert found["address"].startswith("#step=8&thread=")
    assert found["read"] == [3, 33]
    assert (found["neverAtFirst"], found["never"]) == (512 + 768, 768)  # both tiles, and what is left of C
    assert found["unnamed"] == 0
    assert found["resized"] == 500
    assert found["printed"][0] == "where" and found["printed"][1] <= 1 and found["printedLine"]


@browser.needs_chromium
def test_of_a_race_between_blocks_the_page_names_the_element_and_the_other_block(tmp_path: Path) -> None:
    found = drive(
        page.of_scene(program_scene.of_file(recorded_programs.recorded("exchange", 1)), "a program"),
        """
        out.race = text('findings'); out.element = text('element');
        out.raced = count('.raced[data-index="37"]');
        """,
        tmp_path,
    )
    assert "thread (0) reads sent[37], line " in found["race"] and "of block" in found["race"]
    assert " in block (0,0,0), which is not recorded here" in found["race"]
    assert "Nothing makes one of these two blocks wait for the other" in found["race"]
    assert "sent[37] = 1" in found["element"] and found["raced"] == 1


@browser.needs_chromium
def test_a_large_array_shows_the_part_that_is_looked_at(tmp_path: Path) -> None:
    """And a move that draws only what has changed leaves what drawing all would."""
    made = recorded(SECOND_BARRIER)
    tall, wide = ({"shape": shape} for shape in ([128, 2], [2, 128]))
    shared = [array | shape for array, shape in zip(made.scene.head["shared"], (tall, wide), strict=True)]
    found = drive(
        page.page(made.scene.recording, made.scene.head | {"shared": shared}, "Tiled", "", ()),
        """
        const [tall, wide] = player.recording.arrays, panel = player.panels.find((each) => each.grids);
        const grid = (array) => panel.grids.find((each) => each.array === array);
        const part = (array) => grid(array).note.textContent.split(' · ').at(-1);
        const chosen = (array, index) => count(`.chosen[data-array="${array}"][data-index="${index}"]`);
        player.go(player.moments.last);
        player.chooseElement(tall, 255); out.rows = [part(tall), chosen(0, 255)];
        player.chooseElement(wide, 127); out.columns = [part(wide), chosen(1, 127)];
        const right = (node) => node.getBoundingClientRect().right;
        out.inSight = right(document.querySelector('.cell.chosen')) <= right(grid(wide).scroll) + 1;
        player.go(0); key('f'); out.atFinding = count('.written, .read') > 0;
        const drawn = () => panel.grids.map((each) => each.node.innerHTML).join();
        const changed = panel.changed.bind(panel);
        out.same = [0, 1, 40, 41, 500, 499, 2000, 30, player.moments.last, 7].map((moment) => {
          if (moment === 499) player.thread = 3;
          player.go(moment);
          const quick = drawn();
          for (const {squares} of panel.grids) for (const each of squares) each.name = each.text = null;
          panel.changed = () => null; player.show(); panel.changed = changed;
          return quick === drawn();
        });
        """,
        tmp_path,
        width=700,
    )
    assert found["rows"] == ["rows 64 to 127 of 128", 1]
    assert found["columns"] == ["columns 64 to 127 of 128", 1] and found["inSight"]
    assert found["atFinding"] and all(found["same"]), found["same"]


@browser.needs_chromium
def test_the_page_fits_a_phone(tmp_path: Path) -> None:
    found = drive(race_page(), f"out.width = {browser.WIDTH};", tmp_path, width=360)
    assert found["width"] == [360, 0]


@browser.needs_chromium
def test_one_moment_is_printed_with_its_step_its_values_and_all_findings(tmp_path: Path) -> None:
    """On paper nothing can be moved or scrolled."""
    from pypdf import PdfReader

    made = recorded(SECOND_BARRIER)
    file, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    file.write_text(race_page(), encoding="utf-8")
    finding = made.scene.head["findings"][0]
    moment = max(finding["step"], finding["other_step"])
    assert browser.CHROMIUM
    subprocess.run(
        [browser.CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000",
         f"--user-data-dir={tmp_path / 'profile'}", "--no-pdf-header-footer", f"--print-to-pdf={paper}",
         f"{file.as_uri()}#finding=1"],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    text = " ".join(" ".join(page.extract_text() for page in PdfReader(paper).pages).split())
    assert f"step {moment + 1:,} of {len(made.scene.recording.steps):,} · phase 2" in text
    for each in made.scene.head["findings"]:
        assert each["message"] in text
    for words in ("No barrier opens between these two", "Lanes of each warp", "A_tile[16][16] shared memory",
                  "Chosen element", "Variables of thread ("):  # fmt: skip
        assert words in text
    for words in ("barrier »", "step ›", "next write", "choose an element to follow it"):
        assert words not in text


@browser.needs_chromium
def test_two_players_go_in_step_and_say_where_they_differ(tmp_path: Path) -> None:
    right, wrong = recorded(), recorded(SECOND_BARRIER)
    found = drive(
        comparison.of_scenes(right.scene, wrong.scene, "Both", ("right", "it's wrong & raced")),
        """
        const both = await window.comparison, [left, right] = both.players;
        const place = (each) => [each.recording.warp[each.moment], each.moments.line(each.moment)];
        const at = () => [left, right].map(place), finding = right.head.findings[0];
        out.opened = [right.moment === Math.max(finding.step, finding.other_step), ...at()];
        right.go(0); out.first = [left.moment, right.moment];
        key('PageDown'); out.barrier = at();
        left.go(left.moments.last); out.last = at();
        document.querySelector('#in-step').click(); left.go(5); out.alone = right.moment !== 5;
        document.querySelector('#differences button').click();
        out.element = both.players.map((each) => each.chosen.array.name + each.chosen.index);
        out.summary = text('summary'); out.listed = count('#differences li');
        out.names = [...document.querySelectorAll('iframe')].map((each) => each.title);
        """,
        tmp_path,
    )
    assert found["opened"][0] and found["opened"][1][0] == found["opened"][2][0]
    assert found["first"] == [0, 0] and found["barrier"][0] == found["barrier"][1]
    assert found["last"][0] == found["last"][1] and found["alone"]
    assert found["element"][0] == found["element"][1] and found["element"][0].startswith("C")
    assert "elements that a block writes end with different values" in found["summary"]
    assert found["listed"] == 5 and found["names"][1] == "player of it's wrong & raced"


def test_neither_the_secret_nor_a_hidden_case_is_in_a_page() -> None:
    made = recorded(SECOND_BARRIER)
    hidden = [case.name for case in LAB.cases if case.visibility is not Visibility.VISIBLE]
    assert hidden
    for text in (race_page(), json.dumps(made.scene.head), made.scene.recording.stream.decode("latin-1")):
        assert not [word for word in (SECRET, *hidden) if word in text]
    values = npy.read((made.data / CASE.name / "A.npy").read_bytes()).values  # made with the public salt
    reads = [
        struct.unpack("<f", access.after[lane])[0]
        for step in made.scene.recording.steps
        for access, lane in accessed(step)
        if access.space == "global" and access.kind == READ
    ]
    assert reads[:16] == list(values[:16])


def test_a_source_cannot_leave_its_element() -> None:
    made = recorded(SECOND_BARRIER)
    head = made.scene.head | {"source": "</script><script>alert(1)</script><!--"}
    text = page.page(made.scene.recording, head, "<b>", "&", ())
    assert "alert(1)</script>" not in text and "<b>" not in text.split("<style>")[0]
    assert "http://" not in text and "https://" not in text


def test_a_block_of_a_tile_stays_small() -> None:
    """Two phases here; eight take four times as much, of 3 MB that they may."""
    assert len(race_page()) < 700_000
