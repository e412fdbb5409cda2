"""Findings that only a build without optimisation shows: no check sees code that the compiler has removed."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import Finding

TITLE = "Only without optimisation, as the compiler removes what these lines do:"


def only_in(unoptimised: Sequence[Finding], optimised: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings of the first build at lines where the second one has no finding of the same check."""
    places = {(each.check, place.line) for each in optimised for place in (each.place, each.other) if place}
    return tuple(each for each in unoptimised if (each.check, each.place.line) not in places)
