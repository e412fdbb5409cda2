"""The line of a key in a TOML file."""

from __future__ import annotations

import pytest

from warpgrade.toml_lines import line_of

TEXT = """\
title = "x"

[points]
build = 10
[[case]]
name = "a"
points = 3
[[case]] # second
name = "b"
points = 4
"odd key" = 1
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (["title"], 1),
        (["points", "build"], 4),
        (["case", 0, "points"], 7),
        (["case", 1, "name"], 9),
        (["case", 1, "odd key"], 11),
        (["case", 1, "missing"], 8),
        (["case", 1], 8),
        (["nothing"], None),
    ],
)
def test_line_of(path: list[str | int], line: int | None) -> None:
    assert line_of(TEXT, path) == line
