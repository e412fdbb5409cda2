"""What the wrong elements depend on, and what they should depend on, in the lab's names and indices.

It needs no rule about any lab: grader/harness/influence/search.hpp has changed parts of the inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ....core import formatting
from ....records import Influences, LaunchShape, Wrong
from . import footprints, index_sets, parts, weights
from .tried import FEWEST_ALIKE, Tried, subscripts, texts
from .weights import brief
from .wrong_answer import Doubt

CONSTANT, UNUSED, NOT_NEEDED = "depends-on-nothing", "input-unused", "input-not-needed"
JOINED, ADDED, OPERATION = "joined-with-another", "added-to", "other-operation"
# Patterns that say as much as these causes.
_SAID = {"same-difference": (ADDED,), "unchanged": (UNUSED, CONSTANT)}
# The harness's names of operations (grader/harness/influence/operations.cpp).
_OPERATIONS = {
    "sum": "the sum",
    "mean": "the mean",
    "largest": "the largest",
    "smallest": "the smallest",
    "product": "the product",
    "sum-of-squares": "the sum of the squares",
    "sum-of-magnitudes": "the sum of the absolute values",
}


def doubts(wrong: Wrong, shape: LaunchShape | None = None) -> Iterator[Doubt]:
    """What is wrong with the inputs of the elements; at most one doubt. `shape`: of the launch, if known."""
    if wrong.influences is None:
        return
    yield from islice(_all_doubts(wrong, wrong.influences, shape), 1)


def _all_doubts(wrong: Wrong, influences: Influences, shape: LaunchShape | None) -> Iterator[Doubt]:
    yield from footprints.doubts(wrong)
    whole = tuple(each for each in influences.elements if not each.index)
    if whole and (doubt := parts.in_parts(Tried(wrong, whole, shape))):
        yield doubt
    about = Tried(wrong, tuple(each for each in influences.elements if each.index), shape)
    if not about.elements:
        return
    for look in (
        _of_nothing,
        _of_inputs,
        _of_operations,
        parts.in_parts,
        _of_partners,
        weights.in_weights,
        _of_sums,
    ):
        if doubt := look(about):
            if doubt.cause not in _SAID.get(wrong.pattern, ()):
                yield doubt
            return


# --- whole inputs ------------------------------------------------------------------------------


def _of_nothing(about: Tried) -> Doubt | None:
    inputs = [each for of in about.inputs() for each in of]
    if any(each.is_used for each in inputs) or not any(each.is_needed for each in inputs):
        return None
    names = formatting.listed(list(dict.fromkeys(each.array for each in inputs if each.is_needed)))
    words = (
        f"{about.general} comes out the same whatever {names} holds: nothing that is read there gets into "
        f"the result{about.tried}."
    )
    return Doubt(CONSTANT, words)


def _of_inputs(about: Tried) -> Doubt | None:
    for of in about.inputs():
        name = of[0].array
        if all(each.is_needed and not each.is_used for each in of):
            words = f"{about.general} should change with {name}, and in your kernel it does not{about.tried}."
            return Doubt(UNUSED, words)
        if all(each.is_used and not each.is_needed for each in of):
            words = f"{about.general} changes with {name} in your kernel, and should not depend on it"
            return Doubt(NOT_NEEDED, f"{words}{about.tried}.")
    return None


# --- operations --------------------------------------------------------------------------------


def _of_operations(about: Tried) -> Doubt | None:
    """All elements of an input that are needed make the result in another way, as the smallest of them."""
    for of in about.inputs():
        found = [each.operations for each in of if each.operations]
        if len(found) < max(len(of), FEWEST_ALIKE):
            continue
        right = set.intersection(*(set(each.right) for each in found))
        got = set.intersection(*(set(each.got) for each in found))
        if not right or not got or right & got:
            continue
        should, does = (
            next(words for name, words in _OPERATIONS.items() if name in names) for names in (right, got)
        )
        needs = subscripts(about, of, lambda each: each.needs)
        of_what = f"{of[0].array}{needs}" if needs else f"what it needs of {of[0].array}"
        words = (
            f"{about.general} should be {should} of {of_what}, and in your kernel it is {does}{about.tried}."
        )
        return Doubt(OPERATION, words)
    return None


# --- elements of two inputs --------------------------------------------------------------------


def _of_partners(about: Tried) -> Doubt | None:
    """Two elements that are joined and do not belong together: for all elements alike, else for one."""
    for elements in (about.elements, *((each,) for each in about.elements)):
        group = about.some(*elements)
        for of in group.inputs():
            pairs = [
                each.partners for each in of if each.partners and each.partners.right != each.partners.got
            ]
            if len(pairs) != len(of) or len({pair.other for pair in pairs}) != 1:
                continue
            one, right, got = (
                texts(group, [tuple(((at, at),) for at in index) for index in indices])
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


# --- what no input changes ---------------------------------------------------------------------


def _of_sums(about: Tried) -> Doubt | None:
    inputs = [each for element in about.elements for each in element.inputs]
    if not any(each.is_needed for each in inputs) or not all(each.is_same for each in inputs):
        return None
    first = about.elements[0]
    amount = index_sets.formula([each.got - each.right for each in about.elements], about.indices)
    of, by = (about.general, amount) if amount else (about.named(first), brief(first.got - first.right))
    words = (
        f"{about.general} changes with all inputs as it should{about.tried}. {of} is off by {by}, whatever "
        "they hold: look at what it begins with, and at what is added that is no input."
    )
    return Doubt(ADDED, words)
