"""Small kernels that are compiled into one fat binary and run on the emulator one after the other.

The first line of each says how it is launched (`//: grid 4 block 64`); `//! WG114` marks the line of a fault.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warpgrade.build.emu import Emu
from warpgrade.core.paths import here
from warpgrade.run.emulator_rows import is_count

REPOSITORY = here()
RUNNER = Path(__file__).parents[2] / "emulator" / "support" / "labelled_runner.py"
STEPS = 2_000_000  # of one block, so that an endless loop ends soon


@dataclass(frozen=True)
class Outcome:
    error: str  # "cudaSuccess"
    findings: tuple[dict[str, Any], ...]


def head(file: Path) -> dict[str, Any]:
    """The launch that a file's first line asks for."""
    words = file.read_text().split("\n")[0].removeprefix("//:").split()
    pairs = [word for word in words if word != "cooperative"]
    given = dict(zip(pairs[::2], pairs[1::2], strict=True))
    shape = {key: [*map(int, given.get(key, "1").split(",")), 1, 1][:3] for key in ("grid", "block")}
    return {
        "name": file.stem,
        **shape,
        "shared": int(given.get("shared", 0)),
        "launches": int(given.get("launches", 1)),
        "cooperative": "cooperative" in words,
    }


def marks(file: Path) -> set[tuple[str, int]]:
    """(code, line) of each finding that a file announces."""
    lines = enumerate(file.read_text().split("\n"), 1)
    return {(code, n) for n, line in lines if "//!" in line for code in line.split("//!")[1].split()}


def compile_all(files: Sequence[Path], folder: Path, flag: str = "-lineinfo") -> tuple[Path, dict[str, str]]:
    """One fat binary of the files of one folder, each in a namespace of its own; each one's kernel in it."""
    side = files[0].parent.name
    texts = [file.read_text() for file in files]
    includes = sorted({line for text in texts for line in text.split("\n") if line.startswith("#include")})
    lines = [*includes, *(f'namespace {file.stem} {{\n#include "{file}"\n}}' for file in files)]
    (folder / f"{side}.cu").write_text("\n".join(lines) + "\n")
    flags = ["-std=c++17", flag, "--no-compress", "-gencode", "arch=compute_90,code=compute_90", "-w"]
    nvcc = str(REPOSITORY.toolkit / "bin" / "nvcc")
    command = [nvcc, "-fatbin", "--keep", *flags, f"{side}.cu", "-o", f"{side}.fatbin"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    names = {}
    for kernel in Emu(REPOSITORY, "none").summary(folder / f"{side}.ptx").kernels:
        match = re.match(r"_ZN(\d+)(\w+)", kernel)
        assert match
        names[match[2][: int(match[1])]] = kernel
    return folder / f"{side}.fatbin", names


def run_all(files: Sequence[Path], fatbin: Path, names: dict[str, str], threads: int) -> dict[str, Outcome]:
    """File's stem → what the kernel gave."""
    folder, side = fatbin.parent, fatbin.stem
    plan = [{**head(file), "kernel": names[file.stem]} for file in files]
    (folder / f"{side}.json").write_text(json.dumps(plan))
    found = folder / f"{side}-{threads}.jsonl"
    environment = dict(os.environ, WARPGRADE_FINDINGS=str(found), WARPGRADE_CHECK="all")
    environment |= {"WARPGRADE_STEP_LIMIT": str(STEPS), "WARPGRADE_THREADS": str(threads)}
    command = [
        sys.executable,
        str(RUNNER),
        str(REPOSITORY.emulator),
        str(fatbin),
        str(folder / f"{side}.json"),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = found.read_text().splitlines() if found.exists() else []
    rows = [row for row in map(json.loads, lines) if not is_count(row)]
    errors = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    return {
        one["name"]: Outcome(errors[one["name"]], tuple(row for row in rows if row["label"] == one["name"]))
        for one in plan
    }
