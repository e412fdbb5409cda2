"""Chapters of the course book: the texts of handouts with numbers of sections, figures and tables.

A chapter has its lab's number ("42-name" is chapter 42). Pages without a number are appendices with
letters.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ...core.messages import Messages
from ...records import Lab
from ..markdown import PAGE_LINK
from ..printing.page_references import see_page

# What a page on a screen offers in addition: a figure's table twin and its player.
_SCREEN_ONLY = re.compile(r'<details>.*?</details>|<div class="player">.*?</div>', re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_IDS = re.compile(r'\b(id|for|aria-labelledby|aria-describedby|href)="([^"]*)"')
_PATTERN = re.compile(r"url\(#([^)]+)\)")
_SAME = re.compile(r'<section class="same-everywhere">.*?</section>', re.DOTALL)
_NUMBERED = re.compile(
    r'<h2 id="(?P<section>[^"]+)">(?P<heading>.*?)</h2>'
    r'|<figure id="(?P<figure>[^"]+)".*?<figcaption>(?P<caption>.*?)</figcaption>'
    r'|<caption class="(?P<table>numbered)">(?P<of_table>.*?)</caption>',
    re.DOTALL,
)


@dataclass(frozen=True)
class ChapterSource:
    """What a chapter is made from: a handout's texts as HTML, each with its language."""

    name: str
    title: str
    lab: Lab | None
    texts: tuple[tuple[Markup, Messages], ...]


@dataclass(frozen=True)
class Numbered:
    """A section, figure or table: its number ("2.3"), its id in the book, and its title as HTML.

    A table has no id.
    """

    number: str
    id: str
    title: Markup


@dataclass(frozen=True)
class Chapter:
    number: str
    id: str
    source: ChapterSource
    texts: tuple[tuple[Markup, str], ...]  # HTML and the code of its language
    sections: tuple[Numbered, ...]
    figures: tuple[Numbered, ...]
    tables: tuple[Numbered, ...]


def number(sources: Sequence[ChapterSource], words: Messages) -> tuple[Chapter, ...]:
    """The chapters: labs in the order of their weeks, then pages that belong to no lab."""
    ordered = sorted(sources, key=_place)
    labels = dict(zip((each.name for each in ordered), _labels(ordered), strict=True))
    holder = next((each.name for each in ordered if any(_SAME.search(html) for html, _ in each.texts)), "")
    return tuple(_chapter(each, labels, holder, words) for each in ordered)


def _place(source: ChapterSource) -> tuple[bool, int, str]:
    week = source.lab.syllabus.week if source.lab else 0
    return not week, week, source.name


def _labels(ordered: Iterable[ChapterSource]) -> list[str]:
    """The number in each name; letters for names that have none, or one that is taken."""
    letters = iter(string.ascii_uppercase)
    found: list[str] = []
    for source in ordered:
        match = re.match(r"\d+", source.name)
        label = str(int(match[0])) if match and source.lab else ""
        found.append(label if label and label not in found else next(letters, source.name))
    return found


def chapter_id(name: str) -> str:
    return f"chapter-{name}"


def _chapter(source: ChapterSource, labels: Mapping[str, str], holder: str, words: Messages) -> Chapter:
    """`holder`: the chapter that has what all handouts repeat."""
    counted: dict[str, list[Numbered]] = {"section": [], "figure": [], "table": []}
    label = labels[source.name]
    texts = []
    for html, language in source.texts:
        own = _repeated_once(_own_ids(_SCREEN_ONLY.sub("", html), source.name), source, holder, language)
        with_number = functools.partial(_with_number, chapter=label, counted=counted, words=language)
        own = _NUMBERED.sub(with_number, own)
        texts.append((Markup(_linked(own, labels, words)), language.code))
    sections, figures, tables = (tuple(each) for each in counted.values())
    return Chapter(label, chapter_id(source.name), source, tuple(texts), sections, figures, tables)


def _repeated_once(html: str, source: ChapterSource, holder: str, words: Messages) -> str:
    """What every handout repeats stays in the chapter `holder`; others name its page, and their own limit."""
    id = f"{holder}--same-everywhere"
    if source.name == holder or source.lab is None:
        return html.replace('<section class="same-everywhere">', f'<section id="{id}">', 1)
    again = words("book.again", page=see_page(id, words), steps=words.count(source.lab.limits.steps))
    return _SAME.sub(lambda match: f"<p>{again}</p>", html)


def _own_ids(html: str, name: str) -> str:
    """Each id, and each reference to one, with the handout's name before it: a book is one document."""

    def renamed(match: re.Match[str]) -> str:
        attribute, value = match.groups()
        if attribute != "href":
            value = " ".join(_book_id(name, id) for id in value.split())
        elif value.startswith("#"):
            value = f"#{_book_id(name, value[1:])}"
        return f'{attribute}="{value}"'

    def in_tag(match: re.Match[str]) -> str:
        tag = _IDS.sub(renamed, match[0])
        return _PATTERN.sub(lambda pattern: f"url(#{_book_id(name, pattern[1])})", tag)

    return _TAG.sub(in_tag, html)


def _book_id(name: str, id: str) -> str:
    """The identifier in ASCII, as a PDF names the targets of links in an encoding of its own."""
    letters = (letter if letter.isascii() else f"_{ord(letter):x}" for letter in id)
    return f"{name}--{''.join(letters)}"


def _with_number(
    match: re.Match[str], chapter: str, counted: dict[str, list[Numbered]], words: Messages
) -> str:
    """The heading or caption with its number, which is also added to `counted`."""
    kind = "section" if match["section"] else "figure" if match["figure"] else "table"
    groups = {"section": "heading", "figure": "caption", "table": "of_table"}
    id, text = "" if kind == "table" else match[kind], match[groups[kind]]
    entry = Numbered(f"{chapter}.{len(counted[kind]) + 1}", id, Markup(text))
    counted[kind].append(entry)
    if kind == "section":
        label = Markup('<span class="number">{}</span> ').format(entry.number)
    else:
        label = Markup('<span class="label">{}\N{NO-BREAK SPACE}{}.</span> ').format(
            words(f"layout.{kind}"), entry.number
        )
    at = match.start(groups[kind]) - match.start()
    return f"{match[0][:at]}{label}{match[0][at:]}"


def _linked(html: str, labels: Mapping[str, str], words: Messages) -> str:
    """Links to other handouts lead to their chapters and name the page."""

    def link(match: re.Match[str]) -> str:
        name, text = match.groups()
        if name not in labels:
            return text
        id = chapter_id(name)
        return f'<a href="#{id}">{text}</a> ({see_page(id, words)})'

    return PAGE_LINK.sub(link, html)


def heading(chapter: Chapter) -> Markup:
    """What a running head shows."""
    return Markup("{} · {}").format(chapter.number, escape(chapter.source.title))
