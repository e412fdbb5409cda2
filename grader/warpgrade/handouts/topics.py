"""Which topics of the course each section covers: tags in the handouts, checked against topics.toml.

A template writes {{ covers("barrier-meaning", "warp") }} in the section that explains these topics. The tag
becomes an HTML comment in the Markdown text, and `extract_tags` removes it before the page is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core import toml

FILE = "handouts/topics.toml"
_TAG = re.compile(r"^[ \t]*<!-- covers: ([a-z0-9 -]+) -->[ \t]*\n?", re.MULTILINE)
_HOLDS = "it holds tables [[topic]] with name, lectures and words"
_SCHEMA = {
    "description": _HOLDS,
    "type": "object",
    "additionalProperties": False,
    "required": ["topic"],
    "properties": {
        "topic": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "lectures", "words"],
                "properties": {
                    "name": {"type": "string", "pattern": "^[a-z0-9-]+$"},
                    "lectures": {"type": "array", "items": {"type": "string"}},
                    "words": {"type": "string"},
                },
            },
        }
    },
}
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True)
class Topic:
    name: str
    lectures: tuple[str, ...]
    words: str


@dataclass(frozen=True)
class TopicReference:
    """A section of a page that covers a topic."""

    topic: str
    page: str
    section: str


def load(root: Path) -> tuple[Topic, ...]:
    """The course's topics in their order. InstructorError names the line that is wrong."""
    document = toml.load(root / FILE, _SCHEMA, _HOLDS)
    return tuple(Topic(row["name"], tuple(row["lectures"]), row["words"]) for row in document.data["topic"])


def tag(known: Iterable[Topic], names: Iterable[str]) -> str:
    """The HTML comment for these topics. ValueError if topics.toml lacks one of them."""
    names = tuple(names)
    unknown = sorted(set(names) - {topic.name for topic in known})
    if unknown:
        raise ValueError(f"there is no topic {unknown[0]!r} in {FILE}")
    return f"<!-- covers: {' '.join(names)} -->"


def extract_tags(markdown: str, page: str) -> tuple[str, tuple[TopicReference, ...]]:
    """The text without its tags, and a reference for each topic of each tag."""
    return _TAG.sub("", markdown), tuple(_references(markdown, page))


def split_tags(markdown: str) -> tuple[str, str]:
    """The text without its tags, and the tags, one a line."""
    return _TAG.sub("", markdown), "".join(match[0].rstrip() + "\n" for match in _TAG.finditer(markdown))


def _references(markdown: str, page: str) -> Iterator[TopicReference]:
    section, in_code = "", False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif line.startswith("## ") and not in_code:
            section = line.removeprefix("## ").strip()
        elif match := _TAG.match(line + "\n"):
            yield from (TopicReference(name, page, section) for name in match[1].split())


def missing(topics: Iterable[Topic], references: Iterable[TopicReference]) -> tuple[str, ...]:
    """Names of topics that no section covers."""
    covered = {reference.topic for reference in references}
    return tuple(topic.name for topic in topics if topic.name not in covered)


def table(topics: Iterable[Topic], references: Iterable[TopicReference]) -> str:
    """handouts/TOPICS.md: the sections that cover each topic."""
    references = tuple(references)
    lines = [
        "# Where each topic of the course is",
        "",
        "Made by `make handouts` from the tags in the handouts and from `topics.toml`; do not edit.",
        "",
        "| topic | lectures | where |",
        "|---|---|---|",
    ]
    for topic in topics:
        where = dict.fromkeys(
            f"{reference.page}: {reference.section}" if reference.section else reference.page
            for reference in references
            if reference.topic == topic.name
        )
        words = topic.words.replace("|", "\\|")
        lines.append(f"| {words} | {', '.join(topic.lectures)} | {'; '.join(where) or '**nowhere**'} |")
    return "\n".join(lines) + "\n"
