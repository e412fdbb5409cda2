"""A small invented class for the reports' tests: right, racy, not compiling, withheld, refused."""

from dataclasses import replace
from typing import Any

from warpgrade.judge.score import with_part
from warpgrade.records import (
    ArrayShape,
    Build,
    BuildStatus,
    Case,
    CaseRun,
    CaseVerdict,
    CounterSite,
    Diagnostic,
    Fault,
    Finding,
    Grades,
    Hint,
    Judgement,
    Lab,
    Launch,
    LaunchShape,
    Limits,
    Memory,
    Occupancy,
    Parameter,
    Part,
    Performance,
    PerformanceVerdict,
    Place,
    Problem,
    Resources,
    Result,
    Run,
    Score,
    Setting,
    SizeTime,
    SourceFile,
    StageRecords,
    Standing,
    Student,
    Submission,
    Technique,
    TechniqueVerdict,
    Verdict,
    Visibility,
    Work,
    Wrong,
)

SECRET = "97x113x53-zero-mean"
NAMED = "33x31x32-integers"
NASTY = "</script><script>alert('x')</script><b onclick=x>&amp;"

KERNEL = f"""\
#include "launch_shape.cuh"
// {NASTY}
constexpr int TILE_WIDTH = 16;
LAUNCH_SHAPE(TILE_WIDTH, TILE_WIDTH, TILE_WIDTH, TILE_WIDTH)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {{
  __shared__ float As[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];
  const int row = blockIdx.y * TILE_WIDTH + threadIdx.y, column = blockIdx.x * TILE_WIDTH + threadIdx.x;
  float sum = 0.0f;
  for (int phase = 0; phase < k / TILE_WIDTH; ++phase) {{
    As[threadIdx.y][threadIdx.x] = A[row * k + phase * TILE_WIDTH + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(phase * TILE_WIDTH + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE_WIDTH; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
  }}
  C[row * n + column] = sum;
}}
"""


def case(name: str, size: tuple[int, int, int], visibility: Visibility, points: float = 10) -> Case:
    values = name.split("-", 1)[1]
    return Case(name, ("m", "n", "k"), size, values=values, points=points, visibility=visibility)


def lab(name: str = "02-tiled", title: str = "Tiled matrix multiplication") -> Lab:
    return Lab(
        name=name,
        title=title,
        teaches=("Tiles in shared memory",),
        kernels=("matmul_tiled",),
        parameters=tuple(Parameter(name, 1, 65536) for name in ("m", "n", "k")),
        values=("integers", "zero-mean"),
        work=Work("2*m*n*k", "4*(m*k + k*n + m*n)", "flops"),
        files=("kernel.cu",),
        sizes="multiples of the tile",
        build_points=10,
        cases=(
            case("16x16x16-integers", (16, 16, 16), Visibility.VISIBLE),
            case("48x40x32-integers", (48, 40, 32), Visibility.VISIBLE),
            case("64x64x64-zero-mean", (64, 64, 64), Visibility.VISIBLE),
            case(NAMED, (33, 31, 32), Visibility.NAME),
            case(SECRET, (97, 113, 53), Visibility.HIDDEN, points=20),
        ),
        techniques=(Technique("reuse", "elements_x >= 8", SECRET, 10, "wide", "narrow", goal="wide tiles"),),
        performance=Performance(20, ((256, 256, 256),), ((1024, 1024, 1024),), 0.9, 0.2),
        limits=Limits(20, 1_000_000, 49152),
        hints=(Hint(1, "hint"),),
        folder="labs/02-tiled",
        hash="0",
        arrays=(
            ArrayShape("A", ("m", "k")),
            ArrayShape("B", ("k", "n")),
            ArrayShape("C", ("m", "n")),
        ),
        covers="C",
        pictures="m >= elements_y and n >= elements_x and k >= 32",
    )


def submission(student: str, text: str = KERNEL) -> Submission:
    return Submission(student, "02-tiled", f"{student}.zip", (SourceFile("kernel.cu", text),), "abc")


