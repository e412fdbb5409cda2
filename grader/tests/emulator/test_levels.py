"""Which levels of x86-64 the lane code is compiled for: the machine's own, or all (WARPGRADE_LEVELS)."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CMAKE = ROOT / ".deps/bin/cmake"
ALL = ["v1", "v3", "v4"]

pytestmark = pytest.mark.skipif(not CMAKE.exists(), reason="needs CMake: make setup")


def levels(folder: Path, *options: str) -> list[str]:
    ninja = shutil.which("ninja", path=str(CMAKE.parent)) or "ninja"
    command = [CMAKE, "--preset", "release", "-B", folder, f"-DCMAKE_MAKE_PROGRAM={ninja}", *options]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return re.findall(r"lanes_(v\d)", (folder / "generated/isa/each_level.hpp").read_text())


def test_a_build_is_for_the_best_level_that_the_machine_runs_until_all_are_asked_for(tmp_path: Path) -> None:
    here = levels(tmp_path)
    assert len(here) == 1 and here[0] in ALL
    assert levels(tmp_path, "-DWARPGRADE_LEVELS=all") == ALL
    assert levels(tmp_path) == ALL
