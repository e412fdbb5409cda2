"""compile_commands.json: which files it names, and that clangd understands a kernel with it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.fake_repository import LAB
from warpgrade.core.paths import Repository, here
from warpgrade.student import clangd


def test_compile_commands(repository: Repository) -> None:
    rows = json.loads(clangd.write(repository).read_text())
    assert {"directory", "file", "arguments"} <= set(rows[0])
    assert str(repository.labs / LAB / "kernel.cu") in {row["file"] for row in rows}


@pytest.mark.optional
@pytest.mark.skipif(shutil.which("clangd") is None, reason="needs clangd: apt-get install clangd")
def test_clangd_understands_a_kernel(tmp_path: Path) -> None:
    repository = here()
    copy = Repository(tmp_path)
    shutil.copytree(repository.labs, copy.labs)
    copy.toolkit.parent.mkdir()
    copy.toolkit.symlink_to(repository.toolkit.resolve())
    clangd.write(copy)
    kernel = copy.labs / "02-tiled" / "kernel.cu"
    done = subprocess.run(["clangd", f"--check={kernel}"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    kernel.write_text(kernel.read_text() + "\n__global__ void broken() { int x = nothing; }\n")
    broken = subprocess.run(["clangd", f"--check={kernel}"], capture_output=True, text=True, timeout=120)
    assert "nothing" in broken.stderr and broken.returncode != 0
