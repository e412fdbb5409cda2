"""No text of a student's or of ours changes on its way to the screen."""

from __future__ import annotations

import io

import pytest

from warpgrade.cli import console

TEXTS = ("kernel.cu:100: x", ":smile: a[i]", "[bold]a[/]", "A[row][0] \\", "c:\\[x] [red", ":warning:[1]")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("made", [console.screen, console.aside])
def test_what_is_printed_is_what_was_written(text: str, made: object) -> None:
    screen = console.screen(200) if made is console.screen else console.aside()
    screen.file = io.StringIO()
    screen.print(f"[dim]{console.escape(text)}[/] end", soft_wrap=True)
    assert screen.file.getvalue() == f"{text} end\n"
