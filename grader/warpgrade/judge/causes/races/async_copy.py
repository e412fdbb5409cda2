"""Accesses to shared memory that an asynchronous copy may still write: its thread has not waited for it.

A barrier makes no thread wait for copies (PTX ISA, cp.async.wait_group): the advice for other races is wrong.
"""

from __future__ import annotations

from dataclasses import replace

from ....records import Finding

COPY = "copy"  # the emulator's name of such an access
HELP = (
    "Let each thread wait for its own copies before the barrier: __pipeline_wait_prior(N) after "
    "__pipeline_commit(), where N batches may still be under way, or cp.async.wait_group. Then "
    "__syncthreads() shows them to the other threads. A bulk copy is awaited at its mbarrier."
)


def advised(finding: Finding) -> Finding:
    """The finding with its cause and advice; unchanged where no asynchronous copy is in it."""
    if finding.other is None or finding.other.access != COPY:
        return finding
    return replace(finding, help=HELP, cause="copy-not-awaited")
