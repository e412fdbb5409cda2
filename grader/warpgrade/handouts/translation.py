"""A lab's text in another language: handouts/<name>.<code>.md.j2, the one file that a translator writes.

It begins with a translation of the texts of lab.toml and mutants.toml, as TOML between lines of `+++`:

    +++
    title = "Gekachelte Matrixmultiplikation"
    teaches = ["…"]                 # as many as in lab.toml
    sizes = "Vielfache von 32"
    hints = ["…"]                   # in the order of their TODOs

    [techniques]                    # names of lab.toml, and what earns the points
    reuse = "…"

    [mistakes]                      # names of mutants.toml, and why each is wrong
    no-first-barrier = "…"
    +++

A key that is left out stays in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..core import toml
from ..core.errors import InstructorError
from ..records import Lab

TEXT = ".md.j2"
_FRONT = re.compile(r"\A\+\+\+\n(.*?\n)\+\+\+\n", re.DOTALL)
_STRINGS = {"type": "array", "items": {"type": "string"}}
_SCHEMA = {
    "description": "the keys between the lines of +++ are explained in handouts/README.md",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string"},
        "teaches": _STRINGS,
        "sizes": {"type": "string"},
        "hints": _STRINGS,
        "techniques": {"type": "object", "additionalProperties": {"type": "string"}},
        "mistakes": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


@dataclass(frozen=True)
class Translation:
    """The TOML above a page's text. `mistakes`: why each mutant is wrong; `techniques`: what earns points."""

    title: str = ""
    teaches: tuple[str, ...] = ()
    sizes: str = ""
    hints: tuple[str, ...] = ()
    mistakes: Mapping[str, str] = field(default_factory=dict)
    techniques: Mapping[str, str] = field(default_factory=dict)


def load(root: Path, name: str, code: str) -> Translation:
    """The page's translation; an empty one if the page has none in that language.

    InstructorError names the line that is wrong.
    """
    path = root / "handouts" / f"{name}.{code}{TEXT}"
    front = _FRONT.match(path.read_text(encoding="utf-8")) if path.is_file() else None
    if front is None:
        return Translation()
    front_matter = "\n" + front[1]  # an empty line in place of the first +++ keeps line numbers right
    data = toml.check(path, front_matter.encode(), _SCHEMA).data
    lists = {key: tuple(data.get(key, ())) for key in ("teaches", "hints")}
    return Translation(**(data | lists))


def body(text: str) -> str:
    """The text without the TOML above it. Empty lines replace the TOML, so that lines keep their numbers."""
    front = _FRONT.match(text)
    return "\n" * front[0].count("\n") + text[front.end() :] if front else text


def of_lab(lab: Lab, own: Translation, file: str) -> Lab:
    """The lab with translated texts. InstructorError if a list is not as long as in lab.toml."""
    for key, original, translated in (
        ("teaches", lab.teaches, own.teaches),
        ("hints", lab.hints, own.hints),
    ):
        if translated and len(translated) != len(original):
            raise InstructorError(
                f"'{key}' has {len(translated)} entries",
                file=file,
                remedy=f"labs/{lab.name}/lab.toml has {len(original)}",
            )
    ordered = sorted(lab.hints, key=lambda hint: hint.todo)
    hints = tuple(replace(hint, text=text) for hint, text in zip(ordered, own.hints, strict=False))
    return replace(
        lab,
        title=own.title or lab.title,
        teaches=own.teaches or lab.teaches,
        sizes=own.sizes or lab.sizes,
        hints=hints or lab.hints,
        techniques=tuple(
            replace(each, goal=own.techniques.get(each.name, each.goal)) for each in lab.techniques
        ),
    )
