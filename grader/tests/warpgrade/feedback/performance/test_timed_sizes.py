from dataclasses import replace

from support import sample_results
from warpgrade.feedback.performance import timed_sizes
from warpgrade.records import Draw, PerformanceVerdict, SizeTime

LAB = replace(
    sample_results.lab(),
    draws=(Draw("a", 3, 5),),
    performance=replace(
        sample_results.lab().performance, sizes=((192, 5), (192, 0)), drawn=(("64*a", "5"), ("64*a", "0"))
    ),
)


def of(lab_sizes: tuple[tuple[int, ...], ...]) -> list[str]:
    lab = replace(LAB, performance=replace(LAB.performance, sizes=lab_sizes))
    times = tuple(SizeTime(size, 2.0, 1.0, 0.5) for size in lab_sizes)
    return [words for words, _ in timed_sizes.named(lab, PerformanceVerdict(True, "", sizes=times))]


def test_a_size_that_a_course_has_drawn_is_told_by_what_everybody_knows_of_it() -> None:
    assert of(((256, 5), (256, 0))) == ["drawn × 5", "drawn × 0"]


def test_the_least_sizes_are_everybodys() -> None:
    assert of(((192, 5), (192, 0))) == ["192 × 5", "192 × 0"]
