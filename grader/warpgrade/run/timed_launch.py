"""The labels of timed launches: "time/256x128x64/student", "time/256x128x64/reference"."""

from __future__ import annotations

from ..records import Launch, Size

_LABEL = "time/"


def is_timed(launch: Launch) -> bool:
    """Whether it is a timed launch, of a submission or of the instructor's solution."""
    return launch.label.startswith(_LABEL)


def is_reference(launch: Launch) -> bool:
    """Whether it is a timed launch of the instructor's solution."""
    return is_timed(launch) and launch.label.endswith("/reference")


def size_of(launch: Launch) -> Size | None:
    """The parameters of a timed launch, from its label; None for a launch that is not timed."""
    sides = launch.label.removeprefix(_LABEL).split("/")[0].split("x")
    if not is_timed(launch) or not all(map(str.isdigit, sides)):
        return None
    return tuple(map(int, sides))


def size_name(size: Size) -> str:
    """(256, 128, 64) → "256x128x64", as labels and the harness name it."""
    return "x".join(map(str, size))
