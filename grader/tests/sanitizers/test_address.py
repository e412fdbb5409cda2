"""The C++ tests under the address and undefined behaviour sanitizers."""

from __future__ import annotations

import pytest

from support.programs.doctest_program import Case, cases, check, check_status

PROGRAMS = ("build/asan/tests/emulator", "build/asan/tests/harness")

pytestmark = pytest.mark.long


@cases(*PROGRAMS)
def test_case(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_ends_well(program: str) -> None:
    check_status(program)
