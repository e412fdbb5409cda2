"""Sizes that a course draws: the least ones without a secret; checked over their whole range."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import LAB_TOML
from warpgrade.core.errors import InstructorError
from warpgrade.course import draws, lab
from warpgrade.records import Lab

DRAWN = LAB_TOML.replace("[points]", "[drawn]\na = { from = 3, to = 5 }\n\n[points]", 1)


def loaded(folder: Path, text: str) -> Lab:
    (folder / "lab.toml").write_text(text, encoding="utf-8")
    return lab.load(folder)


def with_case(words: str) -> str:
    """The second case, which is shown by name, has this number of rows."""
    return DRAWN.replace("m = 8\nn = 8", f"m = {words}\nn = 8", 1)


def test_a_drawn_case_has_its_least_size_until_it_is_drawn(tmp_path: Path) -> None:
    item = loaded(tmp_path, with_case('"16*a - 1"').replace("[[64, 64, 64]]", '[[64, "32*a", 64]]'))
    assert item.case("second").size[:2] == (47, 8) and item.performance.sizes == ((64, 96, 64),)
    other = draws.resolved(item, {"a": 5})
    assert other.case("second").size[:2] == (79, 8) and other.performance.sizes == ((64, 160, 64),)
    assert other.case("first") == item.case("first")


def test_sizes_of_a_gpu_are_drawn_too(tmp_path: Path) -> None:
    text = DRAWN.replace("gpu_sizes = [[1024, 1024, 1024]]", 'gpu_sizes = [[1024, "1021 + a", 1024]]')
    item = loaded(tmp_path, text)
    assert item.performance.gpu_sizes == ((1024, 1024, 1024),) and item.performance.is_drawn
    other = draws.resolved(item, {"a": 5})
    assert other.performance.gpu_sizes == ((1024, 1026, 1024),)
    assert other.performance.sizes == item.performance.sizes
    assert draws.public(other) == item


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ('"16*b"', "may use the names of [drawn] only"),
        ('"16*"', "is no expression"),
        ('"a - 4"', "can be -1, which is no integer from 1 to 4096"),
        ('"a / 2"', "can be 1.5, which is no integer"),
        ('"4096 / (a - 3)"', "has no value"),
    ],
)
def test_mistakes(tmp_path: Path, words: str, message: str) -> None:
    with pytest.raises(InstructorError) as caught:
        loaded(tmp_path, with_case(words))
    assert message in str(caught.value) and caught.value.line, str(caught.value)


def test_a_visible_case_would_show_what_is_drawn(tmp_path: Path) -> None:
    text = DRAWN.replace("m = 4\nn", 'm = "16*a"\nn', 1)
    assert text != DRAWN
    with pytest.raises(InstructorError, match="the case shows its size"):
        loaded(tmp_path, text)


def test_an_empty_range(tmp_path: Path) -> None:
    with pytest.raises(InstructorError, match="from = 3 is greater than to = 2"):
        loaded(tmp_path, DRAWN.replace("to = 5", "to = 2"))


def test_a_sentence_would_tell_what_is_drawn(tmp_path: Path) -> None:
    text = with_case('"16*a - 1"').replace('case = "first"', 'case = "second"')
    sentence = "loads each element {loads:times}; "
    assert sentence in text
    loaded(tmp_path, text)
    where = text.replace("[technique.where]\n", '[technique.where]\nrows = "2 * m"\n')
    for telling in (text.replace(sentence, "{m} rows; "), where.replace(sentence, "{rows} rows; ")):
        assert telling != text
        with pytest.raises(InstructorError, match="tells a size that the course draws"):
            loaded(tmp_path, telling)
