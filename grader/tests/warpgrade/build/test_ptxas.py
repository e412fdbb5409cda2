"""What is read from the report of ptxas -v."""

from __future__ import annotations

from warpgrade.build import ptxas
from warpgrade.records import Resources

REPORT = """\
ptxas info    : 0 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Used 99 registers, used 0 barriers
ptxas info    : Compiling entry function 'matmul' for 'sm_90'
ptxas info    : Function properties for matmul
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 8192 bytes smem, 16 bytes cmem[2]
"""


def test_resources() -> None:
    found = ptxas.resources(REPORT, "matmul", "sm_90", 40, 8192)
    assert (found.registers, found.shared_bytes, found.stack_bytes) == (40, 8192, 8)
    assert (found.spill_stores, found.spill_loads, found.barriers, found.constant_bytes) == (4, 12, 1, 16)
    assert ptxas.resources(REPORT, "another", "sm_90", 1, 2) == Resources("sm_90", 1, 2, 0, 0, 0, 0, 0)


def test_more_shared_memory_than_there_is() -> None:
    report = "ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)\n"
    assert ptxas.too_much_shared(report, "k") == 400_000
    assert ptxas.too_much_shared(report, "another") is None
    assert (
        ptxas.too_much_shared(report + "ptxas fatal   : Ptx assembly aborted due to errors\n", "k") == 400_000
    )


def test_a_quoted_line_stands_for_no_error() -> None:
    """A warning quotes what inline assembly says, line breaks and all."""
    quoted = "ptxas error   : Entry function 'k' uses too much shared data (0x10 bytes, 0xc000 max)\n"
    error = "ptxas kernel.ptx, line 9; error   : Not a name of any known instruction: 'nonsense'\n"
    assert ptxas.too_much_shared(quoted + error, "k") is None
    assert ptxas.too_much_shared(f"ptxas warning : pragma 'Entry {quoted}{error}", "k") is None


def test_the_first_kernel_that_needs_too_much() -> None:
    report = "ptxas error   : Entry function 'b' uses too much shared data (0x61a80 bytes, 0x38c00 max)\n"
    assert ptxas.too_much_shared_of_any(report, ("a", "b")) == 400_000
    assert ptxas.too_much_shared_of_any(report, ("a",)) is None
