"""A lab: lab.toml, checked."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

Size = tuple[int, int, int]


class Visibility(enum.StrEnum):
    """What a student may see of a case: everything, its name and verdict, or nothing."""

    VISIBLE = "visible"
    NAME = "name"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Case:
    name: str
    m: int
    n: int
    k: int
    values: str
    points: float
    visibility: Visibility

    @property
    def size(self) -> Size:
        return (self.m, self.n, self.k)


@dataclass(frozen=True)
class Technique:
    """Points for how a result was reached, shown by a counter on one case."""

    name: str
    evidence: str
    case: str
    points: float
    smallest_tile: int | None = None
    at_least: float | None = None


@dataclass(frozen=True)
class Performance:
    """Full points at t_reference / t_student = full, none at `none`, logarithmic between."""

    points: float
    sizes: tuple[Size, ...]
    gpu_sizes: tuple[Size, ...]
    full: float
    none: float

    @property
    def whole(self) -> Size:
        """The largest size that a GPU is timed with. Modelled times stand for that size, too."""
        return max(self.gpu_sizes or self.sizes, key=math.prod)


@dataclass(frozen=True)
class Limits:
    seconds: float
    steps: int
    shared_bytes: int


@dataclass(frozen=True)
class Compilation:
    """How a lab's submissions become device code, beyond what is the same for all labs."""

    architecture: int = 75  # newest PTX features that a kernel may use: 80 has asynchronous copies
    ptxas: tuple[str, ...] = ("-O3",)  # optimisation levels that a file may ask for; the first is the default
    tensor_cores: bool = True  # whether a kernel may use them


@dataclass(frozen=True)
class Hint:
    todo: int
    text: str


@dataclass(frozen=True)
class Lab:
    """lab.toml, checked. `folder` is where it was read from, `name` that folder's name."""

    name: str
    title: str
    teaches: tuple[str, ...]
    kernel: str
    files: tuple[str, ...]
    sizes: str
    build_points: float
    cases: tuple[Case, ...]
    techniques: tuple[Technique, ...]
    performance: Performance
    limits: Limits
    hints: tuple[Hint, ...]
    folder: str
    hash: str
    elsewhere_points: float = 0.0  # of cases that a students' copy does not hold
    compilation: Compilation = Compilation()
    leaderboard: bool = False  # whether a class report gets a page that ranks this lab's times

    @property
    def possible_points(self) -> float:
        """The most points that this copy can give. Points of cases that it does not hold are not counted."""
        cases = sum(case.points for case in self.cases)
        techniques = sum(technique.points for technique in self.techniques)
        return self.build_points + cases + techniques + self.performance.points

    def case(self, name: str) -> Case:
        """The case of that name; KeyError if there is none."""
        for case in self.cases:
            if case.name == name:
                return case
        raise KeyError(name)
