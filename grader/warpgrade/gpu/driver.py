"""NVIDIA's driver library, which comes with the machine and not with the toolkit."""

from __future__ import annotations

import os
from pathlib import Path

_NAME = "libcuda.so.1"
# Folders where distributions, containers and WSL install the driver; the environment is searched first.
_USUAL = (
    "/usr/local/nvidia/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/wsl/lib",
)


def folder(search: str | None = None) -> Path | None:
    """The real folder of libcuda.so.1, None if there is none. `search`: LD_LIBRARY_PATH unless given."""
    named = (os.environ.get("LD_LIBRARY_PATH", "") if search is None else search).split(":")
    for place in (*filter(None, named), *_USUAL):
        library = Path(place) / _NAME
        if library.exists() and "stubs" not in library.parts:
            return library.resolve().parent
    return None
