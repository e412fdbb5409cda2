"""Where an asynchronous copy is in a race, the advice is to wait for it, not to add a barrier."""

from __future__ import annotations

from warpgrade.judge.causes.races.async_copy import COPY, HELP, advised
from warpgrade.records import Finding, Place


def of(access: str) -> Finding:
    other = Place("kernel.cu", 3, thread=(0, 0, 0), access=access)
    read = Place("kernel.cu", 5, thread=(1, 0, 0), access="read")
    return advised(
        Finding("c", "race", "race-read-write", "WG112", "error", "", read, other=other, help="own")
    )


def test_a_copy_in_flight_has_its_own_cause_and_advice() -> None:
    assert (of(COPY).cause, of(COPY).help) == ("copy-not-awaited", HELP)


def test_other_races_keep_theirs() -> None:
    assert (of("write").cause, of("write").help) == (None, "own")
