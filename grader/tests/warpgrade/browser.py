"""Headless Chromium for tests of pages: a page in a frame of given width, a script run in it."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")


def ask(page: str, expression: str, width: int, folder: Path) -> Any:
    """The value of a JavaScript expression in `page`, shown `width` pixels wide.

    A window cannot be as narrow as a phone, so the page stands in a frame and sends its answer
    out. An error of the page's own scripts is an answer, too: {"error": …}.
    """
    tail = (
        "<script>addEventListener('load',()=>{let a;try{a=" + expression + "}catch(e){a={error:String(e)}}"
        "parent.postMessage(JSON.stringify(window.failed?{error:window.failed}:a),'*')})</script>"
    )
    head = "<script>addEventListener('error',e=>{window.failed=String(e.message)})</script>"
    (folder / "inner.html").write_text(
        page.replace("<head>", "<head>" + head, 1).replace("</body>", tail + "</body>")
    )
    outer = folder / "outer.html"
    outer.write_text(
        "<!doctype html><body>"
        "<script>addEventListener('message',e=>{document.body.dataset.answer=e.data})</script>"
        f"<iframe style='width:{width}px;height:900px;border:0' src='inner.html'></iframe>"
    )
    assert CHROMIUM
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom",
         f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000", outer.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    match = re.search(r'data-answer="([^"]*)"', done.stdout)
    assert match, done.stderr[-2000:]
    return json.loads(match[1].replace("&quot;", '"').replace("&lt;", "<").replace("&amp;", "&"))
