from support import sample_results
from support.sample_results import NAMED, SECRET
from warpgrade.feedback import disclosure
from warpgrade.records import Verdict

LAB = sample_results.lab()
RESULT = sample_results.racy_student().results[0]


def test_hidden_cases_are_only_counted() -> None:
    hidden = disclosure.hidden_cases(LAB, RESULT)
    assert (hidden.count, hidden.passed, hidden.earned, hidden.possible) == (1, 0, 0, 20)
    assert SECRET not in [case.name for case in disclosure.shown_cases(LAB, RESULT)]


def test_a_named_case_has_a_verdict_and_nothing_else() -> None:
    (named,) = [case for case in disclosure.shown_cases(LAB, RESULT) if case.name == NAMED]
    assert named.verdict is Verdict.MEMORY
    assert (named.sentence, named.case, named.run) == ("", None, None)


def test_a_visible_case_keeps_its_run() -> None:
    (seen,) = [case for case in disclosure.shown_cases(LAB, RESULT) if case.name == "48x40x32-integers"]
    assert seen.run and seen.run.wrong and seen.sentence == "sentence about 48x40x32-integers"


def test_findings_of_hidden_and_named_cases_stay_back() -> None:
    labels = {finding.label for finding in disclosure.shown_findings(LAB, RESULT)}
    assert labels == {"16x16x16-integers", "48x40x32-integers", "64x64x64-zero-mean"}


def test_redacting_takes_hidden_names_only() -> None:
    assert disclosure.redact(LAB, f"on {SECRET}, unlike {NAMED}") == f"on a hidden case, unlike {NAMED}"


def test_without_a_judgement_nothing_ran() -> None:
    result = sample_results.withheld_student().results[0]
    assert disclosure.verdict_of(result, SECRET) is Verdict.SKIPPED
