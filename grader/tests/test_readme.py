"""The README is true: each of its commands runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from warpgrade.sandbox import process
from warpgrade.solution import skeletons

ROOT = Path(__file__).resolve().parents[2]
# The command that runs this very test, and those that only a person can judge.
NOT_HERE = {"make test"}


def commands() -> list[str]:
    """Lines of the README's console blocks that begin with a prompt."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return [
        line[2:].split("  #")[0].strip()
        for block in blocks
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


def test_readme_shows_commands() -> None:
    """There is something to try."""
    assert {"make grade", "make test"} <= set(commands())


@pytest.mark.parametrize("command", [c for c in commands() if c not in NOT_HERE and not c.startswith("git ")])
def test_command(command: str, tmp_path: Path) -> None:
    """It ends well, on this machine, from the repository's top folder; what it writes goes to `tmp_path`."""
    if command == "make skeletons":
        assert not skeletons.make(ROOT, check=True), "labs/ would change: type `make skeletons` first"
    environment = os.environ | {"WARPGRADE_OUTPUT": str(tmp_path)}
    ran = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
    )
    if ran.returncode != 0 and (reason := process.why_unavailable("bwrap")):
        pytest.skip(f"the sandbox cannot start on this machine: {reason}")
    assert ran.returncode == 0, f"$ {command}\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    if command.startswith("make grade"):
        assert (tmp_path / "grades" / "index.html").is_file()
