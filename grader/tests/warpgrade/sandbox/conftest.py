"""What the tests of the sandbox share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def work() -> Iterator[Path]:
    """A folder that every user can reach, unlike tmp_path. A command that was killed may still write to
    it, for the kernel ends a PID namespace behind its first process."""
    with tempfile.TemporaryDirectory(prefix="work-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "work"
        folder.mkdir()
        yield folder
