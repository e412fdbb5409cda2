"""Of all tests: their order, and that none is skipped unnoticed."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

IN_CI = os.environ.get("CI", "").lower() in ("1", "true")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, as one that begins last leaves the other workers idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In continuous integration a test that is skipped because something is missing fails.

    Tests marked `optional` may be skipped there too.
    """
    report = yield
    if (
        IN_CI
        and report.skipped
        and not hasattr(report, "wasxfail")
        and not item.get_closest_marker("optional")
    ):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI is set, where nothing that a test needs may be missing. {reason}"
    return report
