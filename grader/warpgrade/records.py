"""What the stages hand to one another: immutable records (conversion.py takes them to JSON and back).

Sizes are (m, n, k) for C (m×n) = A (m×k) · B (k×n). Points are points of 100, times are
milliseconds, memory is bytes, unless a field says otherwise. No record holds a time of day:
the same class graded twice gives the same bytes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

Size = tuple[int, int, int]


class Verdict(enum.StrEnum):
    """What became of one case."""

    PASS = "PASS"
    WRONG_ANSWER = "WRONG_ANSWER"
    RACE = "RACE"
    MEMORY = "MEMORY"
    BARRIER = "BARRIER"
    CRASH = "CRASH"
    TIMEOUT = "TIMEOUT"
    RESOURCES = "RESOURCES"
    SKIPPED = "SKIPPED"
    GRADER_ERROR = "GRADER_ERROR"


class BuildStatus(enum.StrEnum):
    BUILT = "BUILT"
    BUILD_FAILED = "BUILD_FAILED"
    GRADER_ERROR = "GRADER_ERROR"


class Visibility(enum.StrEnum):
    """How much of a case a student may see: all of it, its name and verdict, or nothing."""

    VISIBLE = "visible"
    NAME = "name"
    HIDDEN = "hidden"


class Fault(enum.StrEnum):
    """Who can put a problem right."""

    COMMAND = "command"
    SUBMISSION = "submission"
    INSTRUCTOR = "instructor"
    GRADER = "grader"


@dataclass(frozen=True)
class Problem:
    """One thing that went wrong: whose fault, where, and what to do next."""

    fault: Fault
    message: str
    where: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"\n  → {self.remedy}" if self.remedy else ""
        return f"{place}{self.message}{remedy}"


# --- a lab -------------------------------------------------------------------------------------


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

    def case(self, name: str) -> Case:
        """The case of that name; KeyError where there is none."""
        for case in self.cases:
            if case.name == name:
                return case
        raise KeyError(name)


# --- a submission ------------------------------------------------------------------------------


@dataclass(frozen=True)
class SourceFile:
    """One handed-in file as text: no byte-order mark, `\\n` line ends, same line numbers."""

    name: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Submission:
    student: str  # safe as a folder's name and as an HTML id
    lab: str
    entry: str  # what it came from, relative to the class folder: "alice.zip"
    files: tuple[SourceFile, ...]
    hash: str
    notes: tuple[str, ...] = ()

    def source(self, name: str) -> str | None:
        """Text of one handed-in file, None where there is none of that name."""
        return next((file.text for file in self.files if file.name == name), None)


# --- a build -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler on the student's own line."""

    severity: str  # "error", "warning", "note"
    text: str
    file: str = ""
    line: int | None = None
    source: str = ""  # that line as written


@dataclass(frozen=True)
class Resources:
    """What ptxas gives one thread or block of the kernel on the reporting architecture."""

    architecture: str  # "sm_90"
    registers: int  # a thread
    shared_bytes: int  # a block, static
    stack_bytes: int  # a thread
    spill_stores: int  # bytes
    spill_loads: int  # bytes
    barriers: int
    constant_bytes: int


@dataclass(frozen=True)
class Build:
    status: BuildStatus
    summary: str  # one sentence
    diagnostics: tuple[Diagnostic, ...] = ()
    resources: Resources | None = None
    parameters: tuple[str, ...] = ()  # PTX types of the kernel's parameters: "u64", …
    fatbin: str = ""  # file name beside the saved stage, empty where not built
    fatbin_hash: str = ""
    problem: Problem | None = None  # only for GRADER_ERROR


# --- a run -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LaunchShape:
    threads: tuple[int, int]  # x, y
    outputs: tuple[int, int]  # columns, rows of C that one block computes

    @property
    def threads_per_block(self) -> int:
        return self.threads[0] * self.threads[1]


@dataclass(frozen=True)
class Wrong:
    """The first wrong element of C and the pattern of all of them."""

    count: int
    total: int
    row: int
    column: int
    expected: float | str
    got: float | str  # a number, or "NaN", "inf", "-inf", "never written"
    block: tuple[int, ...] | None = None
    thread: tuple[int, ...] | None = None
    tile: tuple[int, ...] | None = None
    phase: int | None = None
    pattern: str = ""
    explanation: str = ""
    map: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaseRun:
    """What the harness wrote about a case, or what its process did instead."""

    name: str
    status: str  # the harness's, or "crash", "timeout", "grader_error", "not_run"
    message: str = ""
    cuda_error: str = ""
    wrong: Wrong | None = None
    sticky: bool = False


@dataclass(frozen=True)
class Place:
    """One side of a finding: a line of the kernel and who was there."""

    file: str = ""
    line: int = 0
    column: int = 0
    source: str = ""
    inlined_at: str = ""
    block: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()
    access: str = ""


@dataclass(frozen=True)
class Memory:
    space: str = ""
    address: str = ""
    bytes: int = 0
    allocation: str = ""
    allocation_bytes: int = 0
    distance: int = 0
    relation: str = ""


@dataclass(frozen=True)
class Standing:
    """Where a warp, or a part of one, stood when nothing could go on."""

    warp: int = 0
    lanes: str = ""
    file: str = ""
    line: int = 0
    source: str = ""
    state: str = ""


