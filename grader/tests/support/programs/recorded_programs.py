"""Recordings of the kernels in fixtures/player/kernels.cu, which are no lab's."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from support.programs.recordings import REPOSITORY, ROOT

SOURCE = ROOT / "grader/tests/fixtures/player/kernels.cu"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """With the program of all kernels; removed when the tests end."""
    folder = tempfile.TemporaryDirectory(prefix="warpgrade-kernels-")
    nvcc = str(REPOSITORY.toolkit / "bin" / "nvcc")
    target = str(Path(folder.name) / "kernels")
    command = [nvcc, "-cudart", "shared", "-g", "-G", "-arch=compute_80", "-w", str(SOURCE), "-o", target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


def recorded(kernel: str, block: int = 0, launch: int = 1) -> Path:
    """The file in which the emulator has recorded that block of a launch of the kernel, from 1."""
    return run(kernel, block, launch)[0]


@cache
def run(kernel: str, block: int = 0, launch: int = 1) -> tuple[Path, str]:
    """The same, and what the program has written on its standard error."""
    folder = Path(_folder().name)
    file = folder / f"{kernel.replace('/', '-')}-{block}-{launch}.recording"
    wanted = {
        "WARPGRADE_RECORD": str(file),
        "WARPGRADE_RECORD_KERNEL": kernel,
        "WARPGRADE_RECORD_BLOCK": str(block),
        "WARPGRADE_RECORD_LAUNCH": str(launch),
        "LD_LIBRARY_PATH": str(REPOSITORY.emulator.parent),
    }
    done = subprocess.run(
        [folder / "kernels"], env=os.environ | wanted, capture_output=True, text=True, timeout=120
    )
    return file, done.stderr
