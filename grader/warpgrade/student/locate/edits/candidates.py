"""All edits of a kernel that are tried, the typical ones first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from ..reading import calls, statements
from ..reading.names import Variable, variables
from ..reading.source import KernelSource, read
from ..reading.statements import Body, Region, Statement
from . import guard_edits, missing_edits, name_edits, statement_edits, value_edits
from .edit import Edit
from .name_edits import Kinship


def of_file(text: str, is_race: bool = False, kernels: Collection[str] = ()) -> Iterator[Edit]:
    """Of a file in CUDA C++. A file that cannot be read gives fewer edits, never an error.

    `is_race`: threads disturb one another, so that barriers and atomics come first. `kernels`: in which
    something is wrong; functions that these do not call are left alone.
    """
    source = read(text)
    bodies = list(statements.bodies(source, calls.reached(source, kernels)))
    regions = [region for body in bodies for region in body.regions]
    simple = [each for body in bodies for each in body.statements]
    known = variables(source)
    between_threads = chain(
        chain.from_iterable(statement_edits.barriers(source, body) for body in bodies),
        statement_edits.atomics(source, simple, known),
    )
    if is_race:  # there are none left for their later place
        yield from between_threads
        yield from chain.from_iterable(missing_edits.barriers_together(source, body) for body in bodies)
    parts = (source, bodies, regions, simple, known)
    yield from _typical(*parts)
    yield from between_threads
    yield from _further(*parts)


def _typical(
    source: KernelSource,
    bodies: Sequence[Body],
    regions: Sequence[Region],
    simple: Sequence[Statement],
    known: Sequence[Variable],
) -> Iterator[Edit]:
    yield from name_edits.components(source, regions)
    yield from name_edits.other_variables(source, regions, known, Kinship.SIZES)
    yield from name_edits.exchanged(source, regions, known)
    yield from value_edits.subscripts(source, regions)
    yield from value_edits.small_terms(source, regions)
    yield from value_edits.offsets(source, regions, known)
    yield from value_edits.operators(source, regions, known)
    yield from value_edits.strictness(source, regions)
    yield from value_edits.numbers(source, regions)
    yield from chain.from_iterable(statement_edits.other_jumps(source, body) for body in bodies)
    yield from chain.from_iterable(statement_edits.removed(source, body) for body in bodies)
    yield from statement_edits.assignments(source, simple, known)
    yield from chain.from_iterable(missing_edits.resets(source, body, known) for body in bodies)
    yield from name_edits.numbers_of_threads(source, regions)
    yield from name_edits.times_constants(source, regions, known)
    yield from name_edits.other_variables(source, regions, known, Kinship.ROLE)


def _further(
    source: KernelSource,
    bodies: Sequence[Body],
    regions: Sequence[Region],
    simple: Sequence[Statement],
    known: Sequence[Variable],
) -> Iterator[Edit]:
    yield from name_edits.everywhere(source, regions, known)
    yield from statement_edits.conditions(source, regions)
    yield from name_edits.other_variables(source, regions, known, Kinship.KIND)
    yield from chain.from_iterable(missing_edits.moved(source, body, known) for body in bodies)
    yield from guard_edits.further_conditions(source, regions, known)
    yield from chain.from_iterable(missing_edits.returns(source, body, known) for body in bodies)
    yield from guard_edits.guards(source, simple, known)
    yield from chain.from_iterable(missing_edits.repeated(source, body, known) for body in bodies)
    yield from value_edits.neighbours(source, regions)
    yield from value_edits.dropped(source, regions)
    yield from name_edits.with_another(source, regions, known)
