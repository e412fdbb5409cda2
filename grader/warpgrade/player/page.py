"""The player as one HTML file that needs no network: recording, style and scripts lie in it."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

from ..core.paths import file_hash
from .recording import BlockRecording
from .scene import Scene

FOLDER = Path(__file__).parent / "page"
_STYLES = (Path(__file__).parents[1] / "report" / "templates" / "base.css", FOLDER / "player.css")
_IMPORT = re.compile(r"""^import .*? from '\./([\w.]+)';\n""", re.MULTILINE)
_EXPORT_LIST = re.compile(r"^export \{.*\};\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const|function|async|class)", re.MULTILINE)
_FIRST = {"page": "main.js", "compare": "compare.js"}  # module by template


def script(first: str) -> str:
    """A module and all that it imports in one text, each after those that it imports."""
    done: list[str] = []

    def add(name: str) -> str:
        if name in done:
            return ""
        done.append(name)
        text = (FOLDER / name).read_text(encoding="utf-8")
        before = "".join(add(match[1]) for match in _IMPORT.finditer(text))
        plain = _EXPORT.sub("", _EXPORT_LIST.sub("", _IMPORT.sub("", text)))
        return before + plain

    return add(first)


def template_hash() -> str:
    """Hash of all that a page is made from besides its recording."""
    return file_hash(*sorted(path for path in FOLDER.iterdir() if path.is_file()), *_STYLES)


def of_scene(scene: Scene, title: str) -> str:
    """The page of a scene, with kernel, case and block above its title."""
    head = scene.head
    x, y, z = head["block_index"]
    eyebrow = " · ".join(filter(None, (head["called"], head["label"], f"block ({x},{y},{z})")))
    return page(scene.recording, head, title, eyebrow, scene.notes)


def page(
    recording: BlockRecording, head: dict[str, Any], title: str, eyebrow: str, notes: tuple[str, ...]
) -> str:
    """`head`: the recording's, with what the page needs besides (docs/player.md)."""
    packed = base64.b64encode(gzip.compress(recording.stream, 9, mtime=0)).decode()
    parts = {
        "title": html.escape(title),
        "eyebrow": html.escape(eyebrow),
        "notes": paragraphs(notes),
        # The names of the files only: their folder is of the machine that recorded.
        "head": _embedded(head | {"files": [Path(file).name for file in head["files"]]}),
        "steps": packed,
    }
    return filled("page", parts)


def paragraphs(notes: tuple[str, ...]) -> str:
    return "\n".join(f'<p class="note">{html.escape(note)}</p>' for note in notes)


def filled(name: str, parts: dict[str, str]) -> str:
    """The template of that name with its parts, style and script."""
    parts = parts | {
        "style": "\n".join(path.read_text(encoding="utf-8") for path in _STYLES),
        "script": script(_FIRST[name]),
    }
    template = (FOLDER / f"{name}.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{ (\w+) \}\}", lambda match: parts[match[1]], template)


def _embedded(value: Any) -> str:
    """JSON that cannot end the element it stands in, whatever the student's text holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
