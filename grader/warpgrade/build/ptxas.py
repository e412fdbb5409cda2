"""What the report of `ptxas -v` says about a kernel.

The report can quote inline assembly, which can hold any text. Each pattern takes time in proportion to the
text, and each number has a limited count of digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..records import Resources

_ERROR = re.compile(r"ptxas .*\b(?:error|fatal)\s*:(?! Ptx assembly aborted)")
_TOO_MUCH_SHARED = re.compile(
    r"ptxas error\s*: Entry function '([\w$]+)' uses too much shared data \((0x[0-9a-f]{1,16}) bytes"
)


def too_much_shared(report: str, kernel: str) -> int | None:
    """Bytes of shared memory that a block needs, if too many of them are the only error; else None.

    Inline assembly can put such a line into the report, but it cannot remove an error from it.
    """
    errors = [line for line in report.split("\n") if _ERROR.match(line)]
    wanted = [match for match in map(_TOO_MUCH_SHARED.match, errors) if match and match[1] == kernel]
    return int(wanted[0][2], 16) if wanted and len(wanted) == len(errors) else None


def too_much_shared_of_any(report: str, kernels: Iterable[str]) -> int | None:
    """too_much_shared() of the first of these kernels for which it is not None; else None."""
    found = (too_much_shared(report, name) for name in kernels)
    return next((wanted for wanted in found if wanted is not None), None)


def resources(report: str, kernel: str, architecture: str, registers: int, shared_bytes: int) -> Resources:
    """The kernel's resources. `registers` and `shared_bytes` decide points and come from the machine code: a
    warning that quotes inline assembly can hold lines that look like those of the report."""
    begin = report.rfind(f"Compiling entry function '{kernel}'")
    about = report[begin:].split("Compiling entry function")[1] if begin >= 0 else ""

    def number(pattern: str) -> int:
        match = re.search(pattern, about)
        return int(match[1]) if match else 0

    return Resources(
        architecture=architecture,
        registers=registers,
        shared_bytes=shared_bytes,
        stack_bytes=number(r"(\d{1,9}) bytes stack frame"),
        spill_stores=number(r"(\d{1,9}) bytes spill stores"),
        spill_loads=number(r"(\d{1,9}) bytes spill loads"),
        barriers=number(r"used (\d{1,9}) barriers"),
        constant_bytes=sum(map(int, re.findall(r"(\d{1,9}) bytes cmem", about))),
    )
