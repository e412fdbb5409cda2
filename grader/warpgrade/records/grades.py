"""A class: who got what, and how it was made."""

from __future__ import annotations

from dataclasses import dataclass

from .build import Build
from .lab import Lab
from .problem import Problem
from .run import Run
from .score import Score
from .submission import Submission
from .verdict import Judgement


@dataclass(frozen=True)
class Origin:
    """What a result was made from and with: enough to make it again."""

    lab: str  # hash of lab.toml
    submission: str  # hash of its files
    grader: str  # hash over the grader's own parts
    toolkit: str
    device: str
    seed: str  # first digits of a hash of the salt that all values come from
    tools: str  # hash over emulator, harness, reference solution and data


@dataclass(frozen=True)
class Result:
    """One student's one lab. A refused submission has a problem and a score of 0."""

    lab: str
    status: str  # "graded", "refused", "withheld"
    submission: Submission | None = None
    build: Build | None = None
    run: Run | None = None
    judgement: Judgement | None = None
    score: Score | None = None
    problem: Problem | None = None
    origin: Origin | None = None


@dataclass(frozen=True)
class Student:
    """One entry of the class folder. Where nothing in it fits, `problem` says why."""

    id: str
    name: str  # as the entry is called, made printable
    entry: str
    results: tuple[Result, ...] = ()
    problem: Problem | None = None
    notes: tuple[str, ...] = ()
    submitted: str = ""  # the source's own stamp, where it gives one
    late: bool = False  # the source says so


@dataclass(frozen=True)
class Setting:
    """Enough to repeat a grading."""

    device: str
    device_name: str
    sandbox: str  # "bwrap" or "none"
    toolkit: str
    grader: str  # hash over the grader's own parts
    salt: str  # first digits of a hash of it; the salt itself stays secret
    gpu_model: str  # grader/gpus/<this>.toml


@dataclass(frozen=True)
class Grades:
    """All that a report needs; sorted by student and lab."""

    setting: Setting
    labs: tuple[Lab, ...]
    students: tuple[Student, ...]
    notes: tuple[str, ...] = ()
