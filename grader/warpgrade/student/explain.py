"""What each finding's code means: a short text, a small wrong kernel and a right one.

Names, severities and help come from the emulator's table, machine/finding_kinds.def. The rest lies in
explanations/<code>/: wrong.cu, right.cu, and explanation.toml with the text. A test runs both kernels.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from ..core import toml
from ..core.errors import UsageError
from ..core.paths import Repository, typed
from ..tables import finding_kinds
from ..tables.finding_kinds import FindingKind

FOLDER = Path(__file__).with_name("explanations")
_SCHEMA = {
    "description": "it holds title, sanitizer and story, and a table [launch] if the launch is unusual",
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "sanitizer", "story"],
    "properties": {
        "title": {"type": "string"},
        "sanitizer": {"type": "string"},
        "story": {"type": "string"},
        "launch": {"type": "object"},
    },
}


@dataclass(frozen=True)
class Explanation:
    """A finding's explanation. `sanitizer`: how compute-sanitizer reports it, as "memcheck: …"."""

    kind: FindingKind
    title: str
    story: tuple[str, ...]  # paragraphs
    sanitizer: str
    wrong: str
    right: str


def named(repository: Repository, word: str) -> FindingKind:
    """The finding with that code ("WG101" or "101"), with that name, or whose name contains the word.

    UsageError unless exactly one finding matches; it lists the matches.
    """
    name = word.lower().replace(" ", "-")
    every = finding_kinds.load(repository)
    exact = [kind for kind in every if name in (kind.code.lower(), kind.code[2:], kind.name)]
    found = exact or [kind for kind in every if name and name in kind.name]
    if not found:
        raise UsageError(f"there is no finding {word!r}", remedy=f"{typed('explain')} to see them all")
    if len(found) > 1:
        names = ", ".join(f"{kind.code} {kind.words}" for kind in found)
        raise UsageError(f"{word!r} can be {names}", remedy=typed(f"explain {found[0].code}"))
    return found[0]


def load(repository: Repository, word: str) -> Explanation:
    """The explanation of the finding that `word` names. UsageError as in `named`."""
    kind = named(repository, word)
    folder = FOLDER / kind.code
    about = toml.load(folder / "explanation.toml", _SCHEMA).data
    story = tuple(" ".join(part.split()) for part in about["story"].strip().split("\n\n"))
    wrong, right = (
        (folder / f"{name}.cu").read_text(encoding="utf-8").rstrip() for name in ("wrong", "right")
    )
    return Explanation(kind, about["title"], story, about["sanitizer"], wrong, right)


def lines(repository: Repository, code: str, width: int) -> Iterator[str]:
    """The explanation as lines of rich markup."""
    found = load(repository, code)
    kind = found.kind
    colour = "red" if kind.severity == "error" else "yellow"
    yield f"[bold {colour}]{kind.severity}\\[{kind.code}][/]  [bold]{escape(found.title)}[/]"
    for paragraph in found.story:
        yield ""
        yield from map(escape, textwrap.wrap(paragraph, width, break_on_hyphens=False))
    for name, sign, tone, text in (("wrong", "✗", "red", found.wrong), ("right", "✓", "green", found.right)):
        yield f"\n[bold {tone}]{sign} {name}[/]"
        yield from (f"    {escape(line)}".rstrip() for line in text.split("\n"))
    yield ""
    same = textwrap.wrap(f"compute-sanitizer: {found.sanitizer}", width, break_on_hyphens=False)
    yield from map(escape, same)
    yield ""
    help_lines = textwrap.wrap(kind.help, width - 6, break_on_hyphens=False)
    yield f"[bold]help[/]: {escape(help_lines[0])}"
    yield from (f"      {escape(line)}" for line in help_lines[1:])