@dataclass(frozen=True)
class Finding:
    label: str  # the case's name, or "time/256x256x256/student"
    check: str  # memory, race, init, barrier, limit, trap
    kind: str
    code: str
    severity: str  # "error", "warning"
    message: str
    place: Place
    launch: int = 0
    kernel: str = ""
    other: Place | None = None
    memory: Memory | None = None
    standing: tuple[Standing, ...] = ()
    times: int = 1
    lanes: int = 1
    help: str = ""


@dataclass(frozen=True)
class CounterSite:
    """What one line's loads or stores cost."""

    file: str
    line: int
    kind: str
    executions: int = 0
    lanes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0


@dataclass(frozen=True)
class Mix:
    """What the warps of a launch executed of the kernel's machine code: see mix.py."""

    warps: float
    instructions: float
    collisions: float  # cycles that multiply-adds wait for a bank of registers
    by_kind: dict[str, float]  # instructions
    accesses: dict[str, float]  # by kind and bytes a lane: "shared load 16"
    alone: float  # cycles that one warp needs if it has the SM to itself
    turns: float  # of the loop with a barrier that ran most often, by one warp; 0: no such loop


@dataclass(frozen=True)
class Launch:
    label: str
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    counters: dict[str, int]
    sites: tuple[CounterSite, ...] = ()
    launch: int = 1
    dynamic_shared: int = 0  # bytes a block
    argument_bytes: int = 0  # of the allocations that its arguments point into
    from_cubin: tuple[str, ...] = ()  # counters that say what the machine code does; others are PTX's
    mix: Mix | None = None


@dataclass(frozen=True)
class CardState:
    """A GPU at one moment: MHz, degrees, watts."""

    clock: float
    memory_clock: float
    celsius: float
    watts: float
    reasons: int  # bits of nvidia-smi's clocks_event_reasons
    processes: tuple[int, ...]  # that computed on it
    driver: str


@dataclass(frozen=True)
class Conditions:
    """A GPU before and after something was timed on it; None where nvidia-smi did not answer."""

    card: str  # its UUID, or empty
    before: CardState | None
    after: CardState | None

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return "nvidia-smi did not tell the card's state"
        limited = self.before.reasons & 4 or self.after.reasons & 4
        return (
            f"{self.after.clock:,.0f} MHz after, {self.before.celsius:g} to {self.after.celsius:g} °C, "
            f"{'at its power limit' if limited else 'not throttled'}, no other process"
        )


@dataclass(frozen=True)
class Timing:
    """Measured on a device. On the emulator these say nothing: see PerformanceVerdict."""

    size: Size
    student_ms: tuple[float, ...]
    reference_ms: tuple[float, ...]
    ratio: float | None
    emulated: bool
    checked: str = ""  # "pass" or "wrong_answer", of one timed result chosen at random
    error: str = ""  # why there is no ratio


@dataclass(frozen=True)
class Run:
    """Cases, findings and counters are the emulator's; on a GPU `device_cases` stand beside them."""

    device: str  # "emulator" or "gpu": what the timings are from
    device_name: str = ""
    launch_shape: LaunchShape | None = None
    cases: tuple[CaseRun, ...] = ()
    device_cases: tuple[CaseRun, ...] = ()
    findings: tuple[Finding, ...] = ()
    launches: tuple[Launch, ...] = ()
    timings: tuple[Timing, ...] = ()
    reference: Resources | None = None  # what the reference solution takes
    printed: str = ""  # the start of what the kernel printed
    notes: tuple[str, ...] = ()
    problem: Problem | None = None  # a fault of ours; the score is withheld
    conditions: Conditions | None = None  # of the GPU when times were taken


# --- a verdict ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class CaseVerdict:
    name: str
    verdict: Verdict
    sentence: str
    codes: tuple[str, ...] = ()  # of the findings that speak about this case


@dataclass(frozen=True)
class TechniqueVerdict:
    name: str
    met: bool | None  # None: not judged, as the case did not pass
    sentence: str
    measured: float | None = None
    limit: float | None = None


@dataclass(frozen=True)
class SizeTime:
    """One performance size. Times are modelled (see model.py) or medians of measured ones."""

    size: Size
    student_ms: float
    reference_ms: float
    ratio: float
    student_bound: str = ""  # what the model takes for the limit: "shared memory"
    reference_bound: str = ""


@dataclass(frozen=True)
class PerformanceVerdict:
    judged: bool
    sentence: str
    ratio: float | None = None  # geometric mean of t_reference / t_student
    modelled: bool = True
    gpu: str = ""
    sizes: tuple[SizeTime, ...] = ()


@dataclass(frozen=True)
class Occupancy:
    """Theoretical: warps that fit on one SM, and what keeps more from fitting."""

    compute_capability: str
    blocks: int
    warps: int
    most_warps: int
    limiter: str

    @property
    def fraction(self) -> float:
        return self.warps / self.most_warps


@dataclass(frozen=True)
class Judgement:
    build: BuildStatus
    cases: tuple[CaseVerdict, ...] = ()
    techniques: tuple[TechniqueVerdict, ...] = ()
    performance: PerformanceVerdict | None = None
    occupancy: Occupancy | None = None
    reference_occupancy: Occupancy | None = None


# --- a score -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    kind: str  # "build", "case", "technique", "performance"; "adjustment" (possible 0) for course policy
    name: str
    earned: float
    possible: float
    sentence: str = ""


@dataclass(frozen=True)
class Score:
    """`total` is None where it is withheld because of a fault of ours."""

    total: float | None
    possible: float
    parts: tuple[Part, ...]


# --- a class -----------------------------------------------------------------------------------


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
