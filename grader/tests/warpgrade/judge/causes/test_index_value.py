"""What an index is in one thread, and when the text does not tell."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.index_value import value_in
from warpgrade.records import Place

PLACE = Place("kernel.cu", 3, thread=(5, 2, 0), block=(3, 0, 0))
TEXT = """\
constexpr int WIDTH = 16;
const int column = blockIdx.x * WIDTH + threadIdx.x;
int row = threadIdx.y, last = row + 1;
int moved = 1; moved += 2;
for (int i = 0; i < 8; ++i) sum += a[i];
int far = far_away(column);
"""


@pytest.mark.parametrize(
    ("index", "value"),
    [
        ("threadIdx.x", 5),
        ("column", 3 * 16 + 5),
        ("last * WIDTH - 1", 47),
        ("column % 4", 1),
        ("moved", None),
        ("i + 1", None),
        ("far", None),
        ("unknown + 1", None),
        ("perm[column]", None),
    ],
)
def test_value(index: str, value: int | None) -> None:
    assert value_in(PLACE, index, TEXT) == value


def test_a_variable_of_itself_ends() -> None:
    assert value_in(PLACE, "x", "int x = x + x;") is None
