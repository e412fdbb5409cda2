"""The emulator's C++ tests."""

from __future__ import annotations

import pytest

from support.programs.doctest_program import Case, cases, check, check_status

PROGRAM = "build/tests/emulator"

pytestmark = pytest.mark.long


@cases(PROGRAM)
def test_case(case: Case) -> None:
    check(case)


def test_the_program_ends_well() -> None:
    check_status(PROGRAM)
