"""The syllabus is made from one row of each lab."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.handouts.syllabus import weeks
from warpgrade.records import Syllabus

LABS = lab.find(here())


def test_labs_are_in_their_weeks_and_the_course_begins_on_a_day() -> None:
    first, second, third = LABS[:3]
    plan = weeks(
        [
            replace(first, syllabus=Syllabus(3, 2.5)),
            replace(second, syllabus=Syllabus()),
            replace(third, syllabus=Syllabus(3, 4)),
        ],
        datetime.date(2027, 2, 1),
    )
    assert [(week.number, week.hours, week.begins) for week in plan] == [(3, 6.5, datetime.date(2027, 2, 15))]
    assert [each.name for each in plan[0].labs] == [first.name, third.name]


def test_weeks_follow_the_numbers_of_labs() -> None:
    """The book's chapters have the labs' numbers and are in the order of their weeks."""
    weeks_of_labs = [each.syllabus.week for each in LABS if each.syllabus.week]
    assert weeks_of_labs == sorted(weeks_of_labs)


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_what_a_lab_needs_comes_before_it(item: lab.Lab) -> None:
    rows = {each.name: each.syllabus for each in LABS}
    assert all(rows[name].week <= item.syllabus.week and name != item.name for name in item.syllabus.needs)
