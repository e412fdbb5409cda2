"""Arrays and structs of a thread, by the names of the source, in words and on the page."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.programs.recordings import REPOSITORY, recorded
from warpgrade.player import story
from warpgrade.player.parts import leaves

NODE = shutil.which("node")
PROBE = Path(__file__).parent / "page" / "answers.mjs"
SUM = "float sum = 0.0f;"
STACK = """float sum = 0.0f;
  struct Half { int low; int high[2]; };
  struct Base { int tag; };
  struct Point : Base { int x; Half half; } point;
  point.tag = tx + 2; point.x = tx; point.half.high[1] = ty;
  static int seen[256];
  seen[tx + 16 * ty] = 100 + tx;
  int values[2][3];
  for (int at = 0; at < 6; ++at) values[at / 3][at % 3] = 10 * tx + at;
"""
INT = {"kind": "int", "name": "int", "bytes": 4, "extents": []}

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


def test_parts_of_a_type() -> None:
    record = {"kind": "struct", "bytes": 8, "extents": [2], "members": [
        {"name": "", "offset": 0, "type": INT}, {"name": "y", "offset": 4, "type": INT}]}  # fmt: skip
    parts = [(path, offset) for path, offset, _ in leaves(record)]
    assert parts == [("[0]", 0), ("[0].y", 4), ("[1]", 8), ("[1].y", 12)]


def test_parts_have_the_names_of_the_source_in_words_and_on_the_page(tmp_path: Path) -> None:
    made = recorded(SUM, instead=STACK)
    story_text = "\n".join(story.lines(made.scene.recording, (5, 1, 0)))
    for words in (
        "point.tag = 7",
        "point.x = 5",
        "point.half.high[1] = 1",
        "values[1][2] = 55",
        "writes seen[21] := 105",
    ):
        assert words in story_text
    if NODE is None:
        return
    file, wanted = tmp_path / "recording", tmp_path / "questions.json"
    file.write_bytes(json.dumps(made.scene.head).encode() + b"\n" + made.scene.recording.stream)
    half = len(made.scene.recording.steps) // 2
    static = {"moment": half, "array": "seen", "index": 21}
    wanted.write_text(json.dumps([{"moment": half, "thread": 21}, static]))
    ran = subprocess.run([NODE, PROBE, file, wanted], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    found = dict(json.loads(ran.stdout)[0])
    assert json.loads(ran.stdout)[1] == 105
    assert (found["point.tag"], found["point.x"], found["point.half.high[1]"]) == (7, 5, 1)
    assert [found[f"values[{at // 3}][{at % 3}]"] for at in range(6)] == [50 + at for at in range(6)]
    assert "point.half.low" not in found, "nothing has set it"
