import pytest

from warpgrade.core import formatting
from warpgrade.records import Place, Verdict


def test_every_verdict_has_its_own_sign() -> None:
    assert set(formatting.SIGNS) == set(Verdict)
    assert len({sign.glyph for sign in formatting.SIGNS.values()}) == len(Verdict)
    assert len({sign.words for sign in formatting.SIGNS.values()}) == len(Verdict)


@pytest.mark.parametrize(
    ("value", "text"),
    [(12, "12"), (12.5, "12.5"), (93.27, "93.27"), (0, "0"), (-0.001, "0"), (99.996, "100"), (100, "100")],
)
def test_points(value: float, text: str) -> None:
    assert formatting.points(value) == text


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place("/box/kernel.cu", 12, 5), "kernel.cu:12:5"),
        (Place("kernel.cu", 12), "kernel.cu:12"),
        (Place(), ""),
    ],
)
def test_place(place: Place, text: str) -> None:
    assert formatting.place(place) == text


def test_sentences_have_a_beginning_and_an_end() -> None:
    assert (
        formatting.sentences("is no submission", "hand in a folder") == "Is no submission. Hand in a folder."
    )
    assert formatting.sentences("which one is meant: a or b?", "") == "Which one is meant: a or b?"
    assert formatting.sentences("bob.zip: is broken", "type `x`") == "bob.zip: is broken. Type `x`."


def test_actor() -> None:
    assert (
        formatting.actor(Place(block=(1, 2, 0), thread=(3, 4, 0), access="write"))
        == "thread (3,4,0) of block (1,2,0): write"
    )
    assert formatting.actor(Place(thread=(3, 4, 5))) == "thread (3,4,5)"


def test_numbers() -> None:
    assert formatting.number("NaN") == "NaN"
    assert formatting.number(-41.0) == "-41"
    assert formatting.count(1234567) == "1,234,567"
    assert formatting.milliseconds(0.0321) == "32.1 µs"
    assert formatting.milliseconds(12.5) == "12.5 ms"
    assert formatting.size((1, 17, 5)) == "1 × 17 × 5"


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([0, 1, 2, 5], "0–2, 5"), ([3], "3"), ([0, 4, 8, 12, 16], "0, 4, …, 16"), ([0, 16], "0, 16"),
     ([2, 1, 0], "0–2")],
)  # fmt: skip
def test_spans(numbers: list[int], expected: str) -> None:
    assert formatting.span(numbers) == expected
