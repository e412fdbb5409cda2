"""What every page must have for those who do not see it or have no mouse, found without a browser."""

from __future__ import annotations

import itertools
import re


def faults(page: str) -> list[str]:
    """In words, none for a page that is as it should be."""
    return [*_headings(page), *_tables(page), *_scrolling(page), *_pictures(page), *_landmarks(page)]


def _headings(page: str) -> list[str]:
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", page)]
    found = [] if levels[:1] == [1] and levels.count(1) == 1 else ["not one h1, or not the first heading"]
    return found + [f"h{b} below h{a}" for a, b in itertools.pairwise(levels) if b > a + 1]


def _tables(page: str) -> list[str]:
    heads = re.findall(r"<th\b([^>]*)>(.*?)</th>", page, re.DOTALL)
    return ["a heading of a table says nothing" for attributes, text in heads
            if not re.sub(r"<[^>]+>", "", text).strip() and "aria-hidden" not in attributes]  # fmt: skip


def _scrolling(page: str) -> list[str]:
    """Code and wide tables scroll: also from the keyboard."""
    scrolling = re.findall(r'<(?:pre|div class="scroll)[^>]*>', page)
    return [f"{tag} cannot be reached" for tag in scrolling if 'tabindex="0"' not in tag]


def _pictures(page: str) -> list[str]:
    pictures = re.findall(r"<svg[^>]*>", page)
    named = [tag for tag in pictures if 'role="img"' in tag and "aria-labelledby=" in tag]
    return [] if len(named) == len(pictures) else ["a picture has no name"]


def _landmarks(page: str) -> list[str]:
    found = [f"no {tag}" for tag in ("<main", "<header", 'lang="', "<title>") if tag not in page]
    names = re.findall(r'<(?:section|nav|article)[^>]* (aria-label(?:ledby)?="[^"]*")', page)
    return found + [f"two landmarks are called {name}" for name in {*names} if names.count(name) > 1]
