"""A class: who got what, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .build import Build, BuildStatus
from .lab import Lab
from .problem import Problem
from .review import Remark
from .run import Run
from .score import Score
from .submission import Submission
from .verdict import Judgement

_IF_SET = {"saved": "if set"}


@dataclass(frozen=True)
class Origin:
    """Everything that a result was made from: enough to make it again."""

    lab: str  # hash of lab.toml
    submission: str  # hash of its files
    grader: str  # hash over the grader's own parts
    toolkit: str  # version of the CUDA compiler
    device: str  # that judged times
    seed: str  # first digits of a hash of the salt that all values come from
    tools: str  # hash over emulator, harness, reference solution and data


class Stages(Protocol):
    """The records that the stages made of one submission. An implementation may load each when it is read."""

    @property
    def submission(self) -> Submission | None: ...

    @property
    def build(self) -> Build | None: ...

    @property
    def run(self) -> Run | None: ...


@dataclass(frozen=True)
class StageRecords:
    """The records of the stages for one submission. In results.json these are fields of a Result."""

    submission: Submission | None = None  # None if it was refused
    build: Build | None = None  # None if the submission was refused
    run: Run | None = None  # None if nothing was built


@dataclass(frozen=True)
class Result:
    """One student's one lab. A refused submission has a problem and a score of 0.

    The fields are small and decide everything about the result, so a class of them fits in memory and
    equality compares them alone. `stages` holds what is large: submission, build and run.
    """

    lab: str  # name of the lab
    status: str  # "graded", "refused", "withheld"
    stages: Stages = field(default=StageRecords(), compare=False, metadata={"saved": False})
    judgement: Judgement | None = None  # None if the submission was refused
    score: Score | None = None  # total is None if the score is withheld
    problem: Problem | None = None  # why the submission was refused or the score withheld
    origin: Origin | None = None  # None if the submission was refused
    attempt: int = 1  # its number among the student's attempts at this lab
    submitted: str = ""  # the source's own stamp, where it gives one
    by_sheet: bool | None = field(default=None, metadata=_IF_SET)  # the stamp is from a sheet of times
    restated: tuple[str, ...] | None = field(default=None, metadata=_IF_SET)  # times of earlier sheets
    late: bool = False  # the source says so
    choice: str | None = field(default=None, metadata=_IF_SET)  # which of several files was graded
    folder: str = ""  # of its saved stages, below the output folder; empty if it was refused
    work: str = ""  # hash of its files without requests; empty if it was refused
    request: str = ""  # what the student asks the course staff, in a comment of the hand-in
    answer: str = ""  # of the course staff to the request
    remarks: tuple[Remark, ...] = ()  # of the course staff

    @property
    def submission(self) -> Submission | None:
        return self.stages.submission

    @property
    def build(self) -> Build | None:
        return self.stages.build

    @property
    def run(self) -> Run | None:
        return self.stages.run

    @property
    def build_failed(self) -> bool:
        """Whether the compiler refused the submission. Needs no stage."""
        return self.judgement is not None and self.judgement.build is BuildStatus.BUILD_FAILED


@dataclass(frozen=True)
class Unread:
    """A hand-in in which nothing could be read."""

    lab: str  # that it was graded for; empty: several
    entry: str  # relative to the class folder
    problem: Problem  # why

    def __str__(self) -> str:
        about = f"{self.lab}: " if self.lab else ""
        return f"{about}{self.entry} was not read: {self.problem.message}"


@dataclass(frozen=True)
class Student:
    """One entry of the class folder. If it contains no usable submission, `problem` says why."""

    id: str  # safe as a folder's name and as an HTML id
    name: str  # as the entry is called, made printable
    entry: str  # relative to the class folder
    results: tuple[Result, ...] = ()  # one for each lab handed in: the attempt that counts
    problem: Problem | None = None  # where nothing in the entry fits
    notes: tuple[str, ...] = ()  # of admitting the entry
    earlier: tuple[Result, ...] = ()  # every other attempt, by lab and number
    section: str = ""  # of the class, from the roster
    group: str = ""  # that hands in together, from the roster
    grader: str = ""  # who of the course staff looks at it, from the roster
    unread: tuple[Unread, ...] | None = field(default=None, metadata=_IF_SET)  # with nothing readable since

    @property
    def attempts(self) -> tuple[Result, ...]:
        """All attempts, ordered by lab and number."""
        found = (*self.results, *self.earlier)
        return tuple(sorted(found, key=lambda result: (result.lab, result.attempt)))


@dataclass(frozen=True)
class Setting:
    """Enough to repeat a grading."""

    device: str  # "gpu" or "emulator": what times are from
    device_name: str  # as the driver calls it, or the modelled GPU
    sandbox: str  # "bwrap", "landlock", "seccomp" or "none", see SECURITY.md
    toolkit: str  # version of the CUDA compiler
    grader: str  # hash over the grader's own parts
    salt: str  # first digits of a hash of it; the salt itself stays secret
    gpu_model: str  # grader/gpus/<this>.toml


@dataclass(frozen=True)
class Grades:
    """All that a report needs; sorted by student and lab."""

    setting: Setting
    labs: tuple[Lab, ...]
    students: Sequence[Student]  # those of a large class are read when they are gone through
    notes: tuple[str, ...] = ()
