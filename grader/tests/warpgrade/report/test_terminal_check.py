"""One check on the screen: enough to act on, nothing hidden, nothing that a terminal obeys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support import sample_results
from support.fake_repository import hand_in, write
from support.pages.console import shown
from warpgrade.feedback.disclosure import ShownCase
from warpgrade.feedback.findings import finding_cards
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.records import ADDED_PARTS, FaultyKernel, Grades, LabKind, Part, Result, Verdict
from warpgrade.report import terminal_check
from warpgrade.submission import downloads


@pytest.fixture
def grades(class_folder: Path, session: Session) -> Grades:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "first: wrong", "second: wrong", "third: race")
    hand_in(class_folder, "carol", "first: race")
    hand_in(class_folder, "dan", "[red]SYNTAX[/red]")
    hand_in(class_folder, "erin", "first: crash")
    write(class_folder / "frank.zip", "broken")
    out = session.repository.root / "grades"
    return batch.grade_class(downloads.read(class_folder), out, session)


def result_of(grades: Grades, student: str) -> Result:
    return next(student_ for student_ in grades.students if student_.id == student).results[0]


def text_of(grades: Grades, student: str, width: int = 100) -> str:
    return shown(*terminal_check.result_lines(grades.labs[0], result_of(grades, student), width))


def test_a_right_result(grades: Grades) -> None:
    text = text_of(grades, "alice")
    assert "100 of 100 points" in text and "✓ first" in text and "1 hidden case " in text
    assert "hello from a kernel" in text


def test_hidden_cases_are_not_named(grades: Grades) -> None:
    text = text_of(grades, "bob")
    assert "≠ first" in text and "wrong answer: 1 of 16" in text
    assert "second" in text and "third" not in text and "0 of 1 pass" in text
    assert "WG112" not in text, "a finding of a hidden case is not shown"
    second = next(line for line in text.splitlines() if "second" in line)
    assert "of 16" not in second, "of a case known by name only its verdict is shown"


def test_a_finding_shows_the_line_and_help(grades: Grades) -> None:
    text = text_of(grades, "carol")
    assert "error[WG112]: found" in text and "┌─ kernel.cu:1" in text
    assert "  1 │ // first: race" in text and "= help: do better" in text


def test_each_finding_of_a_visible_case_has_a_command_to_step_through_it() -> None:
    bob, item = sample_results.racy_student().results[0], sample_results.lab()
    text = shown(*terminal_check.closing_lines(item, bob, 80, "mine.cu", "02-tiled mine.cu"))
    commands = [line.split("= play: ")[1] for line in text.splitlines() if "= play: " in line]
    assert [command.split()[1:] for command in commands] == [
        ["play", "02-tiled", "mine.cu", "--finding", str(card.number)] for card in finding_cards(item, bob)
    ]
    assert "= play" not in shown(*terminal_check.result_lines(item, bob, 80)), "no file to name"


def test_markup_of_a_student_is_text(grades: Grades) -> None:
    text = text_of(grades, "dan")
    assert 'error: expected a ";"' in text and "kernel.cu:1" in text
    assert "// [red]SYNTAX[/red]" in text


def test_no_escape_codes(grades: Grades) -> None:
    bob = result_of(grades, "bob")
    assert bob.run is not None
    nasty = sample_results.with_records(bob, run=replace(bob.run, printed="\x1b[31mred\x07\n"))
    assert "\x1b" not in shown(*terminal_check.result_lines(grades.labs[0], nasty))


def test_withheld(grades: Grades) -> None:
    text = text_of(grades, "erin")
    assert "withheld of 100 points" in text and "grader: " in text


def test_nothing_is_wider_than_the_terminal(grades: Grades) -> None:
    for student in ("alice", "bob", "carol", "dan", "erin"):
        assert max(map(len, text_of(grades, student, 80).splitlines())) <= 80, student


def test_points_that_can_be_had(grades: Grades) -> None:
    text = text_of(grades, "bob")
    assert "+60" in text and "when every case is right" in text
    assert "+30" in text and "judged after that" in text


def test_what_waits_for_right_cases_is_one_line_also_where_nothing_compiles(grades: Grades) -> None:
    gains = [line for line in text_of(grades, "dan").splitlines() if line.startswith("  +")]
    assert [gain.split(maxsplit=1)[1] for gain in gains] == [
        "when it compiles", "when every case is right", "technique and performance, judged after that"
    ]  # fmt: skip


def sample(**changes: object) -> str:
    """The racy student's result with a changed run."""
    racy = sample_results.racy_student().results[0]
    assert racy.run
    return shown(
        *terminal_check.result_lines(
            sample_results.lab(), sample_results.with_records(racy, run=replace(racy.run, **changes))
        )
    )  # type: ignore[arg-type]


