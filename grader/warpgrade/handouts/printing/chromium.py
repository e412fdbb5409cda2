"""Prints pages with headless Chromium: one process for many pages, as starting it takes longer than printing.

Commands are sent by the Chrome DevTools Protocol: each is a JSON message with a number, and its answer has
the same number.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...core.errors import GraderError
from ...core.paths import typed
from ...sandbox.dialogue import Dialogue

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL_COMMAND = "sudo apt-get install chromium"
_MOST = 4  # browsers at once: each takes some hundred megabytes
_SECONDS = 60.0  # in which it says nothing and does nothing: then it is taken for dead
# Margins and the size of a page are those of the style sheet (@page).
_PRINTED = {
    "printBackground": True, "preferCSSPageSize": True, "displayHeaderFooter": False,
    "generateTaggedPDF": True, "generateDocumentOutline": True,
}  # fmt: skip


def browser() -> str | None:
    """Chromium's path, or None if it is not installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def need_browser() -> str:
    """Chromium's path. GraderError, with the command that installs it, if it is missing."""
    found = browser()
    if found is None:
        raise GraderError("Chromium is missing; it makes the PDF files", remedy=INSTALL_COMMAND)
    return found


class Chromium(contextlib.ExitStack):
    """The browser at `path`, started with the first page and ended with the `with` statement."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self._dialogue: Dialogue | None = None
        self._session = ""
        self._calls = 0

    def printed(self, page: Path) -> bytes:
        """The page as a tagged PDF. GraderError if the browser prints none."""
        try:
            if self._dialogue is None:
                self._start()
            self._call("Page.navigate", url=page.resolve().as_uri())
            self._event("Page.loadEventFired")
            return base64.b64decode(self._call("Page.printToPDF", **_PRINTED)["data"])
        except (OSError, EOFError, KeyError, ValueError) as error:
            words = str(error) or "it ended" if not isinstance(error, TimeoutError) else "it does not answer"
            raise GraderError(
                f"{self.path} printed nothing: {words}",
                file=page,
                remedy=f"{typed('handouts --no-pdf')} to do without PDF",
            ) from None

    def _start(self) -> None:
        folder = self.enter_context(tempfile.TemporaryDirectory(prefix="warpgrade-pdf-"))
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder}
        self._dialogue = self.enter_context(Dialogue(_command(self.path, Path(folder)), environment))
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._call("Page.enable")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a method. ValueError with the browser's words if it refuses."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._need().send(json.dumps(message).encode())
        while (answer := self._received()).get("id") != self._calls:
            pass
        if "error" in answer:
            raise ValueError(answer["error"].get("message", "it refused"))
        result: dict[str, Any] = answer["result"]
        return result

    def _event(self, method: str) -> None:
        while self._received().get("method") != method:
            pass

    def _received(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._need().receive(_SECONDS))
        return message

    def _need(self) -> Dialogue:
        assert self._dialogue is not None
        return self._dialogue


class Chromiums(contextlib.ExitStack):
    """Browsers that print at the same time. Each one starts when it gets its first page."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.count = min(_MOST, os.cpu_count() or 1)
        self._free: queue.SimpleQueue[Chromium] = queue.SimpleQueue()
        for _ in range(self.count):
            self._free.put(self.enter_context(Chromium(path)))

    @contextlib.contextmanager
    def one(self) -> Iterator[Chromium]:
        """A browser that no other thread uses meanwhile."""
        browser = self._free.get()
        try:
            yield browser
        finally:
            self._free.put(browser)


def _command(chromium: str, folder: Path) -> list[str]:
    command = [chromium, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}/profile"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium refuses to start as root otherwise; the page is our own
    return [*command, "--remote-debugging-pipe", "about:blank"]
