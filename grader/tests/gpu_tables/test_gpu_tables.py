"""The tables of GPUs, and the C++ that is made from them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GPUS = ROOT / "grader" / "gpus"
FILES = sorted(path for path in GPUS.glob("*.toml") if path.name != "compute_capability.toml")


def generate(folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, folder / "generate.py", out], capture_output=True, text=True, check=False
    )


def copy_of_tables(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GPUS, tmp_path / "gpus"))


def test_each_file_becomes_a_row(tmp_path: Path) -> None:
    """Every GPU and every compute capability has its row, the same text each time."""
    out = tmp_path / "made" / "gpus.inc"
    assert generate(GPUS, out).returncode == 0
    text = out.read_text()
    assert re.findall(r'\.id = "(\w+)"', text) == [path.stem for path in FILES]
    limits = tomllib.loads((GPUS / "compute_capability.toml").read_text())["limits"]
    assert text.count(".block_shared_optin = ") == len(limits)
    assert '.id = "h200", .major = 9, .minor = 0' in text
    again = tmp_path / "again.inc"
    generate(GPUS, again)
    assert again.read_text() == text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_have_the_same_keys(path: Path) -> None:
    """A model that reads one GPU can read them all; constants are fitted for those that were measured."""
    expected = tomllib.loads((GPUS / "h200.toml").read_text()).keys() - {"fitted"}
    assert tomllib.loads(path.read_text()).keys() - {"fitted"} == expected


def test_no_two_files_are_of_one_gpu() -> None:
    """A table that is copied for another GPU gets that one's name."""
    names = [tomllib.loads(path.read_text())["name"] for path in FILES]
    assert len(names) == len(set(names)), f"two files have the same name: {names}"


def test_limits_fit_together() -> None:
    """32 lanes a warp; a block fits into its SM; a default is not above the limit that can be asked for."""
    for name, row in tomllib.loads((GPUS / "compute_capability.toml").read_text())["limits"].items():
        assert row["threads"] == 32 * row["warps"], name
        assert row["block_shared"] <= row["block_shared_optin"], name
        assert row["block_shared_optin"] + row["shared_reserved"] <= row["shared"], name
        assert row["block_registers"] <= row["registers"], name


@pytest.mark.parametrize(
    ("line", "replacement", "message"),
    [
        ('compute_capability = "9.0"', 'compute_capability = "9.9"', "has no row 9.9"),
        ("sm_count = 132", "sms = 132", "h200.toml: missing or unknown: sm_count, sms"),
        ("sm_count = 132", "sm_count = [132]", "h200.toml: sm_count: expected a number"),
        ("sm_count = 132", "sm_count = ", "h200.toml: Invalid value"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, line: str, replacement: str, message: str) -> None:
    """A mistake is answered with the file, and nothing is written."""
    folder = copy_of_tables(tmp_path)
    text = (folder / "h200.toml").read_text()
    assert line in text
    (folder / "h200.toml").write_text(text.replace(line, replacement))
    ran = generate(folder, tmp_path / "gpus.inc")
    assert ran.returncode == 1
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "gpus.inc").exists()


def test_usage(tmp_path: Path) -> None:
    """Without an output file, the usage is printed."""
    ran = subprocess.run([sys.executable, GPUS / "generate.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "Usage" in ran.stderr
