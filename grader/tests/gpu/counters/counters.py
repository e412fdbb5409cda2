"""The same kernels under Nsight Compute and on the emulator: one table of both, with the difference.

    python grader/tests/gpu/counters/counters.py OUT [small]

Builds counters.cu and asynchronous.cu where build/hardware/ does not have them yet, runs both on the
emulator, and under `ncu` where there is a GPU and ncu may read its counters; elsewhere it compares with
what an H200 counted before (h200.json, beside this file) and says so.
OUT gets counters.md (everything), NAME.csv (ncu's) and NAME.jsonl (the emulator's) of each, measured.json.
Exit code 1 where a counter that has to be equal is not, 4 where nothing could be compared.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
BUILT = ROOT / "build/hardware"
# Each with what its PTX needs at least, and machine code for the GPU.
PROGRAMS = {
    "counters": "arch=compute_75,code=[compute_75,sm_90]",
    "asynchronous": "arch=compute_90,code=[compute_90,sm_90]",
}
# Nsight Compute may count up to 0.1 % of arbitration on shared loads and 15 % on shared stores.
TOLERANCE = {"shared_load_wavefronts": 0.005, "shared_store_wavefronts": 0.20}
# The emulator counts these as PTX or the lanes ask for them: a word that several lanes load is several loads,
# but one to Nsight Compute. They are reported and need not be equal.
OWN = {
    "warp_instructions",
    "thread_instructions",
    "branches",
    "divergent_branches",
    "fadd",
    "fmul",
    "global_load_bytes",
    "local_load_sectors",  # ptxas may keep an array in registers that PTX has in local memory
    "local_store_sectors",
}
# ptxas turned the branch around these accesses into predicates: warps that do nothing execute them too.
PREDICATED = {
    ("sum by halves", "shared_load_instructions"),
    ("sum by halves", "shared_store_instructions"),
    ("histogram, shared", "shared_store_instructions"),
}
# For copies past L1 (.cg), Nsight Compute does not count the sectors and lines that they ask for, but the
# sectors of one copy in eight, and lines by their destination.
BYPASSING = {"global_load_sectors", "global_load_lines", "async_copy_wavefronts"}
# With asynchronous copies ptxas emits three loads that no lane executes.
IDLE = "shared_load_instructions"
# ptxas does two of these kernels' sixteen equal loads.
HOISTED = {(f"ldmatrix, rows of {stride} bytes", "shared_load_wavefronts"): 8 for stride in (16, 128, 144)}

Counts = dict[str, int]


@dataclass(frozen=True)
class Row:
    """One counter of one launch."""

    launch: str
    counter: str
    gpu: int
    emulator: int

    @property
    def difference(self) -> float:
        """The difference of the two counts, as a fraction of the GPU's."""
        return (self.emulator - self.gpu) / self.gpu if self.gpu else float(self.emulator != 0)

    @property
    def demanded(self) -> bool:
        """Whether the two have to agree."""
        if self.launch.startswith("cp.async") and self.counter == IDLE:
            return False
        if self.launch.startswith("cp.async.cg") and self.counter in BYPASSING:
            return False
        return self.counter not in OWN and (self.launch, self.counter) not in PREDICATED

    @property
    def agrees(self) -> bool:
        """Equal, or within the noise of Nsight Compute."""
        return abs(self.difference) <= TOLERANCE.get(self.counter, 0.0)


def metric_names() -> dict[str, str]:
    """Nsight Compute's name → ours, as metrics.def pairs them; without the counters that it lacks."""
    text = (ROOT / "grader/emulator/machine/counters/metrics.def").read_text(encoding="utf-8")
    return {
        name: ours
        for ours, name in re.findall(r'^METRIC\((\w+), "(?!emulator__)([^"]+)"', text, re.MULTILINE)
    }


def built(name: str) -> Path:
    """The program, made with the project's nvcc or the machine's."""
    program = BUILT / name
    if program.is_file():
        return program
    own = ROOT / ".deps/cuda/bin/nvcc"
    nvcc = str(own) if own.exists() else shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    BUILT.mkdir(parents=True, exist_ok=True)
    command = [nvcc, "-std=c++17", "-O2", "-cudart", "shared", "-lineinfo", "--no-compress"]
    command += ["-gencode", PROGRAMS[name], "-I", str(ROOT / "labs/common")]
    subprocess.run([*command, str(HERE / f"{name}.cu"), "-o", str(program)], check=True)
    return program


def emulated(program: Path, arguments: list[str], out: Path) -> dict[str, Counts]:
    """The emulator's counters of each launch, by label, in order."""
    file = out / f"{program.name}.jsonl"
    file.unlink(missing_ok=True)
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(ROOT / "build/emulator"),
        "WARPGRADE_CHECK": "none",
        "WARPGRADE_COUNTERS": str(file),
    }
    command = [str(program), *arguments]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"counters: the program failed on the emulator:\n{ran.stderr[-2000:]}")
    names = metric_names()
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    counts = [
        {names[name]: value for name, value in line["counters"].items() if name in names} for line in lines
    ]
    return dict(zip(ran.stdout.splitlines(), counts, strict=True))


def known_metrics(ncu: str, wanted: list[str]) -> list[str]:
    """The metrics of `wanted` that this ncu knows; all of them if it does not list metrics."""
    listed = subprocess.run(
        [ncu, "--query-metrics", "--chips", "gh100"], capture_output=True, text=True, check=False
    )
    known = {line.split()[0] for line in listed.stdout.splitlines() if line.split()}
    found = [name for name in wanted if name.removesuffix(".sum") in known]
    return found or wanted


