"""The order of all tests, and a check that no test changes a person's files in the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import checkout_guard

ROOT = Path(__file__).resolve().parents[2]
_BEFORE = pytest.StashKey[checkout_guard.Snapshot]()
_CHANGED = pytest.StashKey[list[str]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests first: one that starts last would leave the other workers idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # xdist's workers leave this to their controller
        session.config.stash[_BEFORE] = checkout_guard.snapshot(ROOT)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session where a guarded file of the checkout is not as it was before."""
    before = session.config.stash.get(_BEFORE, None)
    if before is None:
        return
    found = checkout_guard.changed(before, checkout_guard.snapshot(ROOT))
    session.config.stash[_CHANGED] = found
    if found and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    found = config.stash.get(_CHANGED, [])
    if found:
        terminalreporter.section("the checkout changed while the tests ran", red=True)
        for name in found[:20]:
            terminalreporter.line(name)
        terminalreporter.line(
            f"{len(found)} files. A test must work in a folder of its own (tmp_path, WARPGRADE_OUTPUT)."
        )
