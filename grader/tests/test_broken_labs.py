"""grader/setup/broken_labs.sh: which labs' harnesses do not compile, with a CMake that compiles nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from warpgrade.core.paths import here

SCRIPT = Path("grader/setup/broken_labs.sh")
# Each target named in the file `broken` fails, with the words that a compiler and Ninja write.
CMAKE = """\
#!/bin/sh
for target; do :; done
grep -qxF "$target" broken || exit 0
echo '[1/2] Building CXX object'
echo 'FAILED: lab.o'
echo '/usr/bin/g++ -c harness.cpp'
echo "$PWD/labs/01-wrong/harness.cpp:7:3: error: no such function"
exit 1
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for lab in ("01-wrong", "02-right"):
        (tmp_path / "labs" / lab).mkdir(parents=True)
        (tmp_path / "labs" / lab / "harness.cpp").write_text("int main() {}\n")
    (tmp_path / "build" / "harness").mkdir(parents=True)
    (tmp_path / "build" / "harness" / "01-wrong").write_text("of an older text")
    (tmp_path / SCRIPT.parent).mkdir(parents=True)
    shutil.copy(here().root / SCRIPT, tmp_path / SCRIPT)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cmake").write_text(CMAKE)
    (tmp_path / "bin" / "cmake").chmod(0o755)
    return tmp_path


def run(root: Path, broken: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (root / "broken").write_text(broken)
    path = f"{root / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        [root / SCRIPT, *arguments], env={"PATH": path}, capture_output=True, text=True, check=False
    )


def test_it_names_lab_file_line_and_what_to_type(root: Path) -> None:
    ran = run(root, "harness_01-wrong\n")
    assert ran.returncode == 1 and ran.stdout == ""
    shown = ran.stderr.strip().splitlines()
    assert shown[0] == "labs/01-wrong/harness.cpp:7:3: error: no such function"
    assert shown[-1].endswith("make build/harness/01-wrong")
    assert "02-right" not in ran.stderr
    assert not (root / "build" / "harness" / "01-wrong").exists(), "it would judge by an older text"


def test_other_labs_can_go_on_without_it(root: Path) -> None:
    assert run(root, "harness_01-wrong\n", "left-out").returncode == 0
    assert run(root, "harness_01-wrong\ncore\n", "left-out").returncode == 1
    assert run(root, "", "left-out").returncode == 1, "no lab is to blame"
