"""The cell magic `%%warpgrade LAB`: checks the kernel of a notebook's cell and shows the report below it.

It needs nothing but IPython: the check runs as the course's own command, with the packages that set-up
installed. So it also works in a notebook server whose Python is another one, such as Colab's.
"""

from __future__ import annotations

import html
import os
import shlex
import tempfile
from pathlib import Path
from typing import Any

from ..core import store
from ..core.errors import ExitCode
from ..core.paths import Repository, here
from ..sandbox import process

_MINUTES = 10  # set-up takes some, the first time
_LIMITS = process.ResourceLimits(seconds=60 * _MINUTES, address_bytes=None, processes=4096, drain=True)
_FRAME = (  # in a division, as IPython warns of HTML that is nothing but a frame
    '<div><iframe title="Report" sandbox="allow-scripts" srcdoc="{}" '
    'style="width:100%;height:40rem;border:1px solid #8b958f;border-radius:6px"></iframe></div>'
)
_WORDS = '<pre style="white-space:pre-wrap">{}</pre>'


def register(shell: Any) -> None:
    """Make the magic known to an IPython shell."""
    shell.register_magic_function(_show, magic_kind="cell", magic_name="warpgrade")


def _show(line: str, cell: str) -> None:
    from IPython.display import HTML, display

    display(HTML(report(here(), line, cell)))  # type: ignore[no-untyped-call]


def report(repository: Repository, line: str, cell: str) -> str:
    """The report on a cell as HTML. `line`: the lab, and options of `check` such as `--gpu t4`."""
    with tempfile.TemporaryDirectory(prefix="warpgrade-cell-") as folder:
        kernel, page = Path(folder) / "cell.cu", Path(folder) / "page.html"
        store.write_text(kernel, cell)
        lab, *options = shlex.split(line) or [""]
        words = [lab, str(kernel), *options, "--html", str(page)]
        command = [str(repository.root / "warpgrade"), "check", *filter(None, words)]
        ran = process.run_trusted(command, dict(os.environ), _LIMITS)
        if ran.status in (ExitCode.DONE, ExitCode.NOT_RIGHT) and page.is_file():
            return _FRAME.format(html.escape(page.read_text(encoding="utf-8")))
        return _WORDS.format(html.escape((ran.stderr or ran.stdout).strip() or f"exit code {ran.status}"))
