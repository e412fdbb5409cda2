"""Every kind of finding has a verdict and a question, and a kind that differs from its check exists."""

from __future__ import annotations

import pytest

from warpgrade.core.paths import here
from warpgrade.judge import finding_verdicts
from warpgrade.records import Finding, Place, Verdict
from warpgrade.tables import finding_kinds
from warpgrade.tables.finding_kinds import FindingKind

KINDS = finding_kinds.load(here())
TABLE = "grader/emulator/machine/finding_kinds.def"
VERDICTS = "grader/warpgrade/judge/finding_verdicts.py"


def finding(kind: FindingKind) -> Finding:
    return Finding("a case", kind.check, kind.name, kind.code, kind.severity, "message", Place())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_the_check_of_each_kind_has_a_row(kind: FindingKind) -> None:
    missing = f"{VERDICTS}: CHECKS needs a row {kind.check!r}, the check of {kind.code} in {TABLE}"
    assert kind.check in finding_verdicts.CHECKS, missing


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_only_what_the_emulator_lacks_withholds_a_score(kind: FindingKind) -> None:
    lacking = kind.check == "unsupported"
    assert (finding_verdicts.verdict_of(finding(kind)) is Verdict.GRADER_ERROR) == lacking, VERDICTS


@pytest.mark.parametrize("table", ["VERDICT_OF_KIND", "BEHIND_WRONG_NUMBERS", "OF_HARNESS"])
def test_a_kind_that_differs_exists(table: str) -> None:
    unknown = set(getattr(finding_verdicts, table)) - {kind.name for kind in KINDS}
    assert not unknown, f"{VERDICTS}: {table} names {sorted(unknown)}, which {TABLE} lacks"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_each_kind_has_a_question(kind: FindingKind) -> None:
    assert finding_verdicts.question_about(finding(kind)).startswith("Ask ")


def test_consequences_of_others_are_no_causes() -> None:
    race, init, leak, bounds = (
        finding(next(kind for kind in KINDS if kind.name == name))
        for name in ("race-read-write", "uninitialised-read", "memory-leak", "out-of-bounds-read")
    )
    assert finding_verdicts.causes([race, init, leak, bounds]) == [race, bounds]
    assert finding_verdicts.causes([init, leak, bounds], wrong=True) == [init]
