"""Edits that ask for more: a guard around a statement, a further condition, a load that is 0 outside."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ..reading.names import INTEGER, Variable, can_use
from ..reading.operands import start_of
from ..reading.source import KernelSource
from ..reading.statements import Region, Statement
from .edit import Edit, Form, Kind, Replacement, of_tokens
from .name_edits import joined, uses
from .statement_edits import assigning


def further_conditions(
    source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]
) -> Iterator[Edit]:
    """`row < m && column < n` for `row < m`, in an `if` and before a `?`."""
    integers = ((at, own) for at, own in uses(source, regions, known) if own.kind == INTEGER)
    sums = joined(source, integers, "+")  # an index, where a tile begins at one of the two
    for region in regions:
        found = [(region.first, region.last)] if region.is_condition else []
        found += [
            (start_of(source, at, region.first), at - 1)
            for at in range(region.first + 1, region.last)
            if source.word(at) == "?"
        ]
        for first, last in found:
            usable = (each for each in sums if can_use(each, first, known))
            indices = [*_integers(known, first, parameters=False), *usable]
            for test in _tests(indices, _integers(known, first, parameters=True)):
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
    single = list(_tests(list(indices), _integers(known, region.first, parameters=True)))
    yield from single
    for one, other in itertools.combinations(single, 2):
        if one.split()[0] != other.split()[0]:
            yield f"{one} && {other}"


def tests(known: Sequence[Variable], at: int) -> Iterator[str]:
    """Tests of the function's own integers against what it is given, that can be made at that token."""
    return _tests(_integers(known, at, parameters=False), _integers(known, at, parameters=True))


def _tests(indices: Sequence[str], bounds: Sequence[str]) -> Iterator[str]:
    return (f"{index} < {bound}" for index in indices for bound in bounds if index != bound)


def _integers(known: Sequence[Variable], at: int, *, parameters: bool) -> list[str]:
    """Integers that can be used at that token: the function's own, or those that it is given, such as the
    sizes of an array. No macros.
    """
    usable = (each for each in known if each.kind == INTEGER and 0 <= each.at < at <= each.end)
    return list(dict.fromkeys(each.name for each in usable if each.is_parameter == parameters))
