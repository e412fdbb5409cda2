import dataclasses

from markupsafe import Markup
from rich.text import Text

from support import sample_results
from warpgrade.feedback import comparisons, student_lab
from warpgrade.feedback.annotated_source import CodeLine
from warpgrade.feedback.performance import bandwidth
from warpgrade.records import PROGRAM_FACTS, LabKind, Occupancy, TechniqueVerdict
from warpgrade.report import terminal_profile


def shown(item: student_lab.LabFeedback, width: int = 80) -> list[str]:
    return [Text.from_markup(line).plain for line in terminal_profile.lines(item, width)]


def test_lines_that_cost_too_much_are_shown_with_their_cost() -> None:
    item = student_lab.lab_feedback(sample_results.lab(), sample_results.racy_student().results[0], {})
    text = shown(item, 60)
    assert text[0].startswith("lines that cost more than they need")
    assert any("shared load: 2.0 wavefronts, 1.0 would suffice" in line for line in text)
    assert all(len(line) <= 70 for line in text)


def test_a_kernel_without_expensive_lines() -> None:
    item = student_lab.lab_feedback(sample_results.lab(), sample_results.right_student().results[0], {})
    note = comparisons.Note("global load: 4.0 sectors", "idle")
    cheap = dataclasses.replace(item, source=(CodeLine(1, "x", False, (note,)),))
    assert shown(cheap)[0] == "no single access costs more than it needs"
    empty = dataclasses.replace(item, source=(), times=())
    assert shown(empty)[0] == "no line touches global or shared memory yet"
    assert shown(empty)[-1].startswith("not timed")


def test_what_costs_points_is_said_where_no_single_line_shows_it() -> None:
    result = sample_results.right_student().results[0]
    assert result.judgement
    missed = TechniqueVerdict("tile", False, "25.0 elements are loaded for each result")
    judged = dataclasses.replace(result.judgement, techniques=(missed,))
    again = dataclasses.replace(result, judgement=judged)
    item = student_lab.lab_feedback(sample_results.lab(), again, {})
    assert "tile: 25.0 elements are loaded for each result" in shown(item)


def test_times_at_several_sizes_name_them() -> None:
    item = student_lab.lab_feedback(sample_results.lab(), sample_results.right_student().results[0], {})
    time = dataclasses.replace(item.times[0][1], student_bound="shared memory")
    two = dataclasses.replace(item, times=(("drawn × 5", time), ("drawn × 0", time)))
    assert [line.partition(": ")[0] for line in shown(two)[-2:]] == ["at drawn × 5", "at drawn × 0"]


def test_of_a_program_it_says_what_the_program_did() -> None:
    item = student_lab.lab_feedback(sample_results.lab(), sample_results.right_student().results[0], {})
    whole = dataclasses.replace(item, lab=dataclasses.replace(item.lab, kind=LabKind.PROGRAM))
    text = shown(whole)
    assert text[0] == f"what the program did (in the case {item.counted_on})"
    assert text[1].split() == [item.counters[0].student, item.counters[0].name]
    assert not any("not timed" in line or "memory yet" in line for line in text)
    fact = dataclasses.replace(item.counters[0], name="serial_ns", meaning=PROGRAM_FACTS["serial_ns"])
    text = shown(dataclasses.replace(whole, counters=(fact,)), 60)
    assert text[1].endswith(" nanoseconds of all copies and kernels one") and "serial_ns" not in " ".join(
        text
    )
    (nothing,) = shown(dataclasses.replace(whole, counters=()))
    assert nothing.startswith("nothing is counted yet")


def test_further_kernels_and_the_share_of_the_best_possible() -> None:
    item = student_lab.lab_feedback(sample_results.lab(), sample_results.right_student().results[0], {})
    seats = Occupancy("9.0", 2, 32, 64, "registers")
    rate = bandwidth.Rate(comparisons.Whose.YOURS, 2400.0, 0.5)
    several = dataclasses.replace(
        item,
        occupancy=(("second", seats), ("reference", seats)),
        bandwidth=bandwidth.Bandwidth(Markup(), (rate,), ""),
    )
    text = shown(several)
    for kernel in ("second", "reference"):  # any name may be a kernel's
        assert f"occupancy of {kernel} 50%: 32 of 64 warps an SM, limited by registers" in text
    assert text[-1] == "2,400 GB/s: 50% of the best possible, the memory's bandwidth"
