"""Hints follow what the last check named, then the order of the TODOs."""

from __future__ import annotations

from dataclasses import replace

from support.fake_repository import LAB
from warpgrade.core import store
from warpgrade.core.paths import Repository, here
from warpgrade.course import lab
from warpgrade.records import Hint
from warpgrade.student import hints, progress
from warpgrade.student.progress import Progress

HINTS = (Hint(1, "the first"), Hint(2, "for a race", ("race-read-write",)), Hint(3, "for zeros", ("zeros",)))


def shown(repository: Repository) -> str:
    item = replace(lab.named(repository, LAB), hints=HINTS)
    return " ".join(hints.lines(repository, item, None, 80))


def named(repository: Repository, *causes: str) -> None:
    done = progress.read(repository, LAB)
    store.save(repository.root / "build" / "checks", LAB, "", replace(done, named=causes))


def test_a_hint_follows_the_failure_and_then_the_order(repository: Repository) -> None:
    named(repository, "scattered", "race-read-write", "zeros")
    assert "for a race" in shown(repository)
    assert "for zeros" in shown(repository)
    words = shown(repository)
    assert "the first" in words and "no hint is about" not in words


def test_a_hint_whose_place_was_deleted_says_where_it_was(repository: Repository) -> None:
    item = lab.named(repository, LAB)
    assert f"of {item.files[0]} as you got it" in shown(repository)


def test_without_a_fitting_hint_they_come_in_order(repository: Repository) -> None:
    named(repository, "scattered")
    words = shown(repository)
    assert "the first" in words and "no hint is about what the last check named" in words
    assert progress.read(repository, LAB) == Progress(LAB, hints=1, named=("scattered",))


def test_questions_that_are_right_get_no_hint(repository: Repository) -> None:
    item = lab.named(here(), "08-occupancy")
    first, second, *others = [case.name for case in item.cases]

    def found_right(*names: str) -> None:
        done = progress.read(repository, item.name)
        store.save(repository.root / "build" / "checks", item.name, "", replace(done, right=names))

    def shown_of_it() -> str:
        return " ".join(hints.lines(repository, item, None, 80))

    assert first in shown_of_it()
    found_right(first, *others)
    assert second in shown_of_it()
    again = shown_of_it()
    assert second in again and "from the first again" in again
    found_right(first, second, *others)
    assert shown_of_it() == f"[green]every question of {item.name} is answered right[/]"
