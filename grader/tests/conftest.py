"""Rules for all tests: their order, which may be skipped, and that none changes files of the checkout."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest

from support import checkout_guard, sample

ROOT = Path(__file__).resolve().parents[2]
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")
_BEFORE = pytest.StashKey[checkout_guard.Snapshot]()
_NO_SANDBOX = "the sandbox cannot start on this machine"
_CHANGED = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """All processes of a run have one sample of the long tables."""
    os.environ.setdefault(sample.TURN, str(sample.of_commit()))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Python's garbage collector leaves alone what collecting tests makes: nearly all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests first: one that starts last would leave the other workers idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


# --- skipped tests -----------------------------------------------------------------------------


@cache
def _why_no_sandbox(kind: str = "bwrap") -> str | None:
    from warpgrade.sandbox import process

    return process.why_unavailable(kind)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test marked `needs_sandbox` where that backend, bubblewrap unless named, cannot start."""
    marker = item.get_closest_marker("needs_sandbox")
    if marker and (reason := _why_no_sandbox(*marker.args)):
        pytest.skip(f"{_NO_SANDBOX}: {reason}")


@cache
def _no_backend_works() -> bool:
    from warpgrade.sandbox import choice

    return all(_why_no_sandbox(kind) for kind in choice.HIDING_FILES)


def _is_about_another_backend(item: pytest.Item) -> bool:
    """Whether the test is about one backend while another works here, whose tests run."""
    return item.get_closest_marker("needs_sandbox") is not None and not _no_backend_works()


def _lacks_sandbox(error: BaseException) -> bool:
    from warpgrade.core.errors import SandboxError

    return isinstance(error, SandboxError) and _no_backend_works()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that ends with a SandboxError where no sandbox can start is skipped.

    In continuous integration a test that is skipped because something is missing fails, unless it is marked
    `optional` or is about one sandbox backend while another works.
    """
    report = yield
    if report.failed and call.excinfo and _lacks_sandbox(call.excinfo.value):
        report.outcome = "skipped"
        report.longrepr = (__file__, 0, f"Skipped: {_NO_SANDBOX}: {_why_no_sandbox()}")
    if (
        IN_CI
        and report.skipped
        and not hasattr(report, "wasxfail")
        and not item.get_closest_marker("optional")
        and not _is_about_another_backend(item)
    ):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI is set, where nothing that a test needs may be missing. {reason}"
    return report


# --- the checkout ------------------------------------------------------------------------------


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
    if terminalreporter.stats.get("failed"):
        turn = os.environ[sample.TURN]
        terminalreporter.line(f"{sample.TURN}={turn} chooses the same rows of long tables again.")
    found = config.stash.get(_CHANGED, [])
    if found:
        terminalreporter.section("the checkout changed while the tests ran", red=True)
        for name in found[:20]:
            terminalreporter.line(name)
        terminalreporter.line(
            f"{len(found)} files. A test must work in a folder of its own (tmp_path, WARPGRADE_OUTPUT)."
        )
