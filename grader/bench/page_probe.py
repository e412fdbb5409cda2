"""Runs a page with a probe in headless Chromium, in real time, and gives what the probe reports."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path

from support.pages import browser

# Milliseconds from the start of loading until the first picture is drawn.
OPENING = """<script>addEventListener('load', () => requestAnimationFrame(() => setTimeout(() =>
  post(JSON.stringify({open_ms: performance.now()})))));</script>"""


def measured(page: str, probe: str) -> dict[str, object]:
    """What the probe, put at the end of the page, gives to `post` as JSON. Ends the program without it."""
    if browser.CHROMIUM is None:
        sys.exit("needs chromium: apt-get install chromium")
    plain = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page)
    body, _, end = plain.rpartition("</body>")
    with tempfile.TemporaryDirectory() as folder:
        text = f"{body}<script>const post = {browser.POST};</script>{probe}</body>{end}"
        (Path(folder) / "page.html").write_text(text, encoding="utf-8")
        answer = browser.posted(Path(folder), "page.html")
    if answer is None:
        sys.exit("the page reported nothing")
    found: dict[str, object] = json.loads(answer)
    return found