RESOURCES = Resources("sm_90", 37, 2048, 0, 0, 0, 1, 380)


def built() -> Build:
    return Build(BuildStatus.BUILT, "compiles", resources=RESOURCES)


def score(of: Lab, passes: set[str], technique: float, performance: float) -> Score:
    parts = [Part("build", "build", 10, 10, "compiles")]
    parts += [
        Part("case", c.name, c.points if c.name in passes else 0, c.points, f"about {c.name}")
        for c in of.cases
    ]
    parts.append(Part("technique", "reuse", technique, 10, f"measured on {SECRET}: 8.0 loads, 8.0 allowed"))
    parts.append(Part("performance", "speed", performance, 20, "0.71 times as fast as the reference"))
    return Score(sum(part.earned for part in parts), 100, tuple(parts))


def launches() -> tuple[Launch, ...]:
    load, wavefronts = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "smsp__inst_executed.sum"
    sites = (
        CounterSite("kernel.cu", 13, "global load", 4096, 131072, 32768, 16384),
        CounterSite("kernel.cu", 15, "shared load", 65536, 2097152, 0, 0, 131072, 65536),
    )
    return (
        Launch(
            "time/256x256x256/student",
            "matmul_tiled",
            (16, 16),
            (16, 16),
            {load: 32768, wavefronts: 9},
            sites,
        ),
        Launch("time/256x256x256/reference", "matmul_tiled", (16, 16), (16, 16), {load: 8192, wavefronts: 9}),
    )


def judgement(verdicts: dict[str, Verdict]) -> Judgement:
    times = (SizeTime((256, 256, 256), 0.0321, 0.0228, 0.71, "shared memory", "global memory"),)
    return Judgement(
        BuildStatus.BUILT,
        tuple(CaseVerdict(name, verdict, f"sentence about {name}") for name, verdict in verdicts.items()),
        (TechniqueVerdict("reuse", True, "ok"),),
        PerformanceVerdict(True, "0.71", 0.71, True, "NVIDIA H200", times),
        Occupancy("9.0", 8, 64, 64, "warps"),
        Occupancy("9.0", 8, 64, 64, "registers"),
    )


def race(label: str) -> Finding:
    return Finding(
        label=label,
        check="race",
        kind="race-read-write",
        code="WG201",
        severity="error",
        message="a thread reads As[0][3] while another writes it, with no barrier between",
        place=Place("/box/kernel.cu", 12, 5, "", "", (0, 0, 0), (3, 0, 0), "write"),
        other=Place("/box/kernel.cu", 15, 47, "", "", (0, 0, 0), (9, 0, 0), "read"),
        times=480,
        lanes=16,
        help="Wait for the whole block once more before the next phase overwrites the tile.",
    )


def out_of_bounds(label: str) -> Finding:
    return Finding(
        label=label,
        check="memory",
        kind="out-of-bounds-read",
        code="WG101",
        severity="error",
        message="the read of 4 bytes begins 64 bytes after the end of A",
        place=Place("/box/kernel.cu", 12, 36, "", "", (0, 2, 0), (0, 1, 0), "read"),
        memory=Memory("global", "0x7f0000001840", 4, "A", 6144, 64, "after"),
        standing=(Standing(0, "0xffffffff", "kernel.cu", 14, "__syncthreads();", "waits at barrier 0"),),
        help="Guard the load: row must be below m.",
    )


