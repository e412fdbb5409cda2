"""A failed case of a doctest program fails as a test of its own, whatever other cases are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import doctest_program

PROGRAM = """#!/usr/bin/env bash
case $* in
  *--list-test-cases*) cat <<'END'
<doctest>
<TestCase name="adds" filename="a/sum_test.cpp" line="3"/>
<TestCase name="adds" filename="b/sum_test.cpp" line="3"/>
</doctest>
END
  ;;
  *) cat >"${2#--out=}" <<'END'
<doctest>
<TestCase name="adds" filename="a/sum_test.cpp" line="3">
  <Expression type="CHECK" filename="a/sum_test.cpp" line="4"><Expanded>1 == 2</Expanded></Expression>
  <OverallResultsAsserts successes="0" failures="1" test_case_success="false"/>
</TestCase>
<TestCase name="adds" filename="b/sum_test.cpp" line="3">
  <OverallResultsAsserts successes="1" failures="0" test_case_success="true"/>
</TestCase>
</doctest>
END
  exit 1 ;;
esac
"""


def test_of_two_cases_with_one_name_the_failed_one_fails(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    failed, passed = doctest_program.cases(str(program)).args[1]
    with pytest.raises(pytest.fail.Exception, match="1 == 2"):
        doctest_program.check(failed)
    doctest_program.check(passed)
    with pytest.raises(pytest.fail.Exception, match="status 1"):
        doctest_program.check_status(str(program))
