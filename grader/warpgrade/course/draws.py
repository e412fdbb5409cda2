"""Sizes that no student knows in advance: [drawn] of lab.toml, and the cases and timed sizes that use it.

    [drawn]
    a = { from = 3, to = 5 }

    [[case]]
    m = "64*a"       # in place of a number

    [performance]
    sizes = [[256, "64*a"]]
    gpu_sizes = [[2048, "2048 + 64*a"]]

Each course draws the integers of [drawn] from its secret (run/datasets.py). Without a secret each is the
least of its range: what a student's own check uses.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..records import Draw, Lab, Size
from .expressions import ExpressionError, NoValue, parse

Row = Sequence[int | str]  # a number, or an expression over the draws, for each parameter
_MOST_CORNERS = 256


def declared(data: Mapping[str, Any]) -> tuple[Draw, ...]:
    """The draws of the table [drawn], from the parsed lab.toml."""
    return tuple(Draw(name, row["from"], row["to"]) for name, row in data.get("drawn", {}).items())


def least(draws: Sequence[Draw]) -> dict[str, int]:
    return {draw.name: draw.first for draw in draws}


def resolved(lab: Lab, values: Mapping[str, int]) -> Lab:
    """The lab with the sizes that these values of its draws give."""
    cases = tuple(replace(case, size=size(case.drawn, values)) if case.drawn else case for case in lab.cases)
    performance = lab.performance
    if performance.drawn:
        performance = replace(performance, sizes=sizes(performance.drawn, values))
    if performance.gpu_drawn:
        performance = replace(performance, gpu_sizes=sizes(performance.gpu_drawn, values))
    return replace(lab, cases=cases, performance=performance)


def public(lab: Lab) -> Lab:
    """The lab with the sizes that everybody knows: the least ones."""
    return resolved(lab, least(lab.draws))


def are_secret(lab: Lab) -> bool:
    """Whether the lab is timed at sizes that this course's secret has drawn."""
    return public(lab).performance != lab.performance


def size(row: Row, values: Mapping[str, int]) -> Size:
    return tuple(each if isinstance(each, int) else int(parse(each).value(values)) for each in row)


def sizes(rows: Sequence[Row], values: Mapping[str, int]) -> tuple[Size, ...]:
    return tuple(size(row, values) for row in rows)


def all_expressions(rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
    """The rows as expressions; empty if all of them are fixed."""
    return tuple(tuple(map(str, row)) for row in rows) if any(map(expressions, rows)) else ()


def expressions(row: Row) -> tuple[str, ...]:
    """The row as expressions; empty if all of it is fixed."""
    return tuple(map(str, row)) if any(isinstance(each, str) for each in row) else ()


def mistakes(text: str, draws: Sequence[Draw], first: int, last: int) -> Iterator[str]:
    """Mistakes in an expression for a parameter whose range is `first` to `last`."""
    try:
        expression = parse(text)
    except ExpressionError as error:
        yield f"{text!r} {error}"
        return
    unknown = [name for name in expression.names if name not in least(draws)]
    if unknown or expression.patterns:
        yield f"{text!r} may use the names of [drawn] only"
        return
    used = [draw for draw in draws if draw.name in expression.names]
    for corner in itertools.islice(
        itertools.product(*((draw.first, draw.last) for draw in used)), _MOST_CORNERS
    ):
        values = {draw.name: value for draw, value in zip(used, corner, strict=True)}
        try:
            found = expression.value(values)
        except NoValue as error:
            yield f"{text!r} has no value: {error}"
            return
        if found != int(found) or not first <= found <= last:
            yield f"{text!r} can be {found}, which is no integer from {first} to {last}"
            return
