"""A lab's text in another language: handouts/<name>.<code>.md.j2, the one file that a translator writes.

It begins with what lab.toml and mutants.toml say in English, as TOML between lines of `+++`:

    +++
    title = "Gekachelte Matrixmultiplikation"
    teaches = ["…"]                 # as many as in lab.toml
    sizes = "Vielfache von 32"
    hints = ["…"]                   # in the order of their TODOs

    [mistakes]                      # names of mutants.toml, and why each is wrong
    no-first-barrier = "…"
    +++

What is left out stays in English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core.errors import InstructorError
from ..records import Lab

TEXT = ".md.j2"
_FRONT = re.compile(r"\A\+\+\+\n(.*?\n)\+\+\+\n", re.DOTALL)
_KINDS: Mapping[str, type] = {"title": str, "teaches": list, "sizes": str, "hints": list, "mistakes": dict}


@dataclass(frozen=True)
class Translation:
    title: str = ""
    teaches: tuple[str, ...] = ()
    sizes: str = ""
    hints: tuple[str, ...] = ()
    mistakes: Mapping[str, str] = field(default_factory=dict)


def load(root: Path, name: str, code: str) -> Translation:
    """What stands above that page's text in that language; nothing where there is no such file."""
    file = f"handouts/{name}.{code}{TEXT}"
    path = root / file
    front = _FRONT.match(path.read_text(encoding="utf-8")) if path.is_file() else None
    if front is None:
        return Translation()
    try:
        told = tomllib.loads(front[1])
    except tomllib.TOMLDecodeError as error:
        raise InstructorError(
            str(error), file=file, remedy="between +++ stands TOML: see https://toml.io"
        ) from None
    return _read(told, file)


def body(text: str) -> str:
    """The text below what stands above it; lines keep their numbers."""
    front = _FRONT.match(text)
    return "\n" * front[0].count("\n") + text[front.end() :] if front else text


def of_lab(lab: Lab, own: Translation, file: str) -> Lab:
    """The lab in the translation's words. InstructorError where a list is not as long as in lab.toml."""
    for key, ours, theirs in (("teaches", lab.teaches, own.teaches), ("hints", lab.hints, own.hints)):
        if theirs and len(theirs) != len(ours):
            raise InstructorError(
                f"'{key}' has {len(theirs)} entries",
                file=file,
                remedy=f"labs/{lab.name}/lab.toml has {len(ours)}",
            )
    ordered = sorted(lab.hints, key=lambda hint: hint.todo)
    hints = tuple(replace(hint, text=text) for hint, text in zip(ordered, own.hints, strict=False))
    return replace(
        lab,
        title=own.title or lab.title,
        teaches=own.teaches or lab.teaches,
        sizes=own.sizes or lab.sizes,
        hints=hints or lab.hints,
    )


def _read(told: Mapping[str, Any], file: str) -> Translation:
    for key, value in told.items():
        if key not in _KINDS or not isinstance(value, _KINDS[key]):
            known = ", ".join(_KINDS)
            raise InstructorError(f"'{key}' cannot stand above the text like this", file=file,
                                  remedy=f"what can: {known}; see handouts/README.md")  # fmt: skip
    return Translation(
        title=told.get("title", ""),
        teaches=tuple(told.get("teaches", ())),
        sizes=told.get("sizes", ""),
        hints=tuple(told.get("hints", ())),
        mistakes=dict(told.get("mistakes", {})),
    )
