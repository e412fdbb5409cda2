"""The C++ tests: one doctest program for each room and each way to build it (plain, with sanitizers)."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
# The harness has one thread: nothing in it for the thread sanitizer to find.
PROGRAMS = [
    *(f"build/{variant}tests/emulator" for variant in ("", "asan/", "tsan/")),
    *(f"build/{variant}tests/harness" for variant in ("", "asan/")),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program: str) -> None:
    """The program runs at least one test case and every one passes."""
    environment = os.environ | {
        "WARPGRADE_ROOT": str(ROOT),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "TSAN_OPTIONS": f"suppressions={ROOT / 'grader/tests/emulator/thread-sanitizer.supp'}",
    }
    ran = subprocess.run(
        [ROOT / program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900
    )
    summary = re.search(r"test cases:\s+(\d+)", ran.stdout)
    assert ran.returncode == 0, f"{program} failed:\n{ran.stdout[-6000:]}\n{ran.stderr[-3000:]}"
    assert summary and int(summary.group(1)) > 0, f"{program} ran no test case"
