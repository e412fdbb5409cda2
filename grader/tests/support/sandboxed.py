"""Shell commands in each of the sandbox's backends, for tests of the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.sandbox import confine, process
from warpgrade.sandbox.process import Box, ResourceLimits

QUICK = ResourceLimits(seconds=20)
needs_sandbox = pytest.mark.needs_sandbox
each_kind = pytest.mark.parametrize(
    "kind", [*(pytest.param(kind, marks=needs_sandbox(kind)) for kind in process.KINDS[:-1]), "none"]
)
each_confined = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=needs_sandbox(kind)) for kind in confine.KINDS]
)


def shell(
    script: str, work: Path, limits: ResourceLimits = QUICK, kind: str = "bwrap", **box: object
) -> process.Outcome:
    return process.run(["/bin/sh", "-c", script], Box(work, **box), limits, kind)  # type: ignore[arg-type]


def command_lines() -> list[str]:
    """Those of all processes of this machine."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return lines
