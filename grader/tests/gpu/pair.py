"""Two GPUs: each submission stays on one card, both cards work at once, and one that dies takes nobody along.

    python grader/tests/gpu/pair.py OUT [--sandbox none]

Grades the sample class three times: on the first card alone, on both, and on both while the second card's
node vanishes half-way. The runtime, the driver and the cards are real. With fewer than two cards it says so.
Writes OUT/pair.json. Exit code 1 where a verdict depends on the cards, two submissions met on one card, the
box showed another card than its own, or a card stood idle.
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
from warpgrade.gpu import devices as cards
from warpgrade.gpu.devices import Device, DevicePool
from warpgrade.grading import batch
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Grades
from warpgrade.run import harness
from warpgrade.sandbox.process import Box

CLASS = Path(__file__).resolve().parents[1] / "submissions/class"


@dataclass(frozen=True)
class Stay:
    """One submission's time on a card, in seconds since the grading began."""

    card: int
    began: float
    ended: float


class Watched(DevicePool):
    """Notes who had which card when."""

    def __init__(self, found: Sequence[Device]) -> None:
        super().__init__(found)
        self.start = time.monotonic()
        self.stays: list[Stay] = []

    @contextlib.contextmanager
    def one(self) -> Iterator[Device | None]:
        with super().one() as card:
            began = time.monotonic() - self.start
            try:
                yield card
            finally:
                number = card.number if card else -1
                self.stays.append(Stay(number, began, time.monotonic() - self.start))


class Boxes:
    """Which card's node each box held, and which UUID CUDA was told; takes one card's node away at will."""

    def __init__(self, dies: Device | None = None, after: int = 0) -> None:
        self._build, self._nodes = harness._box, cards.nodes
        self._dies, self._left, self._lock = dies, after, threading.Lock()
        self.foreign: list[str] = []
        self.starts: dict[int, int] = {}

    def box(self, job: harness.HarnessJob, runner: harness.RunnerConfig, work: Path) -> Box:
        made = self._build(job, runner, work)
        if job.gpu is not None:
            with self._lock:
                self.starts[job.gpu.number] = self.starts.get(job.gpu.number, 0) + 1
            own = [path.name for path in made.devices if re.fullmatch(r"nvidia\d+", path.name)]
            told = made.environment.get("CUDA_VISIBLE_DEVICES")
            right = [[f"nvidia{job.gpu.minor}"]] + [[]] * (job.gpu == self._dies)
            if own not in right or told != job.gpu.uuid:
                self.foreign.append(f"card {job.gpu.number}: {own}, {told}")
        return made

    def nodes(self, card: Device | None, root: Path = Path("/")) -> tuple[Path, ...]:
        if card is not None and card == self._dies:
            with self._lock:
                self._left -= 1
                if self._left < 0:
                    return ()
        return self._nodes(card, root)


@dataclass(frozen=True)
class Graded:
    """A class graded on some cards."""

    what: str
    seconds: float
    grades: Grades
    stays: list[Stay]
    boxes: Boxes

    @property
    def verdicts(self) -> dict[tuple[str, str], list[tuple[str, str]]]:
        """By student and lab: of each case. Without the points for speed, which two runs may round apart."""
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
        """Pairs of submissions that had one card at one time."""
        by_card = itertools.groupby(sorted(self.stays, key=lambda s: (s.card, s.began)), key=lambda s: s.card)
        return sum(
            later.began < earlier.ended
            for _, stays in by_card
            for earlier, later in itertools.pairwise(list(stays))
        )

    def busy(self, card: int) -> float:
        """Share of the time from the first stay to the last in which somebody had the card."""
        whole = max(stay.ended for stay in self.stays) - min(stay.began for stay in self.stays)
        return sum(stay.ended - stay.began for stay in self.stays if stay.card == card) / whole


def graded(what: str, session: Session, found: Sequence[Device], out: Path, boxes: Boxes) -> Graded:
    """The class by all stages, on these cards."""
    pool = Watched(found)
    session = replace(session, runner=replace(session.runner, gpus=pool))
    began = time.monotonic()
    with mock.patch.object(harness, "_box", boxes.box), mock.patch.object(cards, "nodes", boxes.nodes):
        grades = batch.grade_class(CLASS, out, session)
    seconds = time.monotonic() - began
    return Graded(what, seconds, grades, pool.stays, boxes)


def faults(runs: Sequence[Graded], found: Sequence[Device]) -> Iterator[str]:
    """What should not be, in words."""
    alone, both, _ = runs
    for run in runs:
        if run.verdicts != alone.verdicts:
            apart = [key for key, cases in run.verdicts.items() if cases != alone.verdicts.get(key)]
            yield f"{run.what}: verdicts differ for {apart[:5]}"
        if run.withheld:
            yield f"{run.what}: {run.withheld} scores withheld"
        if run.meetings:
            yield f"{run.what}: {run.meetings} times two submissions met on one card"
        yield from (f"{run.what}: the box of {words}" for words in run.boxes.foreign)
    idle = [card.number for card in found if both.busy(card.number) < 0.5]
    if idle:
        yield f"{both.what}: GPU {idle} stood idle for more than half of the time"


def main(out: Path, sandbox: str) -> int:
    found = cards.find()[:2]
    if len(found) < 2:
        print(f"not run: this needs two GPUs, and here is {len(found)}")
        return 0
    repository = here()
    names = sorted(path.parent.name for path in repository.root.glob("labs/*/lab.toml"))
    session = prepare(repository, [lab.named(repository, name) for name in names], Options("gpu", sandbox))
    work = repository.root / "build/hardware/pair"
    shutil.rmtree(work, ignore_errors=True)
    runs = [
        graded("the first card alone", session, found[:1], work / "alone", Boxes()),
        graded("both cards", session, found, work / "both", Boxes()),
        graded("both, the second dies", session, found, work / "dies", Boxes(found[1], 20)),
    ]
    told = []
    for run in runs:
        shares = {card.number: round(run.busy(card.number), 2) for card in found}
        told.append({"what": run.what, "seconds": round(run.seconds, 1), "busy": shares,
                     "starts": run.boxes.starts, "stays": [asdict(stay) for stay in run.stays]})  # fmt: skip
        print(f"{run.what}: {len(run.stays)} submissions in {run.seconds:.1f} s, busy {shares}, "
              f"starts {run.boxes.starts}, {run.withheld} withheld", flush=True)  # fmt: skip
    bad = list(faults(runs, found))
    print(*(bad or ["verdicts, cards and boxes as they should be"]), sep="\n")
    (out / "pair.json").write_text(
        json.dumps({"faults": bad, "runs": told}, indent=1) + "\n", encoding="utf-8"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[3] if sys.argv[2:3] == ["--sandbox"] else "bwrap"))
