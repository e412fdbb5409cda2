"""Elements of an input that count for more or less than they should, or that single ones of are not used."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....records import InputInfluence, Weight
from .parts import LEFT_OUT, TOO_MUCH, is_rest_right
from .tried import FEWEST_ALIKE, Tried, texts
from .wrong_answer import Doubt

TIMES, COUNTED, NOT_MULTIPLIED = "counted-times", "counted-otherwise", "added-not-multiplied"
_FACTORS = 2  # of a product
_ENOUGH = 2  # elements of an input that show a factor, for each element of the result
_CLOSE = 1e-3  # relative difference of two weights that are the same


def in_weights(about: Tried) -> Doubt | None:
    """All elements are used that are needed, and no others, but they count for more or less."""
    if doubt := _of_factors(about):
        return doubt
    for of in about.inputs():
        ratios = [ratio for each in of if not each.is_same for ratio in _ratios(each)]
        if len(ratios) < _ENOUGH * len(of) or math.isclose(ratios[0], 1, rel_tol=_CLOSE):
            continue
        if all(math.isclose(each, ratios[0], rel_tol=_CLOSE) for each in ratios):
            return Doubt(TIMES, f"{about.general} {_counted(of[0].array, ratios[0])}{about.tried}.")
    for of in about.inputs():
        if not all(each.is_same for each in of) and (doubt := _of_corners(about, of) or _of_one(about, of)):
            return doubt
    for element in about.elements:
        for each in element.inputs:
            if not each.is_same and (words := _otherwise(about.named(element), each)):
                return Doubt(COUNTED, words)
    return None


def _groups(count: int) -> list[tuple[int, ...]]:
    """All elements, all but the first, which often lies at a border, and each alone, from the last one on."""
    every = tuple(range(count))
    return [every, *([every[1:]] if count > FEWEST_ALIKE else ()), *((at,) for at in reversed(every))]


def _of_one(about: Tried, of: Sequence[InputInfluence]) -> Doubt | None:
    """The first element of the input that counts otherwise beside some that count as they should, at the same
    place for several elements of the result.
    """
    if not all(any(is_near(weight.right, weight.got) for weight in each.weights) for each in of):
        return None
    for group in _groups(len(of)):
        if len(group) < FEWEST_ALIKE:
            return None
        some = about.some(*(about.elements[at] for at in group))
        for weights in zip(*(of[at].weights for at in group), strict=False):
            first = weights[0]
            if not all(_is_like(first, each) for each in weights) or is_near(first.right, first.got):
                continue
            place = texts(some, [tuple(((at, at),) for at in each.index) for each in weights])
            if place and first.right:
                return Doubt(
                    COUNTED,
                    f"{of[0].array}{place} should count {brief(first.right)} times for {some.general}, and "
                    f"in your kernel it counts {brief(first.got)} times{some.tried}.",
                )
    return None


def _is_like(one: Weight, other: Weight) -> bool:
    both = one.is_steady and other.is_steady
    return both and is_near(one.right, other.right) and is_near(one.got, other.got)


def _of_corners(about: Tried, of: Sequence[InputInfluence]) -> Doubt | None:
    """Single elements that are left out, or are too much, of rows and columns others of which are used."""
    if not all(each.needs and is_rest_right(each) for each in of):
        return None
    for group in _groups(len(of)):
        some = about.some(*(about.elements[at] for at in group))
        for is_missing, cause, words in (
            (True, LEFT_OUT, "needs {}, and your kernel leaves it out"),
            (False, TOO_MUCH, "does not need {}, and your kernel uses it"),
        ):
            corners = [_corners(of[at], is_missing=is_missing) for at in group]
            for each in zip(*corners, strict=False):
                if all(each) and (
                    place := texts(some, [tuple(((at, at),) for at in index) for index in each])
                ):
                    does = words.format(of[0].array + place)
                    return Doubt(
                        cause,
                        f"{some.general} {does}, though others beside it are as they should be{some.tried}.",
                    )
    return None


def _corners(each: InputInfluence, *, is_missing: bool) -> list[tuple[int, ...]]:
    """Of what acts by its value, as where equal ones are counted, one change says nothing."""
    return [
        weight.index
        for weight in each.weights
        if (weight.is_steady or each.selects)
        and bool(weight.right) != bool(weight.got)
        and bool(weight.right) == is_missing
    ]


def _of_factors(about: Tried) -> Doubt | None:
    """The elements of two inputs are added up, and one should be multiplied by the other."""
    for of in zip(*about.inputs(), strict=True):
        names = [each.array for each in of if _is_term(each)]
        if len(names) < _FACTORS:
            return None
    one, other = names[:_FACTORS]
    words = (
        f"{about.general} grows by 1 if an element of {one} or of {other} does, as if they were added"
        f"{about.tried}. It should grow by what the other one holds: multiply the two."
    )
    return Doubt(NOT_MULTIPLIED, words)


def _is_term(each: InputInfluence) -> bool:
    """Whether each element counts once in the kernel, and should count for different amounts."""
    steady = [weight for weight in each.weights if weight.is_steady and weight.right]
    return (
        len(steady) >= _ENOUGH
        and all(is_near(weight.got, 1) for weight in steady)
        and not all(is_near(weight.right, steady[0].right) for weight in steady)
    )


def _otherwise(element: str, each: InputInfluence) -> str:
    """That elements of an input count alike and should not, or the first that counts otherwise."""
    weights = [weight for weight in each.weights if weight.is_steady]
    wrong = [weight for weight in weights if not is_near(weight.got, weight.right)]
    if not wrong:
        return ""
    first, last = weights[0], weights[-1]
    if is_near(first.right, last.right) and not is_near(first.got, last.got):
        return (
            f"All elements of {each.array} should count alike for {element}. In your kernel it changes by "
            f"{brief(first.got)} if {_place(each.array, first)} grows by 1, and by {brief(last.got)} if "
            f"{_place(each.array, last)} does: what is an element multiplied by, or what is taken of it?"
        )
    does = f"by {brief(wrong[0].got)}" if wrong[0].got else "does not change at all"
    return (
        f"If {_place(each.array, wrong[0])} grows by 1, {element} should grow by {brief(wrong[0].right)}, "
        f"and in your kernel {does}: the right elements are used, and something else is made of them."
    )


def is_near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE)


def _place(array: str, weight: Weight) -> str:
    return array + "".join(f"[{each}]" for each in weight.index)


def _ratios(each: InputInfluence) -> list[float]:
    steady = [weight for weight in each.weights if weight.is_steady]
    return [weight.got / weight.right for weight in steady if weight.right and weight.got]


def _counted(array: str, ratio: float) -> str:
    if math.isclose(ratio, -1, rel_tol=_CLOSE):
        return f"takes {array} with the wrong sign: it falls where it should grow"
    return f"changes {ratio:.3g} times as much with {array} as it should"


def brief(number: float) -> str:
    """Digits that a kernel's rounding leaves."""
    return f"{number:.5g}"
