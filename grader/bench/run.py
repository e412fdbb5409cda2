"""The emulator's speed as ratios in one run: against PoCL, against Oclgrind, and of its own checks.

Writes build/bench/report.md and build/bench/report.json. What is compared runs in turns, so that a busy
machine slows all of it alike; a ratio is the median over the turns. Needs Debian's pocl-opencl-icd, oclgrind
and ocl-icd-opencl-dev for the rows that compare; without them it says so and measures the rest.

    python grader/bench/run.py [LIBRARIES]

LIBRARIES is build/emulator of another checkout: each kernel runs in turns on both emulators, which compares
a change with what was before it.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build/bench"
CUDA, OPENCL, SOURCE = OUT / "kernels", OUT / "opencl", ROOT / "grader/bench/kernels.cl"
LIBRARIES = str(ROOT / "build/emulator")
TURNS = 5
# Each kernel at a size that takes some ten milliseconds.
KERNELS = {
    "tiled": 512,
    "basic": 512,
    "register_tiled": 512,
    "vectors": 2048,
    "stencil": 2048,
    "reduction": 2048,
    "divergent": 1024,
    "atomics": 1024,
}
# Each observer alone, then all checks together: the most that it may multiply the time by.
OBSERVERS = {"counters": 1.5, "memory": 3.0, "race": 3.0, "init": 3.0, "barrier": 3.0, "all": 6.0}


@dataclass(frozen=True)
class Run:
    """One program and how it is to run."""

    what: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Ratio:
    """A measured value and the bound that it should keep; `aim` 0: reported without a bound."""

    name: str
    value: float
    aim: float = 0.0
    at_most: bool = True

    @property
    def verdict(self) -> str:
        """met, not met, or nothing where there is no bound."""
        if not self.aim:
            return ""
        met = self.value <= self.aim if self.at_most else self.value >= self.aim
        return "met" if met else "not met"

    @property
    def bound(self) -> str:
        """The bound in words."""
        return f"{'at most' if self.at_most else 'at least'} {self.aim:g}" if self.aim else ""


def emulator(
    kernel: str,
    size: int,
    check: str = "none",
    threads: int = 0,
    repeats: int = 3,
    libraries: str = LIBRARIES,
) -> Run:
    """The kernel on the emulator in the folder `libraries`; `check` may be "counters"."""
    environment = {"LD_LIBRARY_PATH": libraries, "WARPGRADE_CHECK": check}
    if check == "counters":
        environment |= {"WARPGRADE_CHECK": "none", "WARPGRADE_COUNTERS": str(OUT / "counters.jsonl")}
    if threads:
        environment["WARPGRADE_THREADS"] = str(threads)
    command = (str(CUDA), kernel, str(size), str(repeats))
    return Run(f"emulator, {check}", command, tuple(sorted(environment.items())))


def pocl(kernel: str, size: int) -> Run:
    """The kernel in OpenCL."""
    return Run("PoCL", (str(OPENCL), str(SOURCE), kernel, str(size), "3"))


def oclgrind(kernel: str, size: int) -> Run:
    """The kernel in OpenCL under Oclgrind's race check."""
    command = ("oclgrind", "--data-races", str(OPENCL), str(SOURCE), kernel, str(size), "1")
    return Run("Oclgrind --data-races", command)


def output(run: Run) -> list[str]:
    """What the program prints; ends the bench where it fails."""
    ran = subprocess.run(
        run.command, env=os.environ | dict(run.environment), capture_output=True, text=True, cwd=ROOT
    )
    if ran.returncode != 0:
        sys.exit(f"bench: {' '.join(run.command)} failed:\n{ran.stderr[-2000:]}")
    return ran.stdout.splitlines()


def seconds(run: Run) -> tuple[float, str]:
    """The time of the fastest launch, and the sum of the result's elements."""
    *times, total = output(run)
    return min(map(float, times)), total


def in_turns(runs: list[Run]) -> list[list[float]]:
    """Seconds of each run in each turn. The runs compute the same: different sums end the bench."""
    found: list[list[float]] = [[] for _ in runs]
    for _ in range(TURNS):
        totals = set()
        for run, its in zip(runs, found, strict=True):
            took, total = seconds(run)
            its.append(took)
            totals.add(total)
        if len(totals) != 1:
            sys.exit(f"bench: {runs[0].command} and its like compute different sums: {sorted(totals)}")
    return found


def ratio(above: list[float], below: list[float]) -> float:
    """Median over the turns."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def kernels(compared: bool) -> Iterator[tuple[dict[str, object], list[Ratio]]]:
    """Each kernel against PoCL's, and what each observer costs it."""
    for kernel, size in KERNELS.items():
        watched = [emulator(kernel, size, each) for each in OBSERVERS]
        theirs, ours, *observed = [
            *([] if compared else [[0.0] * TURNS]),
            *in_turns([*([pocl(kernel, size)] if compared else []), emulator(kernel, size), *watched]),
        ]
        row: dict[str, object] = {"kernel": kernel, "size": size}
        row |= {"pocl": min(theirs), "emulator": min(ours)}
        row |= {name: ratio(its, ours) for name, its in zip(OBSERVERS, observed, strict=True)}
        aim = 1.0 if kernel == "tiled" else 0.0
        speed = Ratio(f"times as fast as PoCL: {kernel}", ratio(theirs, ours), aim, at_most=False)
        yield row, [speed] if compared else []


