"""Handouts by name, rendered when the first of them is asked for.

Tests are named after pages. Each process that collects tests would otherwise render all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping

from warpgrade.core.paths import Repository
from warpgrade.handouts import pages
from warpgrade.handouts.pages import Edition, Handout

_made = functools.cache(pages.handouts)


def handouts(
    repository: Repository, edition: Edition = Edition.STUDENT, seed: str = "", language: str = ""
) -> tuple[Handout, ...]:
    """What pages.handouts() makes, once for all tests of a process."""
    return _made(repository, edition, seed, language)


class RenderedPages(Mapping[str, Handout]):
    """`names` are known; `render` makes the pages of these names, in any order."""

    def __init__(self, names: Iterable[str], render: Callable[[], Iterable[tuple[str, Handout]]]) -> None:
        self._names, self._render = tuple(names), render
        self._pages: dict[str, Handout] = {}

    def __getitem__(self, name: str) -> Handout:
        if name not in self._names:
            raise KeyError(name)
        if not self._pages:
            self._pages = dict(self._render())
        return self._pages[name]

    def __contains__(self, name: object) -> bool:
        """Without rendering, unlike Mapping's own."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def of_edition(
    repository: Repository, edition: Edition = Edition.STUDENT, seed: str = "", language: str = ""
) -> RenderedPages:
    """The same, by name."""
    return RenderedPages(
        pages.page_names(repository),
        lambda: ((page.name, page) for page in handouts(repository, edition, seed, language)),
    )
