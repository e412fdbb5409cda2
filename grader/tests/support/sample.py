"""Long tables of tests that are alike: `make test` runs a sample of their rows, `make test-all` runs all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

_Parameters = type(pytest.param())


def sampled(rows: Iterable[Any], one_in: int) -> list[Any]:
    """The rows as parameters for pytest. All but the first and each `one_in`-th after it are `exhaustive`.

    A row may be a `pytest.param`, which keeps its marks and its id.
    """
    return [row if at % one_in == 0 else _exhaustive(row) for at, row in enumerate(rows)]


def sampled_by(groups: Iterable[Sequence[Any]], one_in: int) -> list[Any]:
    """As `sampled`, of each group by itself, so that no group is left out."""
    return [row for group in groups for row in sampled(group, one_in)]


def chosen(request: pytest.FixtureRequest, *parameters: str) -> list[tuple[Any, ...]]:
    """The values of these parameters in each chosen test of the module that has them all.

    A fixture that does the work of many tests at once asks this, so that it does no more than is looked at.
    """
    return [
        tuple(item.callspec.params[name] for name in parameters)
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.path == request.path
        and hasattr(item, "callspec")
        and set(parameters) <= set(item.callspec.params)
    ]


def _exhaustive(row: Any) -> Any:
    mark = pytest.mark.exhaustive
    if isinstance(row, _Parameters):
        return pytest.param(*row.values, id=row.id, marks=(*row.marks, mark))
    return pytest.param(*row, marks=mark) if isinstance(row, tuple) else pytest.param(row, marks=mark)
