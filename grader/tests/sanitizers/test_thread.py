"""The emulator's C++ tests under the thread sanitizer. The harness has one thread."""

from __future__ import annotations

import pytest

from support.programs.doctest_program import Case, cases, check, check_status

# No thread is begun in these rooms, whose tests take most of the time under this sanitizer.
_WITHOUT_THREADS = ("checks/shared_race", "fatbin", "isa", "ptx")
_EXCLUDED = ",".join(f"*/emulator/{room}/*" for room in _WITHOUT_THREADS)
PROGRAMS = (f"build/tsan/tests/emulator --source-file-exclude={_EXCLUDED}",)

pytestmark = [pytest.mark.long, pytest.mark.exhaustive]  # with a build of the emulator of its own


@cases(*PROGRAMS)
def test_case(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_ends_well(program: str) -> None:
    check_status(program)
