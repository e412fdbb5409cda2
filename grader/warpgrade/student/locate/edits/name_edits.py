"""Edits that take another variable or component."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence

from ..reading.names import INTEGER, Variable, can_use
from ..reading.operands import ASSIGNING
from ..reading.source import KernelSource
from ..reading.statements import Region
from .edit import Edit, Kind, Replacement, of_tokens

_BUILTIN = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_LIKE = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
_AXES = ("x", "y", "z")
Role = tuple[bool, bool]
_FEWEST = 2  # uses of a variable that are edited together


class Kinship(enum.Enum):
    """Of two variables of one kind."""

    SIZES = enum.auto()  # both are parameters
    ROLE = enum.auto()  # both are the whole file's, or the function's own
    KIND = enum.auto()  # neither


def components(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """threadIdx.y for threadIdx.x, blockIdx.x for threadIdx.x; also x and y exchanged everywhere."""
    found = [number for region in regions for number in _builtins(source, region)]
    axes = [axis for axis in _AXES if axis in {source.word(number + 2) for number in found}]
    axes = axes if len(axes) > 1 else ["x", "y"]
    for number in found:
        for axis in axes:
            if axis != source.word(number + 2):
                other = f"{source.word(number)}.{axis}"
                yield of_tokens(Kind.COMPONENT, source, number, number + 2, other)
        other = f"{_LIKE[source.word(number)]}.{source.word(number + 2)}"
        yield of_tokens(Kind.COMPONENT, source, number, number + 2, other)
    for name, (one, other) in itertools.product(_BUILTIN, itertools.combinations(axes, 2)):
        turned = {one: other, other: one}
        places = [n for n in found if source.word(n) == name and source.word(n + 2) in turned]
        if len(places) > 1:
            made = tuple(
                Replacement(source.span(n, n + 2), f"{name}.{turned[source.word(n + 2)]}") for n in places
            )
            yield Edit(Kind.COMPONENTS, source.line(places[0]), name, made)


def _builtins(source: KernelSource, region: Region) -> Iterator[int]:
    for number in range(region.first, region.last - 1):
        if source.word(number) in _BUILTIN and source.word(number + 2) in _AXES:
            yield number


def other_variables(
    source: KernelSource, regions: Sequence[Region], known: Sequence[Variable], kinship: Kinship
) -> Iterator[Edit]:
    """Each use of a variable by each other one that is so much like it.

    Who takes a wrong size takes another size, and for a wrong index another index.
    """
    roles: dict[str, set[Role]] = {}
    for each in known:
        roles.setdefault(each.name, set()).add(_role(source, each))
    for number, own in uses(source, regions, known):
        for other in _alike(number, own, known):
            if _kinship(_role(source, own), roles[other]) is kinship:
                yield of_tokens(Kind.VARIABLE, source, number, number, other)


def _kinship(role: Role, others: Collection[Role]) -> Kinship:
    if role not in others:
        return Kinship.KIND
    return Kinship.SIZES if role[0] else Kinship.ROLE


def _role(source: KernelSource, each: Variable) -> Role:
    """Whether a variable is a parameter, and whether it is the whole file's."""
    return each.is_parameter, each.end == len(source.tokens)


def times_constants(
    source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]
) -> Iterator[Edit]:
    """`threadIdx.x * EACH` for `threadIdx.x`, of each whole number of the file that has a name, and of the
    number of threads along that axis.
    """
    constants = dict.fromkeys(
        each.name for each in known if each.kind == INTEGER and each.end == len(source.tokens)
    )
    for region in regions:
        for at in _builtins(source, region):
            if source.word(at) != "blockDim" and "*" not in (source.word(at - 1), source.word(at + 3)):
                text, threads = source.between(at, at + 2), f"blockDim.{source.word(at + 2)}"
                for name in (*constants, *([] if source.word(at) == "threadIdx" else [threads])):
                    yield of_tokens(Kind.ADDED, source, at, at + 2, f"{text} * {name}")


def numbers_of_threads(source: KernelSource, regions: Sequence[Region]) -> Iterator[Edit]:
    """The number of a thread in its block, or in the whole grid, for `threadIdx.x` alone."""
    for region in regions:
        for at in _builtins(source, region):
            if source.word(at) == "threadIdx":
                axis = source.word(at + 2)
                for before in ("threadIdx.y * blockDim.x", f"blockIdx.{axis} * blockDim.{axis}"):
                    if not before.startswith(source.between(at, at + 2)):
                        yield of_tokens(Kind.ADDED, source, at, at + 2, f"({before} + threadIdx.{axis})")


