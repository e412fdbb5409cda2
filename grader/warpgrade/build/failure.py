"""A build that failed: its record, and the one line that says why."""

from __future__ import annotations

from ..records import Build, BuildStatus, Diagnostic


def failed(summary: str, messages: tuple[Diagnostic, ...] = ()) -> Build:
    return Build(BuildStatus.BUILD_FAILED, summary, messages)


def first_error(messages: tuple[Diagnostic, ...], status: int) -> str:
    error = next((message for message in messages if message.severity == "error"), None)
    if error is None:
        return f"the compiler failed without a message (exit code {status})"
    place = f"{error.file}:{error.line}: " if error.line else ""
    return f"{place}{error.text}"
