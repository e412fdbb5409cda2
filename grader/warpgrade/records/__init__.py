"""What stages hand to one another: immutable records (core/serialize.py takes them to JSON and back).

Sizes hold a number for each parameter of the lab, in the order of lab.toml. Points are points of 100,
times are milliseconds, memory is bytes, unless a field says otherwise. No record holds a time of day:
the same class graded twice gives the same bytes.
"""

from __future__ import annotations

from .build import Build, BuildStatus, Diagnostic, Resources
from .finding import Finding, JudgedFindings, Memory, Place, Standing
from .gpu_state import Conditions, GpuState
from .grades import Grades, Origin, Result, Setting, StageRecords, Stages, Student, Unread
from .host_call import FACTS_OF_FAILURES, FACTS_OF_TIME, PROGRAM_FACTS, GraphNode, HostCall, ProgramRun
from .influence import (
    ElementFootprint,
    ElementInfluences,
    Influences,
    InputInfluence,
    Operations,
    Partners,
    Touched,
    Weight,
)
from .lab import (
    ArrayShape,
    Case,
    Compilation,
    Deduction,
    Draw,
    FaultyKernel,
    Hint,
    Lab,
    LabKind,
    Limits,
    Parameter,
    Performance,
    ProfiledProgram,
    Size,
    Syllabus,
    Technique,
    Visibility,
    Work,
)
from .launch import CounterSite, Footprint, Launch, Mix
from .located import LocatedMistake
from .problem import Fault, Problem
from .review import Remark
from .run import CaseRun, LaunchShape, Run, Timing, Wrong
from .score import ADDED_PARTS, Part, Score
from .submission import SourceFile, Submission
from .verdict import (
    CaseVerdict,
    FaultVerdict,
    Judgement,
    LineShare,
    Occupancy,
    PerformanceVerdict,
    SizeTime,
    TechniqueVerdict,
    Verdict,
)

__all__ = [
    "ADDED_PARTS",
    "FACTS_OF_FAILURES",
    "FACTS_OF_TIME",
    "PROGRAM_FACTS",
    "ArrayShape",
    "Build",
    "BuildStatus",
    "Case",
    "CaseRun",
    "CaseVerdict",
    "Compilation",
    "Conditions",
    "CounterSite",
    "Deduction",
    "Diagnostic",
    "Draw",
    "ElementFootprint",
    "ElementInfluences",
    "Fault",
    "FaultVerdict",
    "FaultyKernel",
    "Finding",
    "Footprint",
    "GpuState",
    "Grades",
    "GraphNode",
    "Hint",
    "HostCall",
    "Influences",
    "InputInfluence",
    "JudgedFindings",
    "Judgement",
    "Lab",
    "LabKind",
    "Launch",
    "LaunchShape",
    "Limits",
    "LineShare",
    "LocatedMistake",
    "Memory",
    "Mix",
    "Occupancy",
    "Operations",
    "Origin",
    "Parameter",
    "Part",
    "Partners",
    "Performance",
    "PerformanceVerdict",
    "Place",
    "Problem",
    "ProfiledProgram",
    "ProgramRun",
    "Remark",
    "Resources",
    "Result",
    "Run",
    "Score",
    "Setting",
    "Size",
    "SizeTime",
    "SourceFile",
    "StageRecords",
    "Stages",
    "Standing",
    "Student",
    "Submission",
    "Syllabus",
    "Technique",
    "TechniqueVerdict",
    "Timing",
    "Touched",
    "Unread",
    "Verdict",
    "Visibility",
    "Weight",
    "Work",
    "Wrong",
]  # fmt: skip
