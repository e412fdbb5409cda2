"""A copied checkout builds its own sources, though the copy's CMake files name the first one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_MAKEFILE = Path(__file__).parents[2] / "Makefile"
# Says which folder's sources a build takes, as Ninja's files do.
_CMAKE = """#!/bin/sh
cache=build/cmake/release
if [ "$1" = --build ]; then cat $cache/build.ninja; exit; fi
mkdir -p $cache
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >$cache/CMakeCache.txt
echo "builds $PWD" >$cache/build.ninja
echo configured >>configured
"""


def built(checkout: Path) -> str:
    done = subprocess.run(
        ["make", "tools"], cwd=checkout, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o755)


def test_a_copied_checkout_builds_its_own_sources(tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("first", "second"))
    script(first / ".deps/bin/cmake", _CMAKE)
    script(first / "grader/setup/prepare.sh", "#!/bin/sh\n")
    shutil.copy(_MAKEFILE, first)
    assert built(first) == built(first) == f"builds {first}"
    assert (first / "configured").read_text() == "configured\n", "an unchanged checkout is configured once"
    shutil.copytree(first, second)
    assert built(second) == f"builds {second}"