def racy_student() -> Student:
    of = lab()
    names = [c.name for c in of.cases]
    verdicts = dict.fromkeys(names, Verdict.RACE) | {
        "48x40x32-integers": Verdict.WRONG_ANSWER,
        NAMED: Verdict.MEMORY,
        SECRET: Verdict.WRONG_ANSWER,
    }
    shape = tuple("." * 16 + "#" * 16 if y < 16 else "." * 28 + "??##" for y in range(32))
    wrong = Wrong(
        310, 1920, "C", (48, 40), (0, 20), 41.0, "NaN", (1, 0), (4, 0), (0, 16), (15, 31), 1,
        "last-tile-column",
        "The last, partial tile column is wrong: is the guard on the right dimension?", shape,
    )  # fmt: skip
    run = Run(
        device="emulator",
        launch_shape=LaunchShape((16, 16), (16, 16)),
        cases=tuple(
            CaseRun(name, "wrong_answer", f"about {name}", wrong=wrong if name != of.cases[0].name else None)
            for name in names
        ),
        findings=(*(race(name) for name in names), *(out_of_bounds(name) for name in names)),
        launches=launches(),
        reference=RESOURCES,
    )
    result = Result(
        "02-tiled",
        "graded",
        StageRecords(submission("bob"), built(), run),
        judgement(verdicts),
        score(of, set(), 10, 7.25),
    )
    return Student("bob", f"Bob {NASTY}", "bob.zip", (result,))


def right_student() -> Student:
    of = lab()
    names = [c.name for c in of.cases]
    run = Run(
        device="emulator",
        launch_shape=LaunchShape((16, 16), (16, 16)),
        launches=launches(),
        reference=RESOURCES,
    )
    verdicts = dict.fromkeys(names, Verdict.PASS)
    result = Result(
        "02-tiled",
        "graded",
        StageRecords(submission("ada"), built(), run),
        judgement(verdicts),
        score(of, set(names), 10, 20),
    )
    return Student("ada", "Ada Álvarez", "ada", (result,))


def hidden_failure_student() -> Student:
    of = lab()
    names = [c.name for c in of.cases]
    verdicts = dict.fromkeys(names, Verdict.PASS) | {SECRET: Verdict.WRONG_ANSWER}
    result = Result(
        "02-tiled",
        "graded",
        StageRecords(submission("eve"), built(), Run(device="emulator")),
        judgement(verdicts),
        score(of, set(names) - {SECRET}, 10, 20),
    )
    return Student("eve", "Eve Okafor", "eve", (result,))


def failed_build_student() -> Student:
    text, line = 'identifier "rov" is undefined', "As[ty][tx] = A[rov];"
    diagnostic = Diagnostic("error", text, "kernel.cu", 12, line, ("rov",))
    build = Build(BuildStatus.BUILD_FAILED, "1 error in kernel.cu", (diagnostic,))
    none = Score(0, 100, (Part("build", "build", 0, 10, "does not compile"),))
    result = Result(
        "02-tiled", "graded", StageRecords(submission("carol"), build), Judgement(build.status), none
    )
    return Student("carol", "Carol Nakamura", "carol", (result,))


def withheld_student() -> Student:
    problem = Problem(
        Fault.GRADER, "the emulator stopped without a word", remedy="Staff: grade this lab again"
    )
    result = Result("02-tiled", "withheld", StageRecords(submission("dan"), built()), problem=problem)
    return Student("dan", "Dan Whitcombe", "dan", (result,))


def refused_student() -> Student:
    problem = Problem(Fault.SUBMISSION, "the archive has a path that leaves it", "frank.zip", "pack it again")
    return Student("frank", "Frank", "frank.zip", problem=problem)


def grades() -> Grades:
    students = (
        right_student(),
        racy_student(),
        failed_build_student(),
        withheld_student(),
        hidden_failure_student(),
        refused_student(),
    )
    setting = Setting("emulator", "Warpgrade emulator", "bwrap", "CUDA 13.0", "1234abcd", "9f", "h200")
    return Grades(setting, (lab(), lab("03-tiled-bounded", "Tiled, any size")), students)


def with_parts(student: Student, *parts: Part) -> Student:
    """The student with more parts in the score of the first lab."""
    first, *others = student.results
    score = first.score
    for part in parts:
        score = score and with_part(score, part.kind, part.name, part.earned, part.sentence)
    return replace(student, results=(replace(first, score=score), *others))


def with_records(result: Result, **changes: Any) -> Result:
    """The result with another submission, build or run."""
    records = StageRecords(result.submission, result.build, result.run)
    return replace(result, stages=replace(records, **changes))
