"""The README is true: each of its commands runs as it stands there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.documents import readme
from warpgrade.sandbox import process
from warpgrade.solution import skeletons

# The command that runs this very test, and those that only a person can judge.
NOT_HERE = {"make test"}


def test_readme_shows_commands() -> None:
    """There is something to try."""
    assert {"make grade", "make test"} <= set(readme.commands())


def shown() -> Iterator[object]:
    """The README's commands. Printing takes longest, and the handouts have tests of their own."""
    for each in readme.commands():
        if each not in NOT_HERE and not each.startswith("git "):
            yield pytest.param(each, marks=pytest.mark.exhaustive) if each == "make handouts" else each


@pytest.mark.parametrize("command", list(shown()))
def test_command(command: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It ends well, on this machine, from the repository's top folder; what it writes goes elsewhere."""
    if command == "make skeletons":
        assert not skeletons.make(readme.ROOT, check=True), "labs/ would change: type `make skeletons` first"
    ran = readme.run_once(command, tmp_path_factory)
    if ran.status != 0 and (reason := process.why_unavailable("bwrap")):
        pytest.skip(f"the sandbox cannot start on this machine: {reason}")
    assert ran.status == 0, ran.said
    if " grade" in command:
        assert list(Path(ran.output).glob("*/index.html"))
