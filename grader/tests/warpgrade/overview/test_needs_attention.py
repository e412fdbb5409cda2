"""Who needs a student, why, and what to say."""

from dataclasses import replace

from support import sample_results
from warpgrade.course.policy import Policy
from warpgrade.judge import late_policy
from warpgrade.overview import needs_attention
from warpgrade.records import Part

LOOKS = {student.id: student for student in needs_attention.at_risk(sample_results.grades())}


def words(student: str) -> list[str]:
    return [reason.words for reason in LOOKS[student].reasons]


def test_who_needs_a_look_and_why() -> None:
    assert "ada" not in LOOKS
    assert words("carol") == ["does not compile"]
    assert "error of the grader" in words("dan")[0]
    assert words("eve") == ["passes all it can see, but only 0 of 1 hidden cases"]
    assert words("bob") == ["only 27.25 of 100 points"]
    assert "leaves it" in words("frank")[0]


def test_grave_reasons_come_first() -> None:
    grave = [student.grave for student in needs_attention.at_risk(sample_results.grades())]
    assert grave == sorted(grave, reverse=True) and grave[0] and not grave[-1]


def test_one_student_is_one_row() -> None:
    grades = sample_results.grades()
    bob = next(student for student in grades.students if student.id == "bob")
    twice = replace(bob, results=(bob.results[0], replace(bob.results[0], lab="03-tiled-bounded")))
    (student,) = needs_attention.at_risk(replace(grades, students=(twice,)))
    assert [reason.lab for reason in student.reasons] == ["02-tiled", "03-tiled-bounded"]


def test_what_to_say() -> None:
    assert LOOKS["bob"].say.startswith("02-tiled: read-write race (WG201) at line 12, in 5 of 5 cases.")
    assert "line 12" in LOOKS["carol"].say and '"rov" is undefined' in LOOKS["carol"].say
    assert LOOKS["dan"].say == "", "nothing to say about an error of the grader"
    assert sample_results.SECRET not in "".join(student.say for student in LOOKS.values())


def test_late_days_that_nobody_has_stated() -> None:
    grades = sample_results.grades()
    ada = next(student for student in grades.students if student.id == "ada")
    late = replace(ada, results=(replace(ada.results[0], late=True, submitted=""),))
    (student,) = needs_attention.at_risk(replace(grades, students=(late_policy.adjusted(late, Policy()),)))
    assert student.grave and "[[late_days]]" in student.reasons[0].words


def test_few_points_for_late_days_say_so() -> None:
    ada = next(student for student in sample_results.grades().students if student.id == "ada")
    late = sample_results.with_parts(ada, Part("adjustment", late_policy.LATE, -100.0, 0.0, "9 days late"))
    looked = needs_attention.student_at_risk(sample_results.grades().labs, late)
    assert [reason.words for reason in looked.reasons] == ["only 0 of 100 points (9 days late)"]
