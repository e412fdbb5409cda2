"""A scene for readers who must not see a solution: its own lines, and what only those lines name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .scene import Scene


def masked(scene: Scene, source: str) -> Scene:
    """The scene with `source` in place of the recorded one, line for line.

    Variables that are declared at a line that differs are left out, but for arrays, and of each instruction
    only the operation stays.
    """
    before, after = scene.head["source"].split("\n"), source.split("\n")
    if len(before) != len(after):
        raise ValueError(f"a mask of {len(after)} lines for a source of {len(before)}")
    hidden = {at for at, (old, new) in enumerate(zip(before, after, strict=True), 1) if old != new}
    changed: dict[str, Any] = {
        "source": source,
        "variables": [
            each for each in scene.head["variables"] if each["line"] not in hidden or _is_shared(each)
        ],
        "instructions": [
            [[line, file, inlined, _operation(text)] for line, file, inlined, text in rows]
            for rows in scene.head["instructions"]
        ],
    }
    head = scene.head | changed
    return replace(scene, head=head, recording=replace(scene.recording, head=head))


def _is_shared(variable: dict[str, Any]) -> bool:
    return any(place[2] == "shared" for place in variable["places"])


def _operation(text: str) -> str:
    """ "@%p1 bra label;" → "bra" """
    words = [word for word in text.rstrip(";").split() if not word.startswith("@")]
    return words[0] if words else ""