def test_errors_come_before_wrong_numbers_and_these_before_warnings() -> None:
    error = sample_results.out_of_bounds("16x16x16-integers")
    warning = replace(sample_results.race("16x16x16-integers"), severity="warning", code="WG115")
    text = sample(findings=(warning, error))
    assert text.index("error[WG101]") < text.index("wrong answer: 48x40x32") < text.index("warning[WG115]")


def test_why_nothing_was_launched_is_said_once() -> None:
    racy = sample_results.racy_student().results[0]
    names = [case.name for case in sample_results.lab().cases]
    judged = sample_results.judgement(dict.fromkeys(names, Verdict.RESOURCES))
    cases = tuple(replace(case, sentence="4096 threads are too many.") for case in judged.cases)
    text = shown(
        *terminal_check.result_lines(
            sample_results.lab(), replace(racy, judgement=replace(judged, cases=cases)), width=100
        )
    )
    assert text.count("error: 4096 threads are too many") == 1
    assert "▦ 1 hidden case" in text, "what nobody could launch is not called wrong"


def test_numbers_that_are_left_out_are_called_that() -> None:
    bob = sample_results.racy_student().results[0]
    assert bob.run
    timed = sample_results.with_records(bob, run=replace(bob.run, printed="n = … in … ms"))
    program = replace(sample_results.lab(), kind=LabKind.PROGRAM)
    assert "your program printed  (…: a number;" in shown(*terminal_check.result_lines(program, timed, 100))


def test_the_points_of_a_technique_come_with_its_goal() -> None:
    lab = sample_results.lab()
    missed = Part("technique", "tile", 0, 6, "25.0 elements are loaded for each result")
    goal = replace(lab.techniques[0], name="tile", goal="an element is loaded once")
    (result,) = sample_results.right_student().results
    assert result.score
    again = replace(result, score=replace(result.score, parts=(*result.score.parts, missed)))
    text = shown(*terminal_check.result_lines(replace(lab, techniques=(goal,)), again, 100))
    assert "tile: an element is loaded once" in text
    assert text.count("25.0 elements are loaded") == 1


def test_an_element_that_nobody_wrote_was_to_be_computed() -> None:
    racy = sample_results.racy_student().results[0]
    assert racy.run
    wrong = next(case.wrong for case in racy.run.cases if case.wrong)
    cases = tuple(
        replace(case, wrong=replace(wrong, got="never written") if case.wrong else None)
        for case in racy.run.cases
    )
    assert "= computed by: " in sample() and "was to be" not in sample()
    assert "= was to be computed by: " in sample(cases=cases)


def test_only_what_the_lab_has_is_judged_after_that(grades: Grades) -> None:
    bob = result_of(grades, "bob")
    assert bob.score
    parts = tuple(part for part in bob.score.parts if part.kind != "technique")
    result = replace(bob, score=replace(bob.score, parts=parts))
    text = shown(*terminal_check.total_lines(sample_results.lab(), result, 80))
    assert "performance, judged after that" in text and "technique" not in text


def test_a_technique_that_no_case_keeps_from_being_judged_says_why(grades: Grades) -> None:
    """Its case is right: to wait for that would be no advice."""
    alice = result_of(grades, "alice")
    assert alice.score and alice.judgement
    why = "not judged: the run has no counters of that case"
    techniques = tuple(replace(each, met=None, sentence=why) for each in alice.judgement.techniques)
    parts = tuple(
        replace(part, earned=0, sentence=why) if part.kind == "technique" else part
        for part in alice.score.parts
    )
    result = replace(
        alice,
        judgement=replace(alice.judgement, techniques=techniques),
        score=replace(alice.score, parts=parts),
    )
    text = shown(*terminal_check.result_lines(grades.labs[0], result, 100))
    assert why in text and "once its case is right" not in text


