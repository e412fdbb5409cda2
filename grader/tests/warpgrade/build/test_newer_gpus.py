"""A note where a file compiles for newer GPUs only."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.build import newer_gpus
from warpgrade.sandbox.process import Box, ResourceLimits


@pytest.mark.parametrize(
    ("command", "allowed", "words"),
    [("true", 75, ["9.0", "7.5"]), ("true", 90, []), ("false", 75, [])],
    ids=["newer alone", "nothing newer", "none at all"],
)
def test_it_names_both_capabilities(tmp_path: Path, command: str, allowed: int, words: list[str]) -> None:
    found = newer_gpus.note((f"/bin/{command}",), Box(tmp_path), ResourceLimits(5), "none", allowed, 90)
    assert [each.severity for each in found] == ["note"] * bool(words)
    assert all(word in each.text for each in found for word in words)
