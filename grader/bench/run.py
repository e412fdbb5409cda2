"""The emulator's speed as ratios measured in one run: against PoCL, against Oclgrind, and of its own checks.

Writes build/bench/report.md and build/bench/report.json. Needs Debian's pocl-opencl-icd, oclgrind and
ocl-icd-opencl-dev for the rows that compare; without them it says so and measures the rest.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build/bench"
KERNEL = ROOT / "grader/bench/tiled.cl"


@dataclass(frozen=True)
class Row:
    """One measurement: what ran, on which size, and the median seconds of its launches."""

    what: str
    size: int
    seconds: float


def times(command: list[str], environment: dict[str, str]) -> float:
    """Median of the seconds that the program prints, one launch a line."""
    ran = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, cwd=ROOT)
    if ran.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed:\n{ran.stderr[-2000:]}")
    return statistics.median(float(line) for line in ran.stdout.split())


def emulator(size: int, repeats: int, check: str, counters: bool = False, threads: int = 0) -> float:
    """Seconds of one launch on the emulator with these checks."""
    environment = {"LD_LIBRARY_PATH": str(ROOT / "build/emulator"), "WARPGRADE_CHECK": check}
    if counters:
        environment["WARPGRADE_COUNTERS"] = str(OUT / "counters.jsonl")
    if threads:
        environment["WARPGRADE_THREADS"] = str(threads)
    return times([str(OUT / "tiled"), str(size), str(repeats)], environment)


def own_rows() -> list[Row]:
    """Every check alone, all together, growing sizes, one worker and all."""
    rows = [
        Row(f"emulator, checks: {check}", 256, emulator(256, 7, check))
        for check in ("none", "memory", "race", "init", "barrier", "all")
    ]
    rows.append(Row("emulator, counters only", 256, emulator(256, 7, "none", counters=True)))
    rows += [
        Row("emulator, checks: none", size, emulator(size, 5 if size < 1024 else 2, "none"))
        for size in (128, 512, 1024)
    ]
    rows.append(Row("emulator, checks: none, one worker", 512, emulator(512, 5, "none", threads=1)))
    rows.append(Row("emulator, checks: all", 128, emulator(128, 7, "all")))
    return rows


def compared_rows() -> list[Row]:
    """The same kernel in OpenCL on PoCL and under Oclgrind."""
    program = str(OUT / "opencl")
    if not Path(program).exists():
        return []
    rows = [Row("PoCL", 512, times([program, str(KERNEL), "512", "7"], {}))]
    if shutil.which("oclgrind"):
        rows.append(
            Row(
                "Oclgrind --data-races",
                128,
                times(["oclgrind", "--data-races", program, str(KERNEL), "128", "1"], {}),
            )
        )
    return rows


def ratios(rows: list[Row]) -> list[tuple[str, float]]:
    """What the rows say of one another; greater is better for the first two, smaller for the others."""
    at = {(row.what, row.size): row.seconds for row in rows}
    none = at["emulator, checks: none", 256]
    found = []
    if ("PoCL", 512) in at:
        found.append(
            ("times as fast as PoCL, 512³, no checks", at["PoCL", 512] / at["emulator, checks: none", 512])
        )
    if ("Oclgrind --data-races", 128) in at:
        found.append(
            (
                "times as fast as Oclgrind --data-races, 128³, all checks",
                at["Oclgrind --data-races", 128] / at["emulator, checks: all", 128],
            )
        )
    found += [
        (f"cost of {what.removeprefix('emulator, ')}, 256³", at[what, 256] / none)
        for what, size in at
        if size == 256 and what != "emulator, checks: none"
    ]
    found.append(
        (
            "cost of 1024³ against 8 times 512³",
            at["emulator, checks: none", 1024] / (8 * at["emulator, checks: none", 512]),
        )
    )
    found.append(
        (
            "one worker against all, 512³",
            at["emulator, checks: none, one worker", 512] / at["emulator, checks: none", 512],
        )
    )
    return found


def main() -> None:
    """Measure, print, write."""
    rows = compared_rows() + own_rows()
    lines = ["| what | size | ms a launch |", "|---|---|---|"]
    lines += [f"| {row.what} | {row.size}³ | {row.seconds * 1e3:.2f} |" for row in rows]
    lines += ["", "| ratio | |", "|---|---|"] + [f"| {name} | {value:.2f} |" for name, value in ratios(rows)]
    if not any(row.what == "PoCL" for row in rows):
        lines += [
            "",
            "Nothing to compare with: apt-get install pocl-opencl-icd oclgrind ocl-icd-opencl-dev",
        ]
    (OUT / "report.md").write_text("\n".join(lines) + "\n")
    (OUT / "report.json").write_text(
        json.dumps({"rows": [asdict(r) for r in rows], "ratios": dict(ratios(rows))}, indent=1)
    )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
