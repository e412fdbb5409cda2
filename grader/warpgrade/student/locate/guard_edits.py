"""Edits that ask for more: a guard around a statement, a further condition, a load that is 0 outside."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from .edit import Edit, Form, Kind, Replacement, of_tokens
from .name_edits import uses
from .names import INTEGER, Variable
from .operands import start_of
from .source import KernelSource
from .statement_edits import assigning
from .statements import Region, Statement


def further_conditions(
    source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]
) -> Iterator[Edit]:
    """`row < m && column < n` for `row < m`, in an `if` and before a `?`."""
    sums = list(dict.fromkeys(_sums(source, regions, known)))
    for region in regions:
        found = [(region.first, region.last)] if region.is_condition else []
        found += [
            (start_of(source, at, region.first), at - 1)
            for at in range(region.first + 1, region.last)
            if source.word(at) == "?"
        ]
        for first, last in found:
            indices = [*_integers(known, first), *sums]
            for test in _tests(indices, _parameters(known, first)):
                text = f"({source.between(first, last)}) && {test}"
                yield of_tokens(Kind.GUARD, source, first, last, text)


def guards(
    source: KernelSource, statements: Sequence[Statement], known: Sequence[Variable]
) -> Iterator[Edit]:
    """A condition, or two, around a statement; and 0 in place of what is loaded where they do not hold."""
    for each in statements:
        for test in _one_or_two(source, Region(each.first, each.last - 1), known):
            made = f"if ({test}) {source.between(each.first, each.last)}"
            place = Replacement(source.span(each.first, each.last), made, Form.STATEMENT)
            yield Edit(Kind.GUARD, source.line(each.first), source.between(each.first, each.last), (place,))
    for each, at in assigning(source, statements):
        value = source.between(at + 1, each.last - 1)
        if "[" in value:
            for test in _one_or_two(source, Region(at + 1, each.last - 1), known):
                text = f"{test} ? ({value}) : 0"
                yield of_tokens(Kind.GUARD, source, at + 1, each.last - 1, text)


def _one_or_two(source: KernelSource, region: Region, known: Sequence[Variable]) -> Iterator[str]:
    """Tests of the integers in an expression, and pairs of tests of two of them."""
    used = (own for _, own in uses(source, [region], known))
    indices = dict.fromkeys(own.name for own in used if own.kind == INTEGER and not own.is_parameter)
    tests = list(_tests(list(indices), _parameters(known, region.first)))
    yield from tests
    for one, other in itertools.combinations(tests, 2):
        if one.split()[0] != other.split()[0]:
            yield f"{one} && {other}"


def _tests(indices: Sequence[str], bounds: Sequence[str]) -> Iterator[str]:
    return (f"{index} < {bound}" for index in indices for bound in bounds if index != bound)


def _sums(source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]) -> Iterator[str]:
    """Two integers added, as an index is where a tile begins at one of them."""
    places = {number for number, own in uses(source, regions, known) if own.kind == INTEGER}
    for at in sorted(places):
        if source.word(at + 1) == "+" and at + 2 in places:
            yield source.between(at, at + 2)


def _integers(known: Sequence[Variable], at: int) -> list[str]:
    """Variables of the function's own that can be used there."""
    usable = [each for each in known if 0 <= each.at < at <= each.end]
    return list(dict.fromkeys(each.name for each in usable if each.kind == INTEGER and not each.is_parameter))


def _parameters(known: Sequence[Variable], at: int) -> list[str]:
    """Integers that the function is given, such as the sizes of an array."""
    usable = [each for each in known if each.at < at <= each.end]
    return list(dict.fromkeys(each.name for each in usable if each.kind == INTEGER and each.is_parameter))