def number(text: str) -> int | None:
    """A cell of ncu's; None where it has no value."""
    try:
        return round(float(text.replace(",", "")))
    except ValueError:
        return None


def measured(
    program: Path, arguments: list[str], labels: list[str], out: Path
) -> tuple[dict[str, Counts], list[str]]:
    """Counters of each launch on the GPU, by label, and the metrics that it lacks, with the reason."""
    ncu = shutil.which("ncu") or next((p for p in ("/usr/local/cuda/bin/ncu",) if Path(p).exists()), None)
    if ncu is None:
        return {}, ["the GPU: there is no ncu here"]
    names = metric_names()
    metrics = known_metrics(ncu, list(names))
    lacking = [f"{name}: this ncu knows no such metric" for name in names if name not in metrics]
    library = next(
        (f for f in ("/usr/local/cuda/lib64", str(ROOT / ".deps/cuda/lib64")) if Path(f).is_dir()), ""
    )
    command = [ncu, "--clock-control", "none", "--csv", "--page", "raw", "--metrics", ",".join(metrics)]
    ran = subprocess.run(
        [*command, str(program), *arguments],
        env=os.environ | {"LD_LIBRARY_PATH": library},
        capture_output=True,
        text=True,
        check=False,
    )
    (out / f"{program.name}.csv").write_text(ran.stdout, encoding="utf-8")
    (out / f"{program.name}.err").write_text(ran.stderr, encoding="utf-8")
    table = [line for line in ran.stdout.splitlines() if line.startswith('"')]
    if ran.returncode != 0 or len(table) < 3:
        words = [line for line in (ran.stdout + ran.stderr).splitlines() if "==ERROR==" in line]
        return {}, [*lacking, f"the GPU: ncu ended with {ran.returncode}: {' '.join(words)[:500]}"]
    found = []
    for row in csv.DictReader(table):
        if row["ID"]:  # the line of units has none
            values = {names.get(name, name): number(row.get(name, "")) for name in metrics}
            found.append({name: value for name, value in values.items() if value is not None})
    if len(found) != len(labels):
        return {}, [*lacking, f"the GPU: ncu has {len(found)} launches, {program.name} made {len(labels)}"]
    return dict(zip(labels, found, strict=True)), lacking


def stored() -> dict[str, Counts]:
    """What an H200 counted, by label."""
    loaded: dict[str, Counts] = json.loads((HERE / "h200.json").read_text(encoding="utf-8"))
    return loaded


def compare(emulator: dict[str, Counts], gpu: dict[str, Counts]) -> Iterator[Row]:
    """Each counter that both have."""
    for label, ours in emulator.items():
        for counter, value in gpu.get(label, {}).items():
            if counter in ours:
                yield Row(label, counter, value * HOISTED.get((label, counter), 1), ours[counter])


def table(rows: list[Row]) -> list[str]:
    """Markdown."""
    lines = ["| launch | counter | GPU | emulator | difference |", "|---|---|--:|--:|--:|"]
    for row in rows:
        difference = "" if row.difference == 0 else f"{100 * row.difference:+.2f} %"
        lines.append(f"| {row.launch} | {row.counter} | {row.gpu:,} | {row.emulator:,} | {difference} |")
    return lines


def summary(rows: list[Row]) -> list[str]:
    """For each counter: how many launches agree, and the largest difference."""
    lines = ["| counter | launches | equal | largest difference | |", "|---|--:|--:|--:|---|"]
    for counter in dict.fromkeys(row.counter for row in rows):
        its = [row for row in rows if row.counter == counter]
        equal = sum(row.difference == 0 for row in its)
        worst = max(its, key=lambda row: abs(row.difference))
        difference = f"{100 * worst.difference:+.2f} % ({worst.launch})" if worst.difference else "0"
        kind = "its own" if counter in OWN else ""
        lines.append(f"| {counter} | {len(its)} | {equal} | {difference} | {kind} |")
    return lines


def main() -> int:
    """Run both, compare, and write the tables."""
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["small"]):
        print("usage: counters.py OUT [small]", file=sys.stderr)
        return 2
    out, arguments = Path(sys.argv[1]), sys.argv[2:]
    out.mkdir(parents=True, exist_ok=True)
    emulator: dict[str, Counts] = {}
    gpu: dict[str, Counts] = {}
    lacking: list[str] = []
    for program in map(built, PROGRAMS):
        ours = emulated(program, arguments, out)
        found, reasons = measured(program, arguments, list(ours), out)
        emulator |= ours
        gpu |= found
        lacking += [each for each in reasons if each not in lacking]
    if gpu:
        (out / "measured.json").write_text(json.dumps(gpu, indent=1) + "\n", encoding="utf-8")
    else:
        gpu = {} if arguments else stored()
        lacking.append("compared with what an H200 counted before (h200.json)" if gpu else "nothing compared")
    rows = list(compare(emulator, gpu))
    wrong = [row for row in rows if row.demanded and not row.agrees]
    lines = [
        *summary(rows),
        "",
        f"{len(rows)} counters of {len(gpu)} launches compared; {len(wrong)} differ:",
    ]
    lines += ["", *table(wrong), ""] if wrong else [""]
    lines += [f"not run: {each}" for each in lacking]
    print("\n".join(lines))
    (out / "counters.md").write_text("\n".join([*lines, "", *table(rows), ""]), encoding="utf-8")
    return 4 if not rows else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
