"""Everything that needs a GPU, in one go; results in one folder.

    python grader/tests/hardware/session.py OUT [options of `warpgrade grade`, e.g. --sandbox none]

Grades solutions, skeletons, mutants and the sample class on the emulator and on the GPU, compares the two
verdicts of each case, and measures the reference timings. Prints a summary last; exit code 1 where the GPU
gave a point that the emulator did not, or the reverse for a kernel that the emulator found right.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CLASS = ROOT / "grader/tests/submissions/class"


@dataclass(frozen=True)
class Compared:
    """One case of one kernel on both devices, in the harness's words."""

    student: str
    lab: str
    case: str
    emulated: str
    findings: bool
    measured: str

    @property
    def agrees(self) -> bool:
        """A fault that the emulator found may stay unseen on a GPU; a right kernel must be right there."""
        return self.emulated != "pass" or self.findings or self.measured == "pass"

    @property
    def unseen(self) -> bool:
        """The emulator's finding did not show in the GPU's result."""
        return (self.emulated != "pass" or self.findings) and self.measured == "pass"


def course_class(folder: Path) -> Path:
    """A class whose students are the solutions, the skeletons and the mutants."""
    shutil.rmtree(folder, ignore_errors=True)
    for solution in sorted(ROOT.glob("solutions/*/kernel.cu")):
        lab = solution.parent.name
        text = solution.read_text(encoding="utf-8")
        kernels = {
            "solution": text,
            "skeleton": (ROOT / "labs" / lab / "kernel.cu").read_text(encoding="utf-8"),
        }
        for row in tomllib.loads((solution.parent / "mutants.toml").read_text(encoding="utf-8"))["mutant"]:
            kernels[f"mutant-{row['name']}"] = text.replace(row["find"], row["replace"])
        for name, kernel in kernels.items():
            path = folder / f"{name}" / lab / "kernel.cu"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(kernel, encoding="utf-8")
    return folder


def grade(folder: Path, out: Path, log: Path) -> float:
    """Grade a class on the GPU; its seconds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "warpgrade", "grade", str(folder), "--device", "gpu", "--out", str(out)]
    command += sys.argv[2:]
    with log.open("w", encoding="utf-8") as words:
        ran = subprocess.run(command, cwd=ROOT, stdout=words, stderr=subprocess.STDOUT)
    if ran.returncode not in (0, 4) or not (out / "results.json").is_file():
        sys.exit(f"session: grading {folder} ended with {ran.returncode}:\n{log.read_text()[-3000:]}")
    return time.monotonic() - began


def compared(out: Path) -> Iterator[Compared]:
    """The cases that ran on both devices, from the saved stages."""
    for file in sorted(out.glob("*/*/run.json")):
        stage = json.loads(file.read_text(encoding="utf-8"))
        run = stage.get("value") or stage.get("record") or stage
        measured = {case["name"]: case["status"] for case in run.get("device_cases", ())}
        found = {finding["label"] for finding in run.get("findings", ())}
        for case in run.get("cases", ()):
            if case["name"] in measured:
                name = case["name"]
                yield Compared(
                    file.parts[-3], file.parts[-2], name, case["status"], name in found, measured[name]
                )


def summary(rows: list[Compared]) -> list[str]:
    """What a person wants to read first."""
    wrong = [row for row in rows if not row.agrees]
    unseen = sorted({(row.student, row.lab) for row in rows if row.unseen})
    lines = [f"{len(rows)} cases on both devices; {len(wrong)} right on the emulator and not on the GPU"]
    lines += [f"  {row.student} {row.lab} {row.case}: {row.emulated} / {row.measured}" for row in wrong]
    lines.append(f"kernels with a fault that the emulator shows and the GPU's result does not: {len(unseen)}")
    lines += [f"  {student} {lab}" for student, lab in unseen]
    return lines


def main() -> int:
    """Run all of it."""
    if len(sys.argv) < 2:
        print("usage: session.py OUT [options of warpgrade grade]", file=sys.stderr)
        return 2
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    work = ROOT / "build/hardware"
    rows: list[Compared] = []
    for name, folder in (("course", course_class(work / "course")), ("sample", CLASS)):
        seconds = grade(folder, work / f"grades-{name}", out / f"{name}.log")
        found = list(compared(work / f"grades-{name}"))
        shutil.copyfile(work / f"grades-{name}" / "results.json", out / f"{name}-results.json")
        print(f"{name}: {len(found)} cases in {seconds:.0f} s")
        rows += found
    timed = subprocess.run(
        [sys.executable, "-m", "warpgrade", "calibrate", *sys.argv[2:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    print(timed.stdout + timed.stderr)
    for file in ROOT.glob("datasets/reference-timings/*.json"):
        shutil.copyfile(file, out / file.name)
    lines = summary(rows)
    (out / "summary.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return 1 if timed.returncode or any(not row.agrees for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
