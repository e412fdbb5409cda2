"""What the wrong elements depend on, and what they should depend on, in the lab's names and indices.

It needs no rule about any lab: grader/harness/influence/search.hpp has changed parts of the inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ....core import formatting
from ....records import ElementInfluences, InputInfluence, Weight, Wrong
from . import index_sets
from .index_sets import LETTERS, Ranges
from .wrong_answer import Doubt

CONSTANT, UNUSED, NOT_NEEDED = "depends-on-nothing", "input-unused", "input-not-needed"
LEFT_OUT, TOO_MUCH, ELSEWHERE = "part-left-out", "part-too-much", "other-part-used"
JOINED, TIMES, COUNTED, ADDED = "joined-with-another", "counted-times", "counted-otherwise", "added-to"
_FEWEST_ALIKE = 2  # elements that show how what they need follows from their indices
# Patterns that say as much as these causes.
_SAID = {"same-difference": (ADDED,), "unchanged": (UNUSED, CONSTANT)}
_ENOUGH = 2  # elements of an input that show a factor, for each element of the result
_CLOSE = 1e-3  # relative difference of two weights that are the same


def doubts(wrong: Wrong) -> Iterator[Doubt]:
    """What is wrong with the inputs of the elements; at most one doubt."""
    if wrong.influences is None:
        return
    about = _Tried(wrong, wrong.influences.elements)
    for look in (_of_nothing, _of_inputs, _of_parts, _of_partners, _of_weights, _of_sums):
        if doubt := look(about):
            if doubt.cause not in _SAID.get(wrong.pattern, ()):
                yield doubt
            return


@dataclass(frozen=True)
class _Tried:
    wrong: Wrong
    elements: tuple[ElementInfluences, ...]

    @property
    def indices(self) -> list[tuple[int, ...]]:
        return [each.index for each in self.elements]

    @property
    def general(self) -> str:
        """ "C[i][j]" of several elements, "C[0][1]" of one."""
        if len(self.elements) == 1:
            return self.named(self.elements[0])
        return self.wrong.array + "".join(f"[{letter}]" for letter in LETTERS[: len(self.indices[0])])

    def named(self, element: ElementInfluences) -> str:
        return self.wrong.array + "".join(f"[{at}]" for at in element.index)

    def inputs(self) -> list[tuple[InputInfluence, ...]]:
        """Each input, once for each element."""
        return list(zip(*(each.inputs for each in self.elements), strict=True))

    @property
    def tried(self) -> str:
        names = formatting.listed([self.named(each) for each in self.elements])
        case = self.wrong.influences.case if self.wrong.influences else ""
        return f" (seen by changing inputs of {case}, for {names})"


# --- whole inputs ------------------------------------------------------------------------------


def _of_nothing(about: _Tried) -> Doubt | None:
    inputs = [each for of in about.inputs() for each in of]
    if any(each.is_used for each in inputs) or not any(each.is_needed for each in inputs):
        return None
    names = formatting.listed(list(dict.fromkeys(each.array for each in inputs if each.is_needed)))
    words = (
        f"{about.general} comes out the same whatever {names} holds: nothing that is read there gets into "
        f"the result{about.tried}."
    )
    return Doubt(CONSTANT, words)


def _of_inputs(about: _Tried) -> Doubt | None:
    for of in about.inputs():
        name = of[0].array
        if all(each.is_needed and not each.is_used for each in of):
            words = f"{about.general} should change with {name}, and in your kernel it does not{about.tried}."
            return Doubt(UNUSED, words)
        if all(each.is_used and not each.is_needed for each in of):
            words = f"{about.general} changes with {name} in your kernel, and should not depend on it"
            return Doubt(NOT_NEEDED, f"{words}{about.tried}.")
    return None


# --- parts of inputs ---------------------------------------------------------------------------


def _of_parts(about: _Tried) -> Doubt | None:
    """The first input of which other elements are used than are needed: for all elements alike, or for all
    but the first, which often lies at a border; else for one of them, for that reason from the last one on.
    """
    groups = [about.elements, *((each,) for each in reversed(about.elements))]
    if len(about.elements) > _FEWEST_ALIKE:
        groups.insert(1, about.elements[1:])
    for elements in groups:
        group = _Tried(about.wrong, elements)
        for of in group.inputs():
            if all(_other_parts(each) for each in of) and (doubt := _parts(group, of)):
                return doubt
    return None


def _other_parts(each: InputInfluence) -> bool:
    return not each.is_same and bool(each.needs) and all(each.needs) and each.needs != each.uses


def _parts(about: _Tried, of: Sequence[InputInfluence]) -> Doubt | None:
    name = of[0].array
    needs = _subscripts(about, of, lambda each: each.needs)
    uses = _subscripts(about, of, lambda each: each.uses)
    missing = _difference(about, of, lambda each: (each.needs, each.uses))
    extra = _difference(about, of, lambda each: (each.uses, each.needs))
    is_most = uses != "" and all(_size(each.uses) * 2 < _size(each.needs) for each in of)
    if needs and missing and not _exceeds(of, lambda each: (each.uses, each.needs)):
        if not is_most and not all(_is_rest_right(each) for each in of):
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
    return Doubt(cause, f"{about.general} needs {some}{name}{needs}, and your kernel {words}{about.tried}.")


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


def _is_rest_right(each: InputInfluence) -> bool:
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


def _difference(about: _Tried, of: Sequence[InputInfluence], pair: _Pair) -> str:
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
    return _texts(about, found)


def _subscripts(
    about: _Tried, of: Sequence[InputInfluence], chosen: Callable[[InputInfluence], tuple[Ranges, ...]]
) -> str:
    return _texts(about, [chosen(each) for each in of])


def _texts(about: _Tried, found: Sequence[tuple[Ranges, ...]]) -> str:
    """ "[i][0–31]"; "" if the elements' sets follow from their indices in no simple way."""
    if not all(index_sets.is_plain(ranges) for sets in found for ranges in sets):
        return ""
    texts = [
        index_sets.common(sets, about.indices, axis) for axis, sets in enumerate(zip(*found, strict=True))
    ]
    return "".join(f"[{text}]" for text in texts) if all(texts) else ""


