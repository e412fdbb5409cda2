"""Writes compile_commands.json, from which clangd learns how the labs' kernels are compiled."""

from __future__ import annotations

import json
from pathlib import Path

from ..core.errors import UsageError
from ..core.paths import Repository
from ..core.store import write_text

FILE = "compile_commands.json"
_FLAGS = ("-x", "cuda", "-std=c++17", "--cuda-gpu-arch=sm_75", "--cuda-device-only", "-nocudalib",
          "-Wno-unknown-cuda-version")  # fmt: skip


def write(repository: Repository) -> Path:
    """Write it to the repository's root, where editors search. UsageError if there is no lab."""
    files = sorted([*repository.labs.glob("*/*.cu"), *(repository.root / "solutions").glob("*/*.cu")])
    if not files:
        raise UsageError("holds no .cu files", file=repository.labs)
    path = repository.root / FILE
    write_text(path, json.dumps([_entry(repository, file) for file in files], indent=1) + "\n")
    return path


def _entry(repository: Repository, file: Path) -> dict[str, object]:
    places = [f"--cuda-path={repository.toolkit.resolve()}", f"-I{repository.common}"]
    command = ["clang++", *_FLAGS, *places, "-c", str(file)]
    return {"directory": str(repository.root), "file": str(file), "arguments": command}
