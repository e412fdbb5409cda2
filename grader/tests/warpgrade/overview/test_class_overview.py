from support import sample_results
from warpgrade.overview import class_overview

OVERVIEW = class_overview.overview(sample_results.grades())


def test_each_student_is_a_row_and_each_lab_a_cell() -> None:
    assert [entry.id for entry in OVERVIEW.entries] == ["ada", "bob", "carol", "dan", "eve", "frank"]
    assert all(len(entry.cells) == 2 for entry in OVERVIEW.entries)


def test_cells_say_what_happened() -> None:
    cells = {entry.id: entry.cells[0] for entry in OVERVIEW.entries}
    assert (cells["ada"].text, cells["ada"].summary) == ("100", "5 of 5 cases pass")
    assert cells["bob"].summary == "0 of 5 cases pass; race, wrong answer, memory"
    assert cells["carol"].summary == "does not compile"
    assert (cells["dan"].text, cells["dan"].points) == ("withheld", None)
    assert cells["frank"].text == "–"
    frank = next(student for student in sample_results.grades().students if student.id == "frank")
    assert frank.problem and cells["frank"].summary == frank.problem.message, "something was handed in"


def test_without_points_there_is_no_total() -> None:
    entries = {entry.id: entry for entry in OVERVIEW.entries}
    assert entries["ada"].total == 100
    assert entries["carol"].total == 0, "it does not compile: that is a zero"
    assert entries["dan"].total is None and entries["frank"].total is None, "withheld, and unreadable"


def test_statistics_leave_out_what_was_not_graded() -> None:
    first, second = OVERVIEW.statistics
    assert (first.graded, first.least, first.most, first.full, first.failed_builds) == (4, 0, 100, 1, 1)
    assert first.median == (27.25 + 80) / 2
    assert second.graded == 0


def test_equal_points_are_stacked() -> None:
    bins = class_overview._bins([50.0, 51.0, 4.99, 100.0, 104.0])
    assert {place: count for place, count in enumerate(bins) if count} == {0: 1, 10: 2, 20: 2}
