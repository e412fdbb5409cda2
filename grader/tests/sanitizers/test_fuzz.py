"""A short run of each fuzz target: seeds of nvcc's own making and changed copies of them, sanitized."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "build/tests/kernels"
GOLDEN = ROOT / "grader/tests/fixtures/ptx"
SEEDS = {
    "fatbin": sorted(KERNELS.glob("*.fatbin")),
    "ptx": [*sorted(GOLDEN.iterdir()), *sorted(KERNELS.glob("*.ptx"))],
    "decoder": [*sorted(GOLDEN.iterdir()), *sorted(KERNELS.glob("*.ptx"))],
}
COPIES = {"fatbin": 1000, "ptx": 80, "decoder": 30}


@pytest.mark.parametrize("target", SEEDS)
def test_target(target: str) -> None:
    """No input ends in anything but an answer."""
    program = ROOT / "build/asan/fuzz" / target
    seeds = [str(seed) for seed in SEEDS[target]]
    assert seeds, "make test-programs makes the seeds"
    ran = subprocess.run(
        [program, f"--copies={COPIES[target]}", *seeds],
        env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout == f"{len(seeds) * (COPIES[target] + 1)} inputs\n"
