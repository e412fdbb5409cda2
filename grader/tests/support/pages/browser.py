"""Headless Chromium for tests of pages: each page in a frame of given width, a script run in it."""

import functools
import html
import json
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def needs_chromium(test: Callable[..., None]) -> Callable[..., None]:
    """Skips the test where no Chromium is installed, also in continuous integration."""
    missing = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")
    return pytest.mark.optional(missing(test))


# How wide a page is shown, and how far it reaches beyond that.
WIDTH = "[innerWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth]"


@dataclass(frozen=True)
class Question:
    """The value of a JavaScript expression in `page`, shown `width` pixels wide."""

    page: str
    expression: str
    width: int


def ask(page: str, expression: str, width: int, folder: Path) -> Any:
    """The answer to one question."""
    return ask_all([Question(page, expression, width)], folder)[0]


def ask_all(questions: Sequence[Question], folder: Path) -> list[Any]:
    """The answers, from one browser: to start it takes longer than to show a page.

    A window cannot be as narrow as a phone, so each page stands in a frame and sends its answer
    out. An error of a page's own scripts is an answer, too: {"error": …}.
    """
    for number, question in enumerate(questions):
        (folder / f"{number}.html").write_text(_asked(question, number))
    frames = "".join(
        f"<iframe style='width:{question.width}px;height:900px;border:0' src='{number}.html'></iframe>"
        for number, question in enumerate(questions)
    )
    outer = folder / "outer.html"
    outer.write_text(
        "<!doctype html><body><script>const answers={};addEventListener('message',e=>{"
        "Object.assign(answers,JSON.parse(e.data));document.body.dataset.answers=JSON.stringify(answers)"
        "})</script>" + frames
    )
    assert CHROMIUM
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom",
         f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000", outer.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    match = re.search(r'data-answers="([^"]*)"', done.stdout)
    assert match, done.stderr[-2000:]
    answers = json.loads(html.unescape(match[1]))
    assert len(answers) == len(questions), done.stderr[-2000:]
    return [answers[str(number)] for number in range(len(questions))]


POST = "(text) => fetch('/posted', {method: 'POST', body: text})"  # JavaScript: what posted() waits for


def posted(folder: Path, page: str, seconds: float = 100.0) -> str | None:
    """The text that the page, a file of the folder, posts; None if it posts none in that time.

    The browser runs in real time. Virtual time may end while a page still works, such as on compressed data.
    """
    found: list[str] = []
    done = threading.Event()

    class Handler(SimpleHTTPRequestHandler):
        def do_POST(self) -> None:
            found.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(204)
            self.end_headers()
            done.set()

        def log_message(self, format: str, *args: object) -> None:
            pass

    assert CHROMIUM
    handler = functools.partial(Handler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/{page}"
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                   "--window-size=1500,1000", "--remote-debugging-port=0", address]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            done.wait(seconds)
            process.terminate()
        server.shutdown()
    return found[0] if found else None


def _asked(question: Question, number: int) -> str:
    """The page with a script at its end that sends out {number: answer}."""
    tail = (
        "<script>addEventListener('load',()=>{let a;try{a=" + question.expression + "}"
        "catch(e){a={error:String(e)}}parent.postMessage(JSON.stringify({" + str(number) + ":"
        "window.failed?{error:window.failed}:a}),'*')})</script>"
    )
    head = "<script>addEventListener('error',e=>{window.failed=String(e.message)})</script>"
    return question.page.replace("<head>", "<head>" + head, 1).replace("</body>", tail + "</body>")
