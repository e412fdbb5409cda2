"""A file as tokens: brackets, functions, lambdas."""

from __future__ import annotations

import time

import pytest

from support.programs.sample_kernel import KERNEL
from warpgrade.student.locate.reading import source


def test_bodies_are_those_of_functions() -> None:
    read = source.read(KERNEL)
    assert [read.word(first - 1) + read.word(last) for first, last in read.bodies] == [")}", ")}"]
    assert [read.line(first) for first, _ in read.bodies] == [5, 10]


def test_comments_and_directives_are_no_tokens() -> None:
    read = source.read(KERNEL)
    assert not {"WIDTH", "unroll", "include", "one"} & {token.text for token in read.tokens}


def test_text_between_tokens_is_the_files() -> None:
    read = source.read("int  a = b;")
    assert read.between(0, 3) == "int  a = b"
    assert read.word(99) == read.word(-1) == ""


def test_a_lambda_is_marked_and_an_index_is_not() -> None:
    read = source.read(KERNEL)
    inside = {read.word(number) for number in read.lambdas}
    assert "x" in inside and "As" not in inside


@pytest.mark.parametrize("text", ["{" * 50_000, "([{" * 20_000, ") {" * 20_000, "[" * 50_000 + "]" * 50_000])
def test_brackets_without_partners_take_linear_time(text: str) -> None:
    begun = time.process_time()
    source.read(text)
    assert time.process_time() - begun < 10
