"""The course's weeks, made from the rows `syllabus` of its labs."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..records import Lab


@dataclass(frozen=True)
class Week:
    """A week's labs in their order. `begins`: its first day, where the course says when it begins."""

    number: int
    labs: tuple[Lab, ...]
    begins: datetime.date | None = None

    @property
    def hours(self) -> float:
        return math.fsum(each.syllabus.hours for each in self.labs)


def weeks(labs: Sequence[Lab], begins: datetime.date | None = None) -> tuple[Week, ...]:
    """The weeks that have labs; labs without a row are left out."""
    numbers = sorted({each.syllabus.week for each in labs} - {0})
    return tuple(
        Week(
            number,
            tuple(each for each in labs if each.syllabus.week == number),
            begins + datetime.timedelta(weeks=number - 1) if begins else None,
        )
        for number in numbers
    )
