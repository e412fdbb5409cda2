"""The script that compares counters with Nsight Compute's, without a GPU: what it reads of machine code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "grader/tests/gpu/counters/counters.py"


def test_every_launch_is_counted_at_the_widths_of_its_machine_code(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), "small"],
        env=os.environ | {"PATH": "/usr/bin:/bin"},  # no ncu
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 4, ran.stderr
    assert "there is no ncu here" in ran.stdout
    files = sorted(tmp_path.glob("*.jsonl"))
    launches = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(launches) > 110
    assert not [each["kernel"] for each in launches if each["from_cubin_in_part"]]
    assert not [each["kernel"] for each in launches if not each["from_cubin"]]
