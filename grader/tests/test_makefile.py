"""What people type behind `make` reaches the command as they typed it."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["Jörg O'Müller", "Müller, Jörg", '"ann"', "a$$b"])
def test_a_name_with_blanks_and_quotes_is_one_word(name: str) -> None:
    command = ["make", "-n", "sheet", "LAB=08-occupancy", f"NAME={name}"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    last = made.stdout.splitlines()[-1]
    assert shlex.split(last)[-3:] == ["sheet", "08-occupancy", name.replace("$$", "$")]
