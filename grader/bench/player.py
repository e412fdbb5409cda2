"""How long a player's page takes to open and to step, in headless Chromium, in real time.

    .venv/bin/python grader/bench/player.py PAGE.html

`warpgrade play` makes the page. One line of JSON: bytes of the page, steps of the recording, milliseconds
from the start of loading until the first picture is drawn, and for each kind of move the mean and the longest
of its milliseconds (script and layout).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

MOVES = 120  # of each kind
TIME_OUT = 120.0  # seconds
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
  navigator.sendBeacon('/result', JSON.stringify(out));
});</script></body>"""


def measured(page: str) -> dict[str, object]:
    """What the probe in the page reports."""
    found: list[dict[str, object]] = []
    done = threading.Event()
    plain = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page)
    served = plain.replace("</body>", PROBE.replace("MOVES", str(MOVES))).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(served)

        def do_POST(self) -> None:
            found.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            done.set()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            sys.exit("needs chromium: apt-get install chromium")
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                   "--window-size=1500,1000", "--remote-debugging-port=0", address]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            done.wait(TIME_OUT)
            process.terminate()
        server.shutdown()
    if not found:
        sys.exit(f"the page reported nothing within {TIME_OUT:.0f} s")
    return found[0]


def main() -> None:
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    print(json.dumps({"page_bytes": len(page.encode())} | measured(page)))


if __name__ == "__main__":
    main()
