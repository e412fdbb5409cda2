"""Everything that needs a GPU, in one go, in under 8 minutes; results in one folder.

    python grader/tests/hardware/session.py OUT [--only STEP]... [--sandbox none]

verdicts     solutions, skeletons, mutants and the sample class on the emulator and on the GPU, case by case
cheats       kernels that cheat only when they are timed: the GPU's own timing must notice
timings      reference timings (datasets/reference-timings/), copied into OUT
model        kernels that the model of time was not fitted to: predicted first, then measured
counters     Nsight Compute's counters of the same kernels
others       every other script in this folder: `python SCRIPT OUT --sandbox …`
spread       one kernel graded 20 times: by how many points do the gradings differ?

Prints a summary last, with what could not be run and why. Exit code 1 where the GPU's verdict on a right
kernel differs, a cheat went unseen, or gradings differ too much; 0 also where a step could not be run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
CLASS = ROOT / "grader/tests/submissions/class"
MODEL = Path(__file__).parent / "model"
BUDGET = 425.0  # seconds; a step, or a row of `spread`, that would begin later is left out
MOST_SPREAD, MOST_MIDDLE = 0.5, 0.2  # points, at 1024 and above
NVCC = ("-O3", "-std=c++17", "-cudart", "shared", "--no-compress", "-lineinfo")
METRICS = (
    "gpu__time_duration.sum", "smsp__inst_executed.sum", "smsp__inst_executed_op_shared_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
    "sm__inst_issued.avg.pct_of_peak_sustained_active", "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct", "dram__bytes.sum",
)  # fmt: skip


class NotRun(Exception):
    """A step that this machine cannot do; the words say why."""


class Ahead:
    """Work of the processor alone for later steps, done while the first one keeps the card busy.

    Nothing of it goes on while anything is timed: see settle().
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(4)
        self._begun: dict[Callable[..., Any], Future[Any]] = {}

    def begin(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        if work not in self._begun:
            self._begun[work] = self._pool.submit(work, *arguments)
        return self._begun[work]

    def result(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Of work that was begun, or is done now. Raises what it raised."""
        return self.begin(work, *arguments).result()

    def settle(self) -> None:
        for each in self._begun.values():
            each.exception()


@dataclass
class Session:
    out: Path
    walls: str
    failures: list[str]
    lines: list[str]
    ahead: Ahead = field(default_factory=Ahead)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.began

    def tell(self, line: str) -> None:
        self.lines.append(line)
        print(line, flush=True)

    def warpgrade(self, *words: str) -> str:
        """Its standard output. NotRun where it fails."""
        command = [sys.executable, "-m", "warpgrade", *words]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        withheld = 4 if words[0] == "grade" else 0
        if ran.returncode not in (0, withheld):
            raise NotRun(f"warpgrade {words[0]}: {(ran.stderr or ran.stdout).strip()[-400:]}")
        return ran.stdout


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


def grade(session: Session, folder: Path, out: Path) -> float:
    """Grade a class on the GPU; its seconds."""
    began = time.monotonic()
    session.warpgrade("grade", str(folder), "--device", "gpu", "--out", str(out), "--sandbox", session.walls)
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


def verdicts(session: Session) -> None:
    """The same verdicts on both devices."""
    work = ROOT / "build/hardware"
    rows: list[Compared] = []
    for name, folder in (("course", course_class(work / "course")), ("sample", CLASS)):
        seconds = grade(session, folder, work / f"grades-{name}")
        found = list(compared(work / f"grades-{name}"))
        shutil.copyfile(work / f"grades-{name}" / "results.json", session.out / f"{name}-results.json")
        session.tell(f"{name}: {len(found)} cases on both devices in {seconds:.0f} s")
        rows += found
    for line in summary(rows):
        session.tell(line)
    session.failures += [f"verdict of {row.student} {row.lab} {row.case}" for row in rows if not row.agrees]


@dataclass(frozen=True)
class Cheat:
    """An attack that is built, and what its lab needs."""

    name: str
    most_points: float
    order: Any  # harness.Order
    submission: Any
    bench: Any


def built_cheats(walls: str) -> list[Cheat]:
    """Attacks of the group `time`, as far as they are kernels that build."""
    sys.path.insert(0, str(ROOT / "grader"))
    from warpgrade import attacks, build, lab, workshop
    from warpgrade.harness import Order
    from warpgrade.house import House
    from warpgrade.records import BuildStatus
    from warpgrade.run import size_name
    from warpgrade.submission import from_file

    house = House(ROOT)
    timed = [
        each for each in attacks.find(house) if each.group == "time" and (each.folder / "kernel.cu").is_file()
    ]
    labs = [lab.named(house, name) for name in sorted({each.lab for each in timed})]
    shop = workshop.prepare(house, labs, workshop.Wish("gpu", walls, fresh=True))
    places = {place.lab.name: place for place in shop.places}

    def built(attack: Any) -> Cheat | None:
        place = places[attack.lab]
        submission = from_file(attack.folder / "kernel.cu", place.lab, "cheat")
        folder = ROOT / "build/hardware/cheats" / attack.name
        if build.build(submission, place.lab, shop.compiler, folder).status != BuildStatus.BUILT:
            return None
        sizes = ",".join(map(size_name, (*place.lab.performance.sizes, *place.lab.performance.gpu_sizes)))
        arguments = ("--mode", "time", "--seed", "20251120", "--sizes", sizes)
        fatbin, reference = folder / build.FATBIN, place.reference.fatbin
        order = Order(place.lab, fatbin, place.data, arguments, "gpu", reference=reference)
        return Cheat(attack.name, attack.most_points, order, submission, shop.bench)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [each for each in pool.map(built, timed) if each is not None]


def cheats(session: Session) -> None:
    """Each attack of the group `time`, timed on the GPU alone: the emulator's word is not asked."""
    found: list[Cheat] = session.ahead.result(built_cheats, session.walls)
    from warpgrade import harness

    told = []
    for cheat in found:
        report = harness.start(cheat.order, cheat.bench, cheat.submission)
        seen = [timing.error or timing.checked for timing in report.timings]
        if report.outcome.timed_out:
            seen.append("timeout")
        ratios = [round(timing.ratio, 3) for timing in report.timings if timing.ratio]
        told.append({"attack": cheat.name, "seen": seen, "ratios": ratios, "most_points": cheat.most_points})
        passed = all(word == "pass" for word in seen) and bool(seen)
        gained = passed and max(ratios, default=0.0) > 1.1
        session.tell(f"  {cheat.name:<28} {', '.join(seen)[:60]:<60} {ratios}")
        unseen_here = ("races", "no-barriers")  # right values by luck: the emulator sees it
        if gained and not cheat.name.startswith(unseen_here):
            session.failures.append(f"cheat {cheat.name} went unseen on the GPU")
    (session.out / "cheats.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def timings(session: Session) -> None:
    session.tell(session.warpgrade("calibrate", "--sandbox", session.walls).rstrip())
    for file in ROOT.glob("datasets/reference-timings/*.json"):
        shutil.copyfile(file, session.out / file.name)


def spread(session: Session) -> None:
    """A basic kernel in lab 02, for the points of a solution against itself are cut at full."""
    slower = ROOT / "build/hardware/spread.cu"
    text = (ROOT / "solutions/02-tiled/kernel.cu").read_text(encoding="utf-8")
    slower.parent.mkdir(parents=True, exist_ok=True)
    slower.write_text(
        text.replace("TILE_WIDTH = 16", "TILE_WIDTH = 8").replace("TILE_WIDTH = 32", "TILE_WIDTH = 8")
    )
    rows = []
    kernels = (["02-tiled", str(slower)], ["04-register-tiled"])
    for size, words in itertools.product(("1024x1024x1024", "2048x2048x2048"), kernels):
        if session.seconds > BUDGET:
            session.tell(f"  {words[0]} {size} is left out: the time is up")
            continue
        told = session.warpgrade(
            "spread", *words, "--size", size, "--times", "20", "--json", "--sandbox", session.walls
        )
        rows += [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    (session.out / "spread.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        name = f"{row['lab']} {'x'.join(map(str, row['size']))}"
        session.tell(f"  {name}: ratio {statistics.median(row['ratios']):.3f}, 20 gradings "
                     f"within {row['whole']:.3f} points, middle half {row['middle_half']:.3f}")  # fmt: skip
        if row["whole"] > MOST_SPREAD or row["middle_half"] > MOST_MIDDLE:
            session.failures.append(f"gradings of {name} differ too much")


PROGRAMS = (("products", ("4096",)), ("others", (str(1 << 26),)), ("course", (str(1 << 26),)))
Programs = list[tuple[Path, tuple[str, ...]]]


def programs() -> Programs:
    """The kernels of model/, compiled side by side, and the arguments that make them large."""
    nvcc = ROOT / ".deps/cuda/bin/nvcc"
    if shutil.which("nvidia-smi") is None or not nvcc.is_file():
        raise NotRun("there is no nvidia-smi or no nvcc to tell what to compile for")
    compute = subprocess.run(
        ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True
    ).stdout.split()
    if not compute:
        raise NotRun("nvidia-smi tells of no GPU")
    number = compute[0].replace(".", "")
    target = f"arch=compute_{number},code=[sm_{number},compute_{number}]"

    def compiled(row: tuple[str, tuple[str, ...]]) -> tuple[Path, tuple[str, ...]]:
        name, arguments = row
        program = ROOT / "build/hardware/programs" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        command = [str(nvcc), *NVCC, "-gencode", target, "-o", str(program), str(MODEL / f"{name}.cu")]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            raise NotRun(f"nvcc does not compile {name}.cu: {ran.stderr.strip()[-300:]}")
        return program, arguments

    with ThreadPoolExecutor(len(PROGRAMS)) as pool:
        return list(pool.map(compiled, PROGRAMS))


def predictions(session: Session) -> list[list[dict[str, Any]]]:
    """Of each program's launches, from the emulator."""
    found = []
    for program, arguments in session.ahead.result(programs):
        told = session.warpgrade("model", "--json", str(program), "--", *arguments, "1")
        found.append([json.loads(line) for line in told.splitlines() if line.startswith("{")])
    return found


def _on_the_card() -> dict[str, str]:
    return {**os.environ, "LD_LIBRARY_PATH": str((ROOT / ".deps/cuda/lib64").resolve())}


def model(session: Session) -> None:
    """Predicted on the emulator, before anything is measured."""
    rows = []
    expected = session.ahead.result(predictions, session)
    for (program, arguments), predicted in zip(session.ahead.result(programs), expected, strict=True):
        ran = subprocess.run([program, *arguments, "7"], capture_output=True, text=True, env=_on_the_card())
        measured = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        for one, other in zip(predicted, measured, strict=False):
            if "milliseconds" in other:
                rows.append(
                    other | {"modelled": one["milliseconds"], "bound": one["bound"], "of": program.name}
                )
    errors: dict[str, list[float]] = {}
    for row in rows:
        error = row["modelled"] / row["milliseconds"] - 1
        errors.setdefault(row["of"], []).append(abs(error))
        session.tell(f"  {row['kernel']:<20} measured {row['milliseconds']:9.4f} ms, modelled "
                     f"{row['modelled']:9.4f} ms, {error:+.0%}, {row['bound']}")  # fmt: skip
    for name, found in errors.items():
        session.tell(f"  {name}: mean error {sum(found) / len(found):.1%}")
    (session.out / "model.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def counters(session: Session) -> None:
    if shutil.which("ncu") is None:
        raise NotRun("Nsight Compute (ncu) is not installed")
    for program, arguments in session.ahead.result(programs):
        command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--metrics", ",".join(METRICS)]
        ran = subprocess.run(
            [*command, str(program), *arguments, "1"], capture_output=True, text=True, env=_on_the_card()
        )
        (session.out / f"ncu-{program.name}.csv").write_text(ran.stdout, encoding="utf-8")
        if ran.returncode != 0:
            raise NotRun(f"ncu ended with {ran.returncode}: {ran.stdout.strip()[-300:]}")
        session.tell(f"  {program.name}: {ran.stdout.count(chr(10))} lines")


def others(session: Session) -> None:
    scripts = [
        path for path in sorted(Path(__file__).parent.glob("*.py")) if path != Path(__file__).resolve()
    ]
    if not scripts:
        raise NotRun("there are no other scripts here")
    for script in scripts:
        command = [sys.executable, str(script), str(session.out), "--sandbox", session.walls]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        (session.out / f"{script.stem}.log").write_text(ran.stdout + ran.stderr, encoding="utf-8")
        session.tell(f"  {script.name} ended with {ran.returncode}")
        if ran.returncode != 0:
            session.failures.append(f"{script.name} ended with {ran.returncode}")


def begin_ahead(session: Session, wanted: list[str]) -> None:
    """What later steps need of the processor, beside the first one, whose times nobody looks at."""
    if wanted[:1] != [verdicts.__name__]:
        return
    if "cheats" in wanted:
        session.ahead.begin(built_cheats, session.walls)
    if "model" in wanted:
        session.ahead.begin(predictions, session)
    elif "counters" in wanted:
        session.ahead.begin(programs)


STEPS: tuple[Callable[[Session], None], ...] = (verdicts, cheats, timings, model, counters, others, spread)


def main() -> int:
    """Run all steps, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", action="append", choices=[step.__name__ for step in STEPS])
    parser.add_argument("--sandbox", default="bwrap", choices=("bwrap", "none"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    session = Session(words.out.resolve(), words.sandbox, [], [])
    not_run = []
    wanted = [step for step in STEPS if not words.only or step.__name__ in words.only]
    begin_ahead(session, [step.__name__ for step in wanted])
    for step in wanted:
        name = step.__name__
        if step is not verdicts:
            session.ahead.settle()
        session.tell(f"{name} (at {session.seconds:.0f} s)")
        if session.seconds > BUDGET:
            not_run.append(f"{name}: the time is up")
            continue
        try:
            step(session)
        except NotRun as why:
            not_run.append(f"{name}: {why}")
        except Exception as error:  # the other steps still say what they can
            not_run.append(f"{name}: {type(error).__name__}: {error}")
    session.tell(f"done in {session.seconds:.0f} s")
    for line in [f"not run: {why}" for why in not_run] + [f"FAILED: {what}" for what in session.failures]:
        session.tell(line)
    (session.out / "summary.txt").write_text("\n".join(session.lines) + "\n", encoding="utf-8")
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
