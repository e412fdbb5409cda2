"""Which topics of the course each section covers: tags in the handouts, checked against topics.toml.

A template says {{ covers("barrier-meaning", "warp") }} in the section that explains them. The tag
travels through Markdown as a comment and is taken out before the page is made.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import InstructorError

FILE = "handouts/topics.toml"
_TAG = re.compile(r"^[ \t]*<!-- covers: ([a-z0-9 -]+) -->[ \t]*\n?", re.MULTILINE)
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
    """The course's topics in their order. InstructorError where the file is wrong."""
    try:
        rows = tomllib.loads((root / FILE).read_text(encoding="utf-8"))["topic"]
        return tuple(Topic(row["name"], tuple(row["lectures"]), row["words"]) for row in rows)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InstructorError(
            f"cannot be read: {error}",
            file=FILE,
            remedy="it holds tables [[topic]] with name, lectures and words",
        ) from None


def tag(known: Iterable[Topic], names: Iterable[str]) -> str:
    """The comment for these topics. ValueError for one that topics.toml has not."""
    names = tuple(names)
    unknown = sorted(set(names) - {topic.name for topic in known})
    if unknown:
        raise ValueError(f"there is no topic {unknown[0]!r} in {FILE}")
    return f"<!-- covers: {' '.join(names)} -->"


def taken_out(markdown: str, page: str) -> tuple[str, tuple[TopicReference, ...]]:
    """The text without tags, and what each section covers."""
    return _TAG.sub("", markdown), tuple(_places(markdown, page))


def apart(markdown: str) -> tuple[str, str]:
    """The text without its tags, and the tags, a line for each."""
    return _TAG.sub("", markdown), "".join(match[0].rstrip() + "\n" for match in _TAG.finditer(markdown))


def _places(markdown: str, page: str) -> Iterator[TopicReference]:
    section, in_code = "", False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif line.startswith("## ") and not in_code:
            section = line.removeprefix("## ").strip()
        elif match := _TAG.match(line + "\n"):
            yield from (TopicReference(name, page, section) for name in match[1].split())


def missing(topics: Iterable[Topic], places: Iterable[TopicReference]) -> tuple[str, ...]:
    """Names of topics that no section covers."""
    covered = {place.topic for place in places}
    return tuple(topic.name for topic in topics if topic.name not in covered)


def table(topics: Iterable[Topic], places: Iterable[TopicReference]) -> str:
    """handouts/TOPICS.md: where each topic is."""
    places = tuple(places)
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
            f"{place.page}: {place.section}" if place.section else place.page
            for place in places
            if place.topic == topic.name
        )
        words = topic.words.replace("|", "\\|")
        lines.append(f"| {words} | {', '.join(topic.lectures)} | {'; '.join(where) or '**nowhere**'} |")
    return "\n".join(lines) + "\n"
