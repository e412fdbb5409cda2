"""A student's request is found, bounded, and no part of the work."""

from __future__ import annotations

from warpgrade.records import SourceFile
from warpgrade.submission import requests

KERNEL = "__global__ void k() {\n}\n"


def asked(*lines: str) -> tuple[SourceFile, ...]:
    return (SourceFile("kernel.cu", KERNEL + "\n".join(lines)),)


def test_the_words_are_kept_and_the_work_is_the_same() -> None:
    with_request = asked("", "// Regrade: the hidden case", "  //regrade: is right")
    assert requests.request(with_request) == "the hidden case is right"
    assert requests.work_hash(with_request) == requests.work_hash(asked())
    assert requests.work_hash(asked("int x;")) != requests.work_hash(asked())


def test_a_file_of_answers_asks_with_its_own_sign() -> None:
    assert requests.request((SourceFile("answers.toml", "a = 1\n# regrade: why?\n"),)) == "why?"


def test_other_comments_ask_nothing() -> None:
    assert requests.request(asked("// regraded: no", "int a; // regrade: no", "// no")) == ""


def test_hostile_words_are_bounded_and_plain() -> None:
    words = requests.request(asked(*["// regrade: " + "x\x1b" * 10_000] * 1_000))
    assert len(words) < 1_100 and words.isprintable()
