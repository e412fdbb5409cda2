"""Code that compiles for newer GPUs only: toolkit headers declare some functions from a compute capability
on."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Diagnostic
from ..sandbox import process


def note(
    command: Sequence[str],
    box: process.Box,
    limits: process.ResourceLimits,
    sandbox: str,
    allowed: int,
    newest: int,
) -> tuple[Diagnostic, ...]:
    """A note if `command`, which compiles for `newest`, succeeds where the build for `allowed` failed.
    Without the note, a student reads that a function is undefined that every manual describes.
    """
    if allowed == newest or process.run(command, box, limits, sandbox).status != 0:
        return ()
    words = (
        f"the file compiles for GPUs of compute capability {newest / 10:.1f}; kernels of this lab have to "
        f"for {allowed / 10:.1f}, too: leave out what only newer GPUs have"
    )
    return (Diagnostic("note", words),)
