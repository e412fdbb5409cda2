import dataclasses
from dataclasses import replace

import pytest

from support import sample_results
from warpgrade.feedback import findings as findingcards
from warpgrade.feedback import student_lab
from warpgrade.records import Part, Standing, Student, Visibility

LAB = sample_results.lab()


def of(student: Student) -> student_lab.LabFeedback:
    return student_lab.lab_feedback(LAB, student.results[0], {})


@pytest.mark.parametrize(
    ("student", "begins"),
    [
        (sample_results.right_student(), "Full points."),
        (sample_results.racy_student(), "Begin with WG201 at kernel.cu:12:5: Wait for the whole block"),
        (sample_results.failed_build_student(), "It does not compile yet. Put right line 12 of kernel.cu"),
        (sample_results.withheld_student(), "The emulator stopped without a word. Staff: grade"),
        (
            sample_results.hidden_failure_student(),
            "Every case that you can see passes, some hidden one does not.",
        ),
    ],
    ids=lambda value: value.id if isinstance(value, Student) else "",
)
def test_there_is_one_next_step(student: Student, begins: str) -> None:
    assert of(student).next_step.startswith(begins)


NINE_DAYS = Part("adjustment", "late", -100.0, 0.0, "9 days late; more than 5 days is too late")


@pytest.mark.parametrize(
    ("part", "step"),
    [
        (NINE_DAYS, "100 points were taken: 9 days late; more than 5 days is too late."),
        (Part("review", "build", -2.0, 0.0, "18 instead of 20: lab.toml"), "2 points were taken: 18"),
        (Part("deduction", "WG201", -5.0, 0.0, "the lab takes 5 points for WG201"), "5 points were taken:"),
    ],
)
def test_right_work_that_lost_points_is_not_told_of_full_points(part: Part, step: str) -> None:
    late = of(sample_results.with_parts(sample_results.right_student(), part))
    assert late.next_step.startswith(f"Nothing is left to do here: all parts are right; {step}")


def test_points_above_all_are_full_points() -> None:
    parts = (Part("adjustment", "adjusted by staff", 5.0, 0.0, "help"), replace(NINE_DAYS, earned=-4.0))
    more = of(sample_results.with_parts(sample_results.right_student(), *parts))
    assert more.total == 101 and more.next_step.startswith("Full points.")


def test_a_passing_case_that_earns_a_share_is_named() -> None:
    (result, *_) = sample_results.right_student().results
    assert result.score
    short = [
        replace(part, earned=part.earned - (part.name == LAB.cases[0].name)) for part in result.score.parts
    ]
    score = replace(result.score, total=99.0, parts=tuple(short))
    step = student_lab.next_step(LAB, replace(result, score=score))
    assert step.startswith(f"What is left is {LAB.cases[0].name}: ")


def test_parts_add_up_to_the_total() -> None:
    for student in (sample_results.right_student(), sample_results.racy_student()):
        item = of(student)
        assert sum(part.earned for part in item.parts) == item.total
        assert sum(part.possible for part in item.parts) == item.possible


def test_source_around_a_line_ends_with_the_file() -> None:
    (card, *_) = of(sample_results.racy_student()).findings
    numbers = [line.number for line in card.sides[1].lines]
    assert numbers == [12, 13, 14, 15, 16, 17, 18]
    assert [line.number for line in card.sides[1].lines if line.marked] == [15]


def test_errors_come_before_warnings() -> None:
    student = sample_results.racy_student()
    run = student.results[0].run
    assert run
    mild = dataclasses.replace(run.findings[0], severity="warning", code="WG203")
    result = sample_results.with_records(
        student.results[0], run=dataclasses.replace(run, findings=(mild, *run.findings))
    )
    codes = [card.code for card in student_lab.lab_feedback(LAB, result, {}).findings]
    assert codes == ["WG201", "WG101", "WG203"]


def test_only_the_first_map_is_unfolded() -> None:
    assert [card.folded for card in of(sample_results.racy_student()).wrong] == [False, True]


def test_the_source_says_what_each_line_costs_and_where_findings_are() -> None:
    lines = {
        line.number: [note.text for note in line.notes] for line in of(sample_results.racy_student()).source
    }
    assert lines[13] == ["global load: 8.0 sectors, 4.0 would suffice"]
    assert lines[12] == ["WG201", "WG101"]
    assert lines[15] == ["WG201", "shared load: 2.0 wavefronts, 1.0 would suffice"]
    assert of(sample_results.racy_student()).expensive_lines == 2


def test_cases_that_went_alike_share_a_row() -> None:
    right = of(sample_results.right_student())
    rows = [part for part in right.part_rows if part.sentence == "right, as shown above"]
    assert [(part.name, part.earned) for part in rows] == [
        ("4 cases", sum(part.earned for part in right.parts if part.kind == "case" and "x" in part.name))
    ]
    racy = of(sample_results.racy_student())
    for item in (right, racy):
        assert sum(part.earned for part in item.part_rows) == sum(part.earned for part in item.parts)
        assert sum(part.possible for part in item.part_rows) == sum(part.possible for part in item.parts)
    sentences = [
        part.sentence for part in racy.part_rows if part.kind == "case" and part.name != "hidden cases"
    ]
    assert len(sentences) == len(set(sentences)) < len([part for part in racy.parts if part.kind == "case"])


def test_where_only_the_verdict_is_shown_the_points_say_so() -> None:
    for student in (sample_results.racy_student(), sample_results.right_student()):
        item = of(student)
        names = {case.name for case in item.lab.cases if case.visibility is Visibility.NAME}
        said = [part.sentence for part in item.parts if part.name in names]
        assert said and set(said) == {"only the verdict is shown"}


def test_warps_that_stood_alike_share_a_row() -> None:
    standing = [Standing(warp, "0xffffffff", "/box/kernel.cu", 14, " sync();", "waits") for warp in range(4)]
    standing.append(Standing(4, "0xffffffff", "kernel.cu", 20, "", "has ended"))
    rows = list(findingcards.stopped_warps(standing))
    assert [(row.warps, row.place, row.source, row.state) for row in rows] == [
        ("0–3", "kernel.cu:14", "sync();", "waits"),
        ("4", "kernel.cu:20", "", "has ended"),
    ]


def test_findings_with_the_same_advice_give_it_once() -> None:
    (result, *_) = sample_results.racy_student().results
    assert result.run
    first = next(each for each in result.run.findings if each.code == "WG201")
    lines = [replace(first, place=replace(first.place, line=line)) for line in range(3, 8)]
    alike = sample_results.with_records(result, run=replace(result.run, findings=tuple(lines)))
    assert [bool(card.help) for card in findingcards.finding_cards(LAB, alike)] == [True] + [False] * 4
