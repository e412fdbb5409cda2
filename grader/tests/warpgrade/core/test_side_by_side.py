"""Two sorted sequences, gone through together."""

from collections.abc import Iterator

from warpgrade.core.side_by_side import side_by_side


def first(word: str) -> str:
    return word[0]


def test_pairs_have_the_same_key() -> None:
    pairs = list(side_by_side(["a1", "c1", "d1"], ["b2", "c2", "d2", "e2"], first))
    assert pairs == [("a1", None), (None, "b2"), ("c1", "c2"), ("d1", "d2"), (None, "e2")]


def test_one_side_may_be_empty() -> None:
    assert list(side_by_side([], ["a"], first)) == [(None, "a")]
    assert list(side_by_side(["a"], [], first)) == [("a", None)]


def test_it_reads_no_further_than_it_must() -> None:
    def endless() -> Iterator[str]:
        yield from ("a", "b")
        raise AssertionError("read too far")

    assert next(side_by_side(endless(), ["a", "z"], first)) == ("a", "a")
