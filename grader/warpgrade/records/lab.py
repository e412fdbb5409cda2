"""A lab: lab.toml, checked."""

from __future__ import annotations

import enum
from dataclasses import dataclass

Size = tuple[int, ...]  # a number for each parameter of the lab, in the order of [parameters]


class LabKind(enum.StrEnum):
    """What a student hands in: kernels, answers to questions, a corrected kernel, or a host program."""

    KERNELS = "kernels"
    ANSWERS = "answers"
    DEBUG = "debug"
    PROGRAM = "program"


class Visibility(enum.StrEnum):
    """What a student may see of a case: everything, its name and verdict, or nothing."""

    VISIBLE = "visible"
    NAME = "name"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Parameter:
    """An integer that a case of the lab has: its name, range and meaning."""

    name: str
    first: int  # the least value
    last: int  # the greatest value
    meaning: str = ""


@dataclass(frozen=True)
class Draw:
    """An integer that each course draws from its secret: its name and range."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class ArrayShape:
    """An array of the lab. `extents`: expressions over the parameters, the slowest dimension first."""

    name: str
    extents: tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """Expressions over the parameters: see course/work.py. `rate`: which of them a report shows a second."""

    flops: str = "0"  # operations
    bytes: str = "0"  # least device memory traffic
    rate: str = "flops"  # "flops" (GFLOP/s) or "bytes" (GB/s)
    tensor_cores: bool = False  # their peak is the roof of the operations


@dataclass(frozen=True)
class Case:
    name: str
    names: tuple[str, ...]  # of the lab's parameters, in their order
    size: Size  # their values
    values: str
    points: float
    visibility: Visibility
    drawn: tuple[str, ...] = ()  # expressions over the lab's draws that give `size`; empty: it is fixed

    @property
    def parameters(self) -> dict[str, int]:
        """Value by name, in the order of the lab's parameters."""
        return dict(zip(self.names, self.size, strict=True))


@dataclass(frozen=True)
class Technique:
    """Points for how a result was reached: expressions over what one case measures (course/evidence.py)."""

    name: str
    evidence: str  # one comparison: what is measured, and its limit
    case: str
    points: float
    met: str = ""  # the sentence that a student reads
    not_met: str = ""
    where: tuple[tuple[str, str], ...] = ()  # named values, in their order
    counts_if: str = ""  # an expression: without it the evidence says nothing; empty: it always counts
    does_not_count: str = ""  # the sentence where it does not
    slack: float = 1.0  # factor by which the limit may be missed
    kernel: str = ""  # whose launches count; empty: those of all kernels
    goal: str = ""  # what earns the points, for a handout's table

    def definition(self, name: str) -> str:
        """The text of a named value; KeyError where there is none."""
        return dict(self.where)[name]


@dataclass(frozen=True)
class FaultyKernel:
    """A file with a fault that is to be named and repaired; students get it as it stands in labs/<lab>/.

    It is repaired if its kernel passes `cases`. It is named by the line and the verdict of a finding that the
    emulator reports of the original (grading/faults.py).
    """

    name: str
    file: str
    kernel: str  # C name
    answers: str  # the file that names the fault
    cases: tuple[str, ...]
    named: float  # points for naming
    repaired: float  # points for repairing; 0 where the lab's cases give them
    program: bool = False  # the file is a whole program that launches the kernel


@dataclass(frozen=True)
class Performance:
    """Full points at t_reference / t_student = full, none at `none`, logarithmic between."""

    points: float
    sizes: tuple[Size, ...]
    gpu_sizes: tuple[Size, ...]
    full: float
    none: float
    values: str = "zero-mean"  # kind of values of the timed arrays
    ladder: tuple[Size, ...] = ()  # sizes at which all ways to compute the same are timed (staff/ladder.py)
    drawn: tuple[tuple[str, ...], ...] = ()  # expressions that give `sizes`; empty: they are fixed
    gpu_drawn: tuple[tuple[str, ...], ...] = ()  # the same for `gpu_sizes`

    @property
    def is_drawn(self) -> bool:
        """Whether a page must not tell at which sizes kernels are timed."""
        return bool(self.drawn or self.gpu_drawn)


UNTIMED = Performance(0.0, (), (), 1.0, 0.0)  # of a lab without points for speed


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
    after: tuple[str, ...] = ()  # mistakes (feedback/mistakes.py) after which it is the first to show


@dataclass(frozen=True)
class Deduction:
    """Points that a finding costs by itself, also where every result is right."""

    code: str  # "WG122"
    points: float  # taken once, however often it is found


@dataclass(frozen=True)
class Syllabus:
    """Where a lab stands in the course. `needs`: names of labs that it builds on."""

    week: int = 0  # from 1; 0: the lab says nothing
    hours: float = 0.0  # that a student needs
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProfiledProgram:
    """A program whose runs the questions of a lab ask about; students get it as it stands in labs/<lab>/.

    `arguments`: by name and in the program's order, those of which one is drawn for each student. `examples`:
    arguments of the runs that the handout shows.
    """

    file: str
    gpu: str  # a model of grader/gpus/, which its times are modelled for
    arguments: tuple[tuple[str, tuple[str, ...]], ...]
    examples: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Lab:
    """lab.toml, checked. `folder` is where it was read from, `name` that folder's name."""

    name: str
    title: str
    teaches: tuple[str, ...]
    kernels: tuple[str, ...]  # C names
    parameters: tuple[Parameter, ...]
    values: tuple[str, ...]  # kinds of values that cases may name
    work: Work
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
    kind: LabKind = LabKind.KERNELS
    arrays: tuple[ArrayShape, ...] = ()  # in the order of the first kernel's parameters
    covers: str = ""  # the array whose elements the blocks cover
    seed: str = ""  # public; with a student's name it selects the values of a lab of kind answers
    faults: tuple[FaultyKernel, ...] = ()
    draws: tuple[Draw, ...] = ()  # what sizes that no student knows depend on (course/draws.py)
    forgives: tuple[str, ...] = ()  # codes of findings that are neither shown nor held against anyone
    steered: bool = False  # of programs: results decide which calls come next
    deductions: tuple[Deduction, ...] = ()
    syllabus: Syllabus = Syllabus()
    pictures: str = ""  # condition on the case whose accesses are drawn on a student's page
    profiled: ProfiledProgram | None = None

    @property
    def kernel(self) -> str:
        """The kernel whose resources and occupancy are shown; empty for a lab without kernels."""
        return self.kernels[0] if self.kernels else ""

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def possible_points(self) -> float:
        """The most points that this copy can give. Points of cases that it does not hold are not counted."""
        cases = sum(case.points for case in self.cases)
        techniques = sum(technique.points for technique in self.techniques)
        faults = sum(fault.named + fault.repaired for fault in self.faults)
        return self.build_points + cases + techniques + faults + self.performance.points

    @property
    def practice_points(self) -> float:
        """The most points that `check` can tell: whether a fault is named right, only a grader tells."""
        return self.possible_points - sum(fault.named for fault in self.faults)

    def case(self, name: str) -> Case:
        """The case of that name; KeyError if there is none."""
        for case in self.cases:
            if case.name == name:
                return case
        raise KeyError(name)
