"""What a terminal would show."""

from __future__ import annotations

import io

from rich.console import Console


def shown(*lines: object) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=200, highlight=False)
    for line in lines:
        console.print(line, soft_wrap=True)
    return stream.getvalue()
