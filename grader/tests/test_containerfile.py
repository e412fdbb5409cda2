"""The Containerfile as grader/setup/containerfile.py reads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "setup" / "containerfile.py"


def test_its_commands_are_one_line_of_shell() -> None:
    printed = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True).stdout
    assert printed.endswith("make tools LEVELS=all && make test\n") and printed.count("\n") == 1
    assert "apt-get install -y --no-install-recommends make git python3" in printed and "COPY" not in printed
    assert subprocess.run(["sh", "-n", "-c", printed]).returncode == 0
