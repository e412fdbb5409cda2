"""The Apptainer definition has the packages of the Containerfile and of set-up."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_definition_is_made_from_the_containerfile() -> None:
    script = ROOT / "grader" / "setup" / "apptainer.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    containerfile = (ROOT / "Containerfile").read_text(encoding="utf-8")
    base = re.search(r"FROM (\S+)", containerfile)
    assert base and f"Bootstrap: docker\nFrom: {base[1]}\n" in made
    assert "make git python3 python3-venv ca-certificates" in made
    assert "bubblewrap" in made and "COPY" not in made and "clang-format" not in made
    for line in made.split("%post\n")[1].split("\n\n")[0].splitlines():
        assert subprocess.run(["sh", "-n", "-c", line]).returncode == 0, line
