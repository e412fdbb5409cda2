"""Common failures of a class."""

from dataclasses import replace

from support import sample_results
from warpgrade.overview import common_failures
from warpgrade.records import Grades, Student

GRADES = sample_results.grades()
BOB = next(student for student in GRADES.students if student.id == "bob")
ADA = next(student for student in GRADES.students if student.id == "ada")


def named(student: Student, id: str) -> Student:
    return replace(student, id=id, name=id.title())


def with_line(student: Student, id: str, text: str) -> Student:
    run = student.results[0].run
    assert run
    findings = tuple(replace(each, place=replace(each.place, source=f"  {text}")) for each in run.findings)
    return replace(
        named(student, id),
        results=(sample_results.with_records(student.results[0], run=replace(run, findings=findings)),),
    )


def class_of(*students: Student) -> Grades:
    return replace(GRADES, students=students)


def test_failures_are_grouped_by_finding_and_line() -> None:
    grades = class_of(
        with_line(BOB, "a", "x = 1;"), with_line(BOB, "b", "x = 1;"), with_line(BOB, "c", "y = 2;")
    )
    race = next(item for item in common_failures.common(grades) if item.code == "WG201")
    assert [person.id for person in race.students] == ["a", "b", "c"]
    assert [(line.text, line.students) for line in race.lines] == [("x = 1;", 2), ("y = 2;", 1)]


def test_the_most_frequent_comes_first_and_the_rest_of_the_lines_is_counted() -> None:
    many = [with_line(BOB, f"s{at}", f"x = {at};") for at in range(7)]
    found = common_failures.common(class_of(*many, sample_results.failed_build_student()))
    assert len(found[0].students) == 7 and found[-1].code == "not built"
    assert len(found[0].lines) == common_failures.MOST_LINES and found[0].more_lines == 3


def test_compile_errors_are_shown_with_their_line() -> None:
    (found,) = common_failures.common(class_of(sample_results.failed_build_student()))
    assert found.words == 'identifier "rov" is undefined' and found.lines[0].text == "As[ty][tx] = A[rov];"


def test_a_wrong_answer_that_no_finding_explains() -> None:
    run = BOB.results[0].run
    assert run
    plain = replace(
        BOB, results=(sample_results.with_records(BOB.results[0], run=replace(run, findings=())),)
    )
    assert ("wrong answer", "the last, partial tile column") in {
        (item.code, item.words) for item in common_failures.common(class_of(plain))
    }


def test_our_faults_are_nobodys_failure() -> None:
    assert common_failures.common(class_of(sample_results.withheld_student())) == ()
