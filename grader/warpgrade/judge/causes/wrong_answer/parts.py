"""Elements of an input that are left out, used as well or used in place of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ....records import InputInfluence
from . import block_parts, index_sets
from .index_sets import Ranges
from .tried import FEWEST_ALIKE, Tried, subscripts, texts
from .wrong_answer import Doubt

LEFT_OUT, TOO_MUCH, ELSEWHERE = "part-left-out", "part-too-much", "other-part-used"


def in_parts(about: Tried) -> Doubt | None:
    """The first input of which other elements are used than are needed: for all elements alike, or for all
    but the first, which often lies at a border; else for one of them, for that reason from the last one on.
    """
    groups = [about.elements, *((each,) for each in reversed(about.elements))]
    if len(about.elements) > FEWEST_ALIKE:
        groups.insert(1, about.elements[1:])
    for elements in groups:
        group = about.some(*elements)
        for of in group.inputs():
            if all(_other_parts(each) for each in of) and (doubt := _parts(group, of)):
                return doubt
    return None


def _other_parts(each: InputInfluence) -> bool:
    return not each.is_same and bool(each.needs) and all(each.needs) and each.needs != each.uses


def _parts(about: Tried, of: Sequence[InputInfluence]) -> Doubt | None:
    name = of[0].array
    needs = subscripts(about, of, lambda each: each.needs)
    uses = subscripts(about, of, lambda each: each.uses)
    missing = _difference(about, of, lambda each: (each.needs, each.uses))
    extra = _difference(about, of, lambda each: (each.uses, each.needs))
    is_most = uses != "" and all(_size(each.uses) * 2 < _size(each.needs) for each in of)
    is_part = not _exceeds(of, lambda each: (each.uses, each.needs))
    if needs and is_part and (missing or (uses and _size(of[0].uses))):
        is_most = is_most or not missing
        if not is_most and not all(is_rest_right(each) for each in of):
            return None
        words = f"uses only {name}{uses} of them" if is_most else f"leaves out {name}{missing}"
        cause = LEFT_OUT
    elif needs and extra and not _exceeds(of, lambda each: (each.needs, each.uses)):
        cause, words = TOO_MUCH, f"also uses {name}{extra}"
    elif needs and uses:
        cause, words = ELSEWHERE, f"uses {name}{uses} instead"
    else:
        return None
    some = "" if all(_is_full(each) for each in of) else "elements of "
    pairs = zip(about.elements, of, strict=True)
    more = ""
    if about.shape and all(block_parts.is_beside(about.wrong, about.shape, *pair) for pair in pairs):
        cause, more = block_parts.CAUSE, f".{block_parts.words(about.shape, name)}"
    return Doubt(
        cause, f"{about.general} needs {some}{name}{needs}, and your kernel {words}{about.tried}{more}."
    )


def _is_full(each: InputInfluence) -> bool:
    """Whether all elements with these indices are needed, not only some, as of a cross."""
    inside = (
        weight
        for weight in each.weights
        if all(
            any(first <= at <= last for first, last in ranges)
            for at, ranges in zip(weight.index, each.needs, strict=True)
        )
    )
    return all(weight.right for weight in inside)


def is_rest_right(each: InputInfluence) -> bool:
    """Whether what is not left out acts as it should, for the most part. Beside larger numbers, what is used
    otherwise can vanish in rounding.
    """
    for needs, uses, alike in zip(each.needs, each.uses, each.alike, strict=True):
        if needs != uses and 2 * index_sets.size(alike) < index_sets.size(uses):
            return False
    return True


def _size(ranges: Sequence[Ranges]) -> int:
    return math.prod(index_sets.size(each) for each in ranges)


_Pair = Callable[[InputInfluence], tuple[tuple[Ranges, ...], tuple[Ranges, ...]]]


def _exceeds(of: Sequence[InputInfluence], pair: _Pair) -> bool:
    """Whether the first of each two has indices that the second lacks."""
    return any(index_sets.without(one, other) for each in of for one, other in zip(*pair(each), strict=True))


def _difference(about: Tried, of: Sequence[InputInfluence], pair: _Pair) -> str:
    """The subscripts of what the first of each two has and the second lacks, along one dimension; "" if they
    differ along several.
    """
    found = []
    for each in of:
        first, second = pair(each)
        rests = [index_sets.without(one, other) for one, other in zip(first, second, strict=True)]
        if sum(bool(rest) for rest in rests) != 1:
            return ""
        found.append(tuple(rest or one for rest, one in zip(rests, first, strict=True)))
    return texts(about, found)
