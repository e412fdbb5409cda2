"""The fastest and the slowest kernels of a class."""

from dataclasses import replace

from support import sample_results
from warpgrade.overview.speed_comparison import EACH, SpeedComparison, SpeedComparisons
from warpgrade.records import Student

GRADES = sample_results.grades()
ADA = next(student for student in GRADES.students if student.id == "ada")


def paced(id: str, ratio: float) -> Student:
    result = ADA.results[0]
    assert result.judgement and result.judgement.performance
    judgement = replace(result.judgement, performance=replace(result.judgement.performance, ratio=ratio))
    return replace(ADA, id=id, name=id.title(), results=(replace(result, judgement=judgement),))


def comparisons(*students: Student) -> tuple[SpeedComparison, ...]:
    builder = SpeedComparisons(GRADES)
    for student in students:
        builder.add(student)
    return tuple(builder.comparisons())


def test_fastest_and_slowest() -> None:
    ratios = {"a": 0.5, "b": 1.1, "c": 0.9, "d": 0.2, "e": 1.0}
    (comparison,) = comparisons(*(paced(id, ratio) for id, ratio in ratios.items()))
    assert [pace.student.id for pace in comparison.fastest] == ["b", "e", "c"]
    assert [pace.student.id for pace in comparison.slowest] == ["d", "a"], "no one is in both lists"
    assert comparison.timed == 5 and comparison.modelled


def test_of_many_the_ends_are_kept() -> None:
    many = [paced(f"{number:03}", (number * 37 % 100 + 1) / 100) for number in range(100)]
    (comparison,) = comparisons(*many)
    assert comparison.timed == 100
    assert [pace.ratio for pace in comparison.fastest] == [1.0, 0.99, 0.98][:EACH]
    assert [pace.ratio for pace in comparison.slowest] == [0.01, 0.02, 0.03][:EACH]


def test_a_lab_without_a_timed_kernel_has_none() -> None:
    assert comparisons(replace(ADA, results=())) == ()
