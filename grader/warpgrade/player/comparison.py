"""Two recordings side by side as one page: two kernels on the same case, or both blocks of a race."""

from __future__ import annotations

import html

from . import page
from .scene import Scene


def of_scenes(left: Scene, right: Scene, title: str, names: tuple[str, str]) -> str:
    """One HTML file that needs no network. `names`: what each side is called above it."""
    notes = tuple(dict.fromkeys((*left.notes, *right.notes)))
    return page.filled(
        "compare",
        {
            "title": html.escape(title),
            "notes": page.paragraphs(notes),
            "left_name": html.escape(names[0]),
            "right_name": html.escape(names[1]),
            "left": _attribute(page.of_scene(left, names[0])),
            "right": _attribute(page.of_scene(right, names[1])),
        },
    )


def _attribute(text: str) -> str:
    """Text between single quotes: a page has few of them, and many double ones."""
    return text.replace("&", "&amp;").replace("'", "&#39;")
