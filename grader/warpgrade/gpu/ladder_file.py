"""The file of a performance ladder: datasets/reference-timings/ladder/<gpu>.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import InstructorError
from ..core.paths import Repository, typed
from ..core.serialize import from_data
from ..records import Size
from .spec import file_name

LIBRARY = "cuBLAS"
_FOLDER = ("datasets", "reference-timings", "ladder")


@dataclass(frozen=True)
class LadderTiming:
    """One implementation's time.

    `spread`: half the interquartile range over the median. `rows`: of the result that were computed.
    """

    label: str
    size: Size
    milliseconds: float
    spread: float
    launches: int
    rows: int
    flops: float  # operations of that size

    @property
    def gflops(self) -> float:
        return self.flops / (self.milliseconds * 1e6)


@dataclass(frozen=True)
class Ladder:
    """All timings on one GPU. `absent`: implementations that could not be timed, with the reason."""

    conditions: dict[str, str]
    timings: tuple[LadderTiming, ...]
    absent: tuple[str, ...] = ()

    def timing(self, label: str, size: Size) -> LadderTiming | None:
        """The timing of that name; None if it was not measured."""
        return next((row for row in self.timings if (row.label, row.size) == (label, size)), None)


def path_of(repository: Repository, gpu_name: str) -> Path:
    return repository.root.joinpath(*_FOLDER, file_name(gpu_name))


def load(repository: Repository, gpu_name: str) -> Ladder | None:
    """The ladder of that GPU, None if it has none yet. InstructorError if its file is broken."""
    path = path_of(repository, gpu_name)
    if not path.is_file():
        return None
    try:
        return from_data(Ladder, json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        remedy = f"{typed('ladder')} on that GPU"
        raise InstructorError(f"cannot be read: {error}", file=path, remedy=remedy) from None
