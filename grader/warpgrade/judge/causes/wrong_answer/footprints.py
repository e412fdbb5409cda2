"""Elements of the result that change with one of an input: others than should, or by something else."""

from __future__ import annotations

from collections.abc import Sequence

from ....records import ElementFootprint, Touched, Wrong
from . import index_sets
from .index_sets import LETTERS
from .wrong_answer import Doubt

PLACE, AMOUNT = "other-place", "other-amount"
_FEWEST = 2  # elements of the input that show it


def doubts(wrong: Wrong) -> list[Doubt]:
    """What a change of single elements of one input shows; at most one doubt."""
    found = wrong.influences.footprints if wrong.influences else ()
    for name in dict.fromkeys(each.array for each in found):
        acting = [each for each in found if each.array == name and each.right and each.got]
        for look in (_amounts, _places):
            if len(acting) >= _FEWEST and (doubt := look(wrong.array, acting)):
                return [doubt]
    return []


def _amounts(array: str, found: Sequence[ElementFootprint]) -> Doubt | None:
    """The right elements change, and by something else."""
    if any(_places_of(each.right) != _places_of(each.got) for each in found):
        return None
    for each in found:
        for right, got in zip(each.right, each.got, strict=True):
            if abs(right.by - got.by) > abs(right.by) / 2:
                words = (
                    f"If {_named(each.array, each.index)} is another one, {_named(array, right.index)} "
                    f"should change by {right.by:g}, and in your kernel it changes by {got.by:g}: the right "
                    "element is changed, and what is added there is something else."
                )
                return Doubt(AMOUNT, words)
    return None


def _places(array: str, found: Sequence[ElementFootprint]) -> Doubt | None:
    """Other elements change, for all elements of the input by the same distance."""
    pairs = [
        (right.index, got.index)
        for each in found
        if [right.by for right in each.right] == [got.by for got in each.got]
        for right, got in zip(each.right, each.got, strict=True)
    ]
    if len(pairs) < _FEWEST:
        return None
    rights = [right for right, _ in pairs]
    texts = [index_sets.formula(numbers, rights) for numbers in zip(*(got for _, got in pairs), strict=True)]
    letters = "".join(f"[{letter}]" for letter in LETTERS[: len(rights[0])])
    place = "".join(f"[{text}]" for text in texts)
    if not all(texts) or place == letters:
        return None
    example = found[0]
    words = (
        f"Where {array}{letters} should change, your kernel changes {array}{place}: so it is if "
        f"{_named(example.array, example.index)} is another one."
    )
    return Doubt(PLACE, words)


def _places_of(touched: Sequence[Touched]) -> list[tuple[int, ...]]:
    return [each.index for each in touched]


def _named(array: str, index: tuple[int, ...]) -> str:
    return array + "".join(f"[{at}]" for at in index)
