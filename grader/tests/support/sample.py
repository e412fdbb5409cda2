"""Long tables of tests that are alike: `make test` runs a sample of their rows, `make test-all` runs all.

The sample is another one for each commit, so that every row runs now and then.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

TURN = "WARPGRADE_TURN"
_Parameters = type(pytest.param())


def of_commit() -> int:
    """A number that the checked out commit has; 0 where there is none, as in an archive."""
    found = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True
    )
    return 0 if found.returncode else int(found.stdout, 16)


def sampled(rows: Iterable[Any], one_in: int) -> list[Any]:
    """The rows as parameters for pytest. All but each `one_in`-th are `exhaustive`; one row at least is not.

    Which row is the first that is not depends on the environment variable WARPGRADE_TURN, an integer. A row
    may be a `pytest.param`, which keeps its marks and its id.
    """
    listed = list(rows)
    apart = min(one_in, len(listed))
    turn = int(os.environ.get(TURN, "0"))
    return [row if at % apart == turn % apart else _exhaustive(row) for at, row in enumerate(listed)]


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
