"""The emulator's C++ tests under the thread sanitizer. The harness has one thread."""

from __future__ import annotations

import pytest

from support.doctest_program import Case, cases, check, check_status

PROGRAMS = ("build/tsan/tests/emulator",)

pytestmark = pytest.mark.long


@cases(*PROGRAMS)
def test_case(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_ends_well(program: str) -> None:
    check_status(program)