def exchanged(source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]) -> Iterator[Edit]:
    """Two variables of one kind exchanged in one expression."""
    for region in regions:
        found = list(uses(source, [region], known))
        kinds = {own.name: own.kind for _, own in found}
        for one, other in itertools.combinations(kinds, 2):
            if kinds[one] != kinds[other]:
                continue
            turned = {one: other, other: one}
            made = tuple(
                Replacement(source.span(n, n), turned[own.name]) for n, own in found if own.name in turned
            )
            yield Edit(Kind.EXCHANGED, source.line(region.first), f"{one} and {other}", made)


def everywhere(source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]) -> Iterator[Edit]:
    """Every use of a variable, but in heads of loops: by another one, and times another one."""
    places_of: dict[Variable, list[int]] = {}
    for number, own in uses(source, [each for each in regions if not each.is_loop], known):
        places_of.setdefault(own, []).append(number)
    for own, places in places_of.items():
        if len(places) < _FEWEST:
            continue
        usable = set[str].intersection(*(set(_alike(place, own, known)) for place in places))
        for other in sorted(usable):
            texts = {Kind.VARIABLE: other} | (
                {Kind.ADDED: f"{own.name} * {other}"} if own.kind == INTEGER else {}
            )
            for kind, text in texts.items():
                made = tuple(Replacement(source.span(place, place), text) for place in places)
                yield Edit(kind, source.line(places[0]), own.name, made)


def with_another(
    source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]
) -> Iterator[Edit]:
    """An integer times another one, or plus another one or a product of the file: `tile * WIDTH + x` for
    `tile + x` and for `x`."""
    integers = [(at, own) for at, own in uses(source, regions, known) if own.kind == INTEGER]
    products = joined(source, integers, "*")
    for number, own in uses(source, regions, known):
        if own.kind == INTEGER:
            for term in (each for each in products if can_use(each, number, known)):
                yield of_tokens(Kind.ADDED, source, number, number, f"{term} + {own.name}")
            for other in (own.name, *_alike(number, own, known)):
                for sign in "*+":
                    yield of_tokens(Kind.ADDED, source, number, number, f"{own.name} {sign} {other}")


def joined(source: KernelSource, found: Iterable[tuple[int, Variable]], sign: str) -> list[str]:
    """Two of these uses of variables with the sign between them, `tile * WIDTH`, each text once."""
    places = {number for number, _ in found}
    pairs = (at for at in sorted(places) if source.word(at + 1) == sign and at + 2 in places)
    return list(dict.fromkeys(source.between(at, at + 2) for at in pairs))


def uses(
    source: KernelSource, regions: Sequence[Region], known: Sequence[Variable]
) -> Iterator[tuple[int, Variable]]:
    """Each use of a variable in the regions: its token, and the declaration that is meant."""
    for region in regions:
        for number in range(region.first, region.last + 1):
            if source.tokens[number].kind != "word" or source.word(number + 1) == "(":
                continue
            if source.word(number - 1) in (".", "->", "::"):
                continue
            own = _meant(source.word(number), number, known)
            if own is not None and not _is_assigned(source, number):
                yield number, own


def _is_assigned(source: KernelSource, number: int) -> bool:
    """Whether the variable itself is the left side of an assignment, or counted."""
    return source.word(number + 1) in ASSIGNING or source.word(number - 1) in ("++", "--", "&")


def _meant(name: str, number: int, known: Sequence[Variable]) -> Variable | None:
    """The innermost declaration of the name that can be used there."""
    fitting = [each for each in known if each.name == name and each.at < number <= each.end]
    return max(fitting, key=lambda each: each.at, default=None)


def _alike(number: int, own: Variable, known: Sequence[Variable]) -> list[str]:
    """Other variables of the same kind that can be used at that token, the last declared first."""
    alike = (each for each in known if each.kind == own.kind and each.name != own.name)
    usable = [each for each in alike if each.at < number <= each.end]
    return list(dict.fromkeys(each.name for each in sorted(usable, key=lambda each: -each.at)))