def test_points_that_check_does_not_tell_are_announced() -> None:
    """The name of a fault is judged with the grade: in a student's check it is worth nothing, and no zero."""
    item = sample_results.lab()
    unjudged, judged = (
        shown(
            *terminal_check.part_row(item, Part("fault", "order-named", 0, possible, "can be read"), 80, None)
        )
        for possible in (0, 6)
    )
    assert "later" in unjudged and "0/" not in unjudged and "can be read" in unjudged
    assert "0/6" in judged and "later" not in judged


def test_names_that_the_same_is_said_of_are_one_row() -> None:
    """Of nine faults that nobody has named yet, one sentence would stand there nine times."""
    lab, result = sample_results.lab(), sample_results.right_student().results[0]
    parts = [Part("fault", f"f{number}-named", 0, 0, "not named yet") for number in range(3)]
    other = Part("fault", "last-named", 0, 0, "can be read")
    assert result.score is not None
    several = replace(result, score=replace(result.score, parts=(*result.score.parts, *parts, other)))
    text = "\n".join(terminal_check.closing_lines(lab, several, 100))
    assert text.count("not named yet") == 1 and "3 names" in text and "(f0, f1, f2)" in text
    assert "last-named" in text


def test_long_names_of_techniques_and_faults_move_no_column() -> None:
    fault = FaultyKernel("a-name-that-is-long", "kernel.cu", "k", "fault.toml", (), named=6, repaired=4)
    item = replace(sample_results.lab(), faults=(fault,))
    ends = set()
    for name in ("build", "a-name-that-is-long-named", "a-name-that-is-long-repaired"):
        (row, *_) = terminal_check.part_row(item, Part("fault", name, 0, 6, "words"), 100, None)
        ends.add(shown(row).index("0/6"))
    assert len(ends) == 1


def test_a_program_that_ends_itself_is_quoted() -> None:
    """Its last words tell more than the findings about what it left behind; a kernel has no words."""
    words = "exit code 1, and said: no such stream"
    case = ShownCase("first", Verdict.CRASH, 0.0, 5.0, words, sample_results.lab().cases[0])
    program, kernels = (
        shown(*terminal_check.case_row(replace(sample_results.lab(), kind=kind), case, ["WG119"], 100))
        for kind in (LabKind.PROGRAM, LabKind.KERNELS)
    )
    assert "no such stream" in program and "WG119" in kernels and "no such stream" not in kernels


def test_the_total_says_how_many_points_a_name_is_worth_that_check_does_not_judge() -> None:
    fault = FaultyKernel("order", "kernel.cu", "k", "fault.toml", (), named=6, repaired=0)
    item = replace(sample_results.lab(), faults=(fault,))
    result = sample_results.right_student().results[0]
    assert result.score
    unjudged, judged = (
        shown(
            *terminal_check.total_lines(item, replace(result, score=replace(result.score, parts=parts)), 80)
        )
        for parts in ((Part("fault", "order-named", 0, possible, "can be read"),) for possible in (0, 6))
    )
    assert "+6" in unjudged and "judged when you hand in" in unjudged
    assert "judged when you hand in" not in judged


@pytest.mark.parametrize("kind", ADDED_PARTS)
def test_what_was_taken_is_a_row_and_says_why(kind: str) -> None:
    result = sample_results.racy_student().results[0]
    assert result.score is not None
    parts = (Part("build", "build", 100.0, 100.0), Part(kind, "WG110", -5.0, 0.0, "5 points for WG110"))
    result = replace(result, score=replace(result.score, total=95.0, parts=parts))
    rows = shown(*terminal_check.closing_lines(sample_results.lab(), result, 80))
    total = shown(*terminal_check.total_lines(sample_results.lab(), result, 80))
    assert "± WG110" in rows and "+5" in total and "WG110: 5 points for WG110" in total