def costs(rows: list[dict[str, object]]) -> Iterator[Ratio]:
    """The cost of each observer for the tiled product, and for the kernel that it slows most."""

    def cost(row: dict[str, object]) -> float:
        return float(str(row[name]))

    for name, aim in OBSERVERS.items():
        tiled = next(row for row in rows if row["kernel"] == "tiled")
        worst = max(rows, key=cost)
        for row in [tiled] if worst is tiled else [tiled, worst]:
            yield Ratio(f"cost of {name}: {row['kernel']}", cost(row), aim)


def against_oclgrind(size: int = 128) -> Iterator[Ratio]:
    """All checks; Oclgrind is measured once, it takes a minute."""
    theirs, _ = seconds(oclgrind("tiled", size))
    ours = min(in_turns([emulator("tiled", size, "all")])[0])
    yield Ratio(
        f"times as fast as Oclgrind --data-races, all checks: tiled, {size}³",
        theirs / ours,
        400,
        at_most=False,
    )


def against_libraries(libraries: str) -> Iterator[Ratio]:
    """Seconds on this emulator for each second on the one in `libraries`, with and without checks."""
    for kernel, size in KERNELS.items():
        for check in ("none", "all"):
            ours, theirs = in_turns(
                [emulator(kernel, size, check), emulator(kernel, size, check, libraries=libraries)]
            )
            yield Ratio(f"seconds against {libraries}: {kernel}, {check}", ratio(ours, theirs), 1.05)


def scaling() -> Iterator[Ratio]:
    """How time grows with the problem, and falls with the number of workers."""
    small = in_turns([emulator("tiled", 128)])[0]
    middle, large = (min(seconds(emulator("tiled", size))[0] for _ in range(2)) for size in (512, 1024))
    yield Ratio("seconds an operation, 512³ against 128³", middle / (64 * min(small)), 1.5)
    yield Ratio("seconds an operation, 1024³ against 512³", large / (8 * middle), 1.5)
    one, all_of_them = in_turns([emulator("tiled", 512, threads=1), emulator("tiled", 512)])
    cores = os.cpu_count() or 1
    yield Ratio(f"one worker against {cores}", ratio(one, all_of_them), 0.75 * cores, at_most=False)


def start_up() -> Ratio:
    """A whole process with one small launch."""
    took = []
    run = emulator("tiled", 16, repeats=0)
    for _ in range(10):
        began = time.perf_counter()
        output(run)
        took.append(time.perf_counter() - began)
    return Ratio("a whole process with one launch of one block, ms", 1e3 * min(took), 30)


def peak_bytes(run: Run) -> int:
    """The peak resident memory of a process."""
    process = subprocess.Popen(
        run.command, env=os.environ | dict(run.environment), stdout=subprocess.DEVNULL, cwd=ROOT
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_maxrss * 1024


def shadow() -> Iterator[Ratio]:
    """Memory of all checks for each byte that the program allocates: three matrices."""
    size = 2048
    for kernel in KERNELS:
        watched, plain = (peak_bytes(emulator(kernel, size, check, repeats=0)) for check in ("all", "none"))
        each = (watched - plain) / (3 * 4 * size * size)
        yield Ratio(f"bytes of shadow for each byte allocated: {kernel}", each, 3)


def report(rows: list[dict[str, object]], ratios: list[Ratio]) -> list[str]:
    """Markdown."""
    heads = ["kernel", "size", "PoCL ms", "emulator ms", *(f"× {name}" for name in OBSERVERS)]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for row in rows:
        times = [f"{1e3 * float(str(row[key])):.2f}" for key in ("pocl", "emulator")]
        dear = [f"{float(str(row[name])):.2f}" for name in OBSERVERS]
        lines.append("| " + " | ".join([str(row["kernel"]), str(row["size"]), *times, *dear]) + " |")
    lines.append("")
    lines += ["| measured | | aim | |", "|---|--:|---|---|"]
    lines += [f"| {each.name} | {each.value:.2f} | {each.bound} | {each.verdict} |" for each in ratios]
    return lines


def main() -> None:
    """Measure, print, write."""
    rows, ratios = [], []
    compared = OPENCL.exists()
    for row, found in kernels(compared):
        rows.append(row)
        ratios += found
    ratios += costs(rows)
    if sys.argv[1:]:
        ratios += against_libraries(sys.argv[1])
    if compared and shutil.which("oclgrind"):
        ratios += against_oclgrind()
    ratios += [*scaling(), start_up(), *shadow()]
    lines = report(rows, ratios)
    if not compared or not shutil.which("oclgrind"):
        lines += ["", "To compare: apt-get install pocl-opencl-icd oclgrind ocl-icd-opencl-dev"]
    (OUT / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    saved = {"kernels": rows, "ratios": [asdict(each) | {"verdict": each.verdict} for each in ratios]}
    (OUT / "report.json").write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
