"""How long a player's page takes to open and to step, in headless Chromium, in real time.

    PYTHONPATH=grader/tests .venv/bin/python grader/bench/player.py PAGE.html

`warpgrade play` makes the page. One line of JSON: bytes of the page, steps of the recording, milliseconds
from the start of loading until the first picture is drawn, and for each kind of move the mean and the longest
of its milliseconds (script and layout).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from page_probe import measured

MOVES = 120  # of each kind
PROBE = """
<script>addEventListener('DOMContentLoaded', async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const player = await window.player;
  await drawn();
  const out = {steps: player.recording.length, open_ms: performance.now()};
  const commands = new Map(player.commands().map(([key, , act]) => [key, act]));
  const measure = async (name, at, act) => {
    player.go(at); await drawn();
    const all = [];
    for (let i = 0; i < MOVES; i++) {
      const begun = performance.now();
      act(i); document.body.offsetHeight; all.push(performance.now() - begun);
      await drawn();
    }
    out[name] = {mean_ms: all.reduce((a, b) => a + b) / all.length, most_ms: Math.max(...all)};
  };
  await measure('instruction', 0, commands.get('ArrowRight'));
  await measure('back', player.moments.last, commands.get('ArrowLeft'));
  await measure('line', 0, commands.get('ArrowDown'));
  await measure('drag', 0, (i) => player.go(Math.floor(i * player.moments.last / MOVES)));
  post(JSON.stringify(out));
});</script>"""


def main() -> None:
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    print(json.dumps({"page_bytes": len(page.encode())} | measured(page, PROBE.replace("MOVES", str(MOVES)))))


if __name__ == "__main__":
    main()
