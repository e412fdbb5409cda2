"""Two GPUs: each submission stays on one GPU, both work at once, and losing one withholds no score.

    python grader/tests/gpu/pair.py OUT [--sandbox none]

Grades the sample class three times: on the first GPU alone, on both, and on both while the second GPU's
device node vanishes half-way. The runtime, the driver and the GPUs are real. Needs two GPUs.
Writes OUT/pair.json. Exit code 1 if a verdict depends on the GPU, two submissions share a GPU at one time, a
sandbox shows another GPU than its own, or a GPU is idle.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from unittest import mock

from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.gpu import devices
from warpgrade.gpu.devices import Device, DevicePool
from warpgrade.grading import batch
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Grades
from warpgrade.run import harness
from warpgrade.sandbox.process import Box
from warpgrade.submission import downloads

CLASS = Path(__file__).resolve().parents[1] / "fixtures/submissions/class"


@dataclass(frozen=True)
class Stay:
    """One submission's time on a GPU, in seconds since the grading began."""

    gpu: int
    began: float
    ended: float


class Watched(DevicePool):
    """Records when each GPU was in use."""

    def __init__(self, found: Sequence[Device]) -> None:
        super().__init__(found)
        self.start = time.monotonic()
        self.stays: list[Stay] = []

    @contextlib.contextmanager
    def one(self) -> Iterator[Device | None]:
        with super().one() as gpu:
            began = time.monotonic() - self.start
            try:
                yield gpu
            finally:
                number = gpu.number if gpu else -1
                self.stays.append(Stay(number, began, time.monotonic() - self.start))


class Boxes:
    """Checks the device node and the UUID in each sandbox. Removes one GPU's node after so many starts."""

    def __init__(self, dies: Device | None = None, after: int = 0) -> None:
        self._build, self._nodes = harness._box, devices.nodes
        self._dies, self._left, self._lock = dies, after, threading.Lock()
        self.foreign: list[str] = []
        self.starts: dict[int, int] = {}

    def box(self, job: harness.HarnessJob, runner: harness.RunnerConfig, work: Path) -> Box:
        made = self._build(job, runner, work)
        if job.gpu is not None:
            with self._lock:
                self.starts[job.gpu.number] = self.starts.get(job.gpu.number, 0) + 1
            own = [path.name for path in made.devices if re.fullmatch(r"nvidia\d+", path.name)]
            visible = made.environment.get("CUDA_VISIBLE_DEVICES")
            right = [[f"nvidia{job.gpu.minor}"]] + [[]] * (job.gpu == self._dies)
            if own not in right or visible != job.gpu.uuid:
                self.foreign.append(f"GPU {job.gpu.number}: {own}, {visible}")
        return made

    def nodes(self, gpu: Device | None, root: Path = Path("/")) -> tuple[Path, ...]:
        if gpu is not None and gpu == self._dies:
            with self._lock:
                self._left -= 1
                if self._left < 0:
                    return ()
        return self._nodes(gpu, root)


@dataclass(frozen=True)
class Graded:
    """A class graded on some GPUs."""

    what: str
    seconds: float
    grades: Grades
    stays: list[Stay]
    boxes: Boxes

    @property
    def verdicts(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """The verdict of each case by student and lab, without points for speed: they vary between runs."""
        return {
            (student.id, result.lab): [
                (case.name, case.verdict) for case in (result.judgement.cases if result.judgement else ())
            ]
            for student in self.grades.students
            for result in student.results
        }

    @property
    def withheld(self) -> int:
        results = [result for student in self.grades.students for result in student.results]
        return sum(result.status == "withheld" for result in results)

    @property
    def meetings(self) -> int:
        """Number of times that two submissions shared a GPU."""
        by_gpu = itertools.groupby(sorted(self.stays, key=lambda s: (s.gpu, s.began)), key=lambda s: s.gpu)
        return sum(
            later.began < earlier.ended
            for _, stays in by_gpu
            for earlier, later in itertools.pairwise(list(stays))
        )

    def busy(self, gpu: int) -> float:
        """Share of the time from the first stay to the last in which the GPU was in use."""
        whole = max(stay.ended for stay in self.stays) - min(stay.began for stay in self.stays)
        return sum(stay.ended - stay.began for stay in self.stays if stay.gpu == gpu) / whole


def graded(what: str, session: Session, found: Sequence[Device], out: Path, boxes: Boxes) -> Graded:
    """Grade the class on these GPUs."""
    pool = Watched(found)
    session = replace(session, runner=replace(session.runner, gpus=pool))
    began = time.monotonic()
    with mock.patch.object(harness, "_box", boxes.box), mock.patch.object(devices, "nodes", boxes.nodes):
        grades = batch.grade_class(downloads.read(CLASS), out, session)
    seconds = time.monotonic() - began
    return Graded(what, seconds, grades, pool.stays, boxes)


def faults(runs: Sequence[Graded], found: Sequence[Device]) -> Iterator[str]:
    """A sentence for each fault."""
    alone, both, _ = runs
    for run in runs:
        if run.verdicts != alone.verdicts:
            apart = [key for key, cases in run.verdicts.items() if cases != alone.verdicts.get(key)]
            yield f"{run.what}: verdicts differ for {apart[:5]}"
        if run.withheld:
            yield f"{run.what}: {run.withheld} scores withheld"
        if run.meetings:
            yield f"{run.what}: {run.meetings} times two submissions shared a GPU"
        yield from (f"{run.what}: the sandbox of {words}" for words in run.boxes.foreign)
    idle = [gpu.number for gpu in found if both.busy(gpu.number) < 0.5]
    if idle:
        yield f"{both.what}: GPU {idle} was idle for more than half of the time"


def main(out: Path, sandbox: str) -> int:
    found = devices.find()[:2]
    if len(found) < 2:
        print(f"not run: this needs two GPUs, and there is {len(found)}")
        return 0
    repository = here()
    names = sorted(path.parent.name for path in repository.root.glob("labs/*/lab.toml"))
    session = prepare(repository, [lab.named(repository, name) for name in names], Options("gpu", sandbox))
    work = repository.root / "build/hardware/pair"
    shutil.rmtree(work, ignore_errors=True)
    runs = [
        graded("the first GPU alone", session, found[:1], work / "alone", Boxes()),
        graded("both GPUs", session, found, work / "both", Boxes()),
        graded("both, the second vanishes", session, found, work / "dies", Boxes(found[1], 20)),
    ]
    rows = []
    for run in runs:
        shares = {gpu.number: round(run.busy(gpu.number), 2) for gpu in found}
        rows.append({"what": run.what, "seconds": round(run.seconds, 1), "busy": shares,
                     "starts": run.boxes.starts, "stays": [asdict(stay) for stay in run.stays]})  # fmt: skip
        print(f"{run.what}: {len(run.stays)} submissions in {run.seconds:.1f} s, busy {shares}, "
              f"starts {run.boxes.starts}, {run.withheld} withheld", flush=True)  # fmt: skip
    bad = list(faults(runs, found))
    print(*(bad or ["verdicts, GPUs and sandboxes are as expected"]), sep="\n")
    (out / "pair.json").write_text(
        json.dumps({"faults": bad, "runs": rows}, indent=1) + "\n", encoding="utf-8"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[3] if sys.argv[2:3] == ["--sandbox"] else "bwrap"))
