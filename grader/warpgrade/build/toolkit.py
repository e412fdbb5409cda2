"""The CUDA compiler: its folder and its version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import GraderError
from ..core.paths import Repository, need
from ..sandbox import process

_REMEDY = "type `make` once: it finds CUDA 13.0 or installs the compiler's wheels into .deps/"


@dataclass(frozen=True)
class Toolkit:
    folder: Path
    version: str  # "13.0.88"

    @property
    def runtime(self) -> Path | None:
        """Folder of NVIDIA's libcudart.so.13, None if the toolkit came without it."""
        for name in ("lib64", "lib", "targets/x86_64-linux/lib"):
            if (self.folder / name / "libcudart.so.13").exists():
                return self.folder / name
        return None


def find(repository: Repository) -> Toolkit:
    """The toolkit that set-up chose. GraderError if one of its tools is missing or does not run."""
    folder = repository.toolkit.resolve()
    for tool in ("nvcc", "ptxas", "fatbinary"):
        need(folder / "bin" / tool, _REMEDY)
    outcome = process.run_trusted([str(folder / "bin" / "nvcc"), "--version"], {}, process.ResourceLimits(60))
    version = re.search(r"\bV(\d+\.\d+\.\d+)", outcome.stdout)
    if outcome.status != 0 or version is None:
        raise GraderError("nvcc does not print its version", file=folder / "bin" / "nvcc", remedy=_REMEDY)
    return Toolkit(folder, version[1])
