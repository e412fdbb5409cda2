"""Runs a page with a probe in headless Chromium, in real time, and gives what the probe reports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

TIME_OUT = 120.0  # seconds
# Milliseconds from the start of loading until the first picture is drawn.
OPENING = """<script>addEventListener('load', () => requestAnimationFrame(() => setTimeout(() =>
  navigator.sendBeacon('/result', JSON.stringify({open_ms: performance.now()})))));</script>"""


def measured(page: str, probe: str) -> dict[str, object]:
    """The JSON that the probe, put at the end of the page, sends to /result. Ends the program without one."""
    found: list[dict[str, object]] = []
    done = threading.Event()
    plain = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page)
    head, _, tail = plain.rpartition("</body>")
    served = f"{head or tail}{probe}</body>{tail if head else ''}".encode()

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
