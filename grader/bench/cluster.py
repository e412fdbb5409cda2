"""What `warpgrade plan` says of a class, beside a class that is graded on a Slurm of this machine.

    make bench-cluster [COUNT=2000]

The class has so many hand-ins of one lab: those of the sample class, each with a constant of its own, so that
no two compile to the same code. The costs are measured first, on smaller classes of such hand-ins:

- what the head node does for a hand-in, from the same command on a class that has been graded;
- compiling and emulating, from two sizes of a class that is graded here; the rest is the start of a task;
- what Slurm takes to start a task, from an array of tasks that do nothing.

One line of JSON: submissions, the seconds of the plan and of the run, their ratio, the share of hand-ins with
a result, and the costs. Exit code 1 if a hand-in has no result, or the plan is off by more than 15 %.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from support.slurm import loopback_slurm
from support.slurm.loopback_slurm import NODES, LoopbackSlurm
from warpgrade.core.paths import here
from warpgrade.grading.cluster import costs, plan, settings

FEW, MORE = 12, 60  # hand-ins of the classes that are measured
TASKS = 40  # of the array that does nothing
MOST_OFF = 0.15
CORES = os.cpu_count() or 1


def sample() -> Path:
    return here().root / "grader" / "tests" / "fixtures" / "submissions" / "class"


@functools.cache
def lab() -> str:
    """The one that most students of the sample class have handed in."""
    names = Counter(file.parent.name for file in sorted(sample().glob("*/*/*.cu")))
    return names.most_common(1)[0][0]


def hand_in(folder: Path, count: int) -> Path:
    """A class of so many students, with the sample class's hand-ins in turn."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(sample().glob(f"*/{lab()}/*.cu"))]
    for number in range(count):
        file = folder / f"student-{number:05}" / lab() / "kernel.cu"
        file.parent.mkdir(parents=True)
        own = f'extern "C" {{\n__constant__ int hand_in = {number};\n}}\n'
        file.write_text(texts[number % len(texts)].rstrip() + "\n" + own, encoding="utf-8")
    return folder


def seconds(submissions: Path, out: Path, *options: str, slurm: LoopbackSlurm | None = None) -> float:
    """Of `warpgrade grade`; ends the program if it fails."""
    command = [
        sys.executable,
        "-m",
        "warpgrade",
        "grade",
        str(submissions),
        "--lab",
        lab(),
        "--out",
        str(out),
    ]
    begun = time.monotonic()
    ran = subprocess.run(
        [*command, "--device", "emulator", *options], env=slurm.environment if slurm else None,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if ran.returncode != 0:
        sys.exit(f"bench: `warpgrade grade` ended with {ran.returncode}:\n{ran.stderr[-2000:]}")
    return time.monotonic() - begun


def starts(slurm: LoopbackSlurm, root: Path) -> float:
    """Tasks of an array that Slurm starts in a second."""
    begun = time.monotonic()
    array = f"--array=0-{TASKS - 1}"
    slurm.ask("sbatch", "--wait", array, "-o", "/dev/null", "-D", str(root), "--wrap", "true")
    return TASKS / (time.monotonic() - begun)


def measured(root: Path, slurm: LoopbackSlurm) -> costs.Costs:
    few, more = hand_in(root / "few", FEW), hand_in(root / "more", MORE)
    graded_few, graded_more = seconds(few, root / "out-few"), seconds(more, root / "out-more")
    again_few, again_more = seconds(few, root / "out-few"), seconds(more, root / "out-more")
    head = (again_more - again_few) / (MORE - FEW)
    each = (graded_more - graded_few) / (MORE - FEW) - head
    start = graded_few - FEW * (each + head)
    return dataclasses.replace(
        costs.load(), compile=0.0, emulate=each * CORES, start=max(start, 0.0),
        starts=starts(slurm, root), admit=head / 2, report=head / 2,
    )  # fmt: skip


def main(count: int) -> int:
    if why := loopback_slurm.why_not():
        sys.exit(f"bench: {why}")
    # In the checkout, where the sandbox's user can read, as on a cluster's shared folder.
    here().output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=here().output) as folder:
        root = Path(folder)
        cluster = root / "cluster.toml"
        cluster.write_text(f'cpus = 1\nat_once = {CORES}\nmemory = "400M"\n', encoding="utf-8")
        (root / "slurm").mkdir()
        with loopback_slurm.running(root / "slurm") as slurm:
            known = measured(root, slurm)
            size = plan.ClusterSize(len(NODES), max(1, CORES // len(NODES)))
            task = settings.load(cluster, cluster, {}).emulate
            foreseen = plan.plan(count, size, task, known)
            submissions, out = hand_in(root / "class", count), root / "out"
            options = ("--executor", "slurm", "--cluster", str(cluster))
            took = seconds(submissions, out, *options, slurm=slurm)
        results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return printed(count, foreseen, took, known, len(results["students"]))


def printed(count: int, foreseen: plan.Plan, took: float, known: costs.Costs, students: int) -> int:
    ratio = foreseen.seconds / took
    line = {
        "submissions": count, "task": foreseen.chunk, "plan_seconds": round(foreseen.seconds, 1),
        "run_seconds": round(took, 1), "ratio": round(ratio, 3), "with_result": students / count,
        "costs": {name: round(value, 4) for name, value in dataclasses.asdict(known).items()},
    }  # fmt: skip
    print(json.dumps(line))
    return int(students != count or abs(ratio - 1) > MOST_OFF)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