# --- elements of two inputs --------------------------------------------------------------------


def _of_partners(about: _Tried) -> Doubt | None:
    """Two elements that are joined and do not belong together: for all elements alike, else for one."""
    for elements in (about.elements, *((each,) for each in about.elements)):
        group = _Tried(about.wrong, elements)
        for of in group.inputs():
            pairs = [
                each.partners for each in of if each.partners and each.partners.right != each.partners.got
            ]
            if len(pairs) != len(of) or len({pair.other for pair in pairs}) != 1:
                continue
            one, right, got = (
                _texts(group, [tuple(((at, at),) for at in index) for index in indices])
                for indices in zip(*((pair.index, pair.right, pair.got) for pair in pairs), strict=True)
            )
            if one and right and got:
                other = pairs[0].other
                words = (
                    f"For {group.general}, your kernel joins {of[0].array}{one} with {other}{got}, and "
                    f"{other}{right} belongs to it{group.tried}."
                )
                return Doubt(JOINED, words)
    return None


# --- weights -----------------------------------------------------------------------------------


def _of_weights(about: _Tried) -> Doubt | None:
    """All elements are used that are needed, and no others, but they count for more or less."""
    for of in about.inputs():
        ratios = [ratio for each in of if not each.is_same for ratio in _ratios(each)]
        if len(ratios) < _ENOUGH * len(of) or math.isclose(ratios[0], 1, rel_tol=_CLOSE):
            continue
        if all(math.isclose(each, ratios[0], rel_tol=_CLOSE) for each in ratios):
            return Doubt(TIMES, f"{about.general} {_counted(of[0].array, ratios[0])}{about.tried}.")
    for element in about.elements:
        for each in element.inputs:
            if not each.is_same and (words := _otherwise(about.named(element), each)):
                return Doubt(COUNTED, words)
    return None


def _otherwise(element: str, each: InputInfluence) -> str:
    """That elements of an input count alike and should not, or the first that counts otherwise."""
    wrong = [weight for weight in each.weights if not _is_near(weight.got, weight.right)]
    if not wrong:
        return ""
    first, last = each.weights[0], each.weights[-1]
    if _is_near(first.right, last.right) and not _is_near(first.got, last.got):
        return (
            f"All elements of {each.array} should count alike for {element}. In your kernel it changes by "
            f"{_brief(first.got)} if {_place(each.array, first)} grows by 1, and by {_brief(last.got)} if "
            f"{_place(each.array, last)} does: what is an element multiplied by, or what is taken of it?"
        )
    does = f"by {_brief(wrong[0].got)}" if wrong[0].got else "does not change at all"
    return (
        f"If {_place(each.array, wrong[0])} grows by 1, {element} should grow by {_brief(wrong[0].right)}, "
        f"and in your kernel {does}: the right elements are used, and something else is made of them."
    )


def _is_near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_CLOSE)


def _place(array: str, weight: Weight) -> str:
    return array + "".join(f"[{each}]" for each in weight.index)


def _ratios(each: InputInfluence) -> list[float]:
    return [weight.got / weight.right for weight in each.weights if weight.right and weight.got]


def _counted(array: str, ratio: float) -> str:
    if math.isclose(ratio, -1, rel_tol=_CLOSE):
        return f"takes {array} with the wrong sign: it falls where it should grow"
    return f"changes {ratio:.3g} times as much with {array} as it should"


def _brief(number: float) -> str:
    """Digits that a kernel's rounding leaves."""
    return f"{number:.5g}"


# --- what no input changes ---------------------------------------------------------------------


def _of_sums(about: _Tried) -> Doubt | None:
    inputs = [each for element in about.elements for each in element.inputs]
    if not any(each.is_needed for each in inputs) or not all(each.is_same for each in inputs):
        return None
    first = about.elements[0]
    amount = index_sets.formula([each.got - each.right for each in about.elements], about.indices)
    of, by = (about.general, amount) if amount else (about.named(first), _brief(first.got - first.right))
    words = (
        f"{about.general} changes with all inputs as it should{about.tried}. {of} is off by {by}, whatever "
        "they hold: look at what it begins with, and at what is added that is no input."
    )
    return Doubt(ADDED, words)
