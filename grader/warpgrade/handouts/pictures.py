"""Pictures of a course's own: a page carries them itself, as it loads nothing."""

from __future__ import annotations

import base64
from pathlib import Path

from markupsafe import Markup

from ..core.errors import InstructorError

_TYPES = {
    ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}  # fmt: skip
_MOST = 2 << 20  # bytes; a page has several


def embedded(root: Path, name: str, words: str, caption: str = "") -> Markup:
    """An image that holds the file. `name`: its path from the repository's root. `words`: what it shows, for
    those who cannot see it.
    """
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_file():
        remedy = "write its path from the repository's root, as in labs/60-scan/tree.svg"
        raise InstructorError("is no picture of the course", file=name, remedy=remedy)
    if path.suffix not in _TYPES:
        remedy = f"save it as {', '.join(_TYPES)}"
        raise InstructorError("is a picture of a kind that not every browser shows", file=name, remedy=remedy)
    if not words.strip():
        remedy = f"write what the picture shows between the brackets: ![…]({name})"
        raise InstructorError("has no words for readers who cannot see it", file=name, remedy=remedy)
    content = path.read_bytes()
    if len(content) > _MOST:
        message = f"has {len(content):,} bytes; a page carries pictures of at most {_MOST:,}"
        raise InstructorError(message, file=name, remedy="save it with fewer pixels")
    data = base64.b64encode(content).decode("ascii")
    image = Markup('<img class="picture" src="data:{};base64,{}" alt="{}">')
    below = Markup('<span class="caption">{}</span>').format(caption) if caption else Markup("")
    return image.format(_TYPES[path.suffix], data, words) + below
