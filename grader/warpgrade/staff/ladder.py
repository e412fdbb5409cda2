"""The performance ladder: the same problem solved from a plain loop up to a library, timed in one run.

A lab has a ladder if its lab.toml names sizes for one and solutions/<lab>/ladder.cpp is the program that
runs kernels beside libraries. `measure` runs it on this machine's GPU. Its kernels are the solutions of all
labs with the same problem, and the lab's steps (solutions/<lab>/steps/*.cu), each with every optimisation
level that the lab allows.
`write` saves the times in datasets/reference-timings/ladder/<gpu>.json. Handouts and the table at the top of
the open lab's solution are made from that file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ..build.compiler import FATBIN, build
from ..core import store
from ..core.errors import GraderError, InstructorError
from ..core.paths import Repository, need, typed
from ..core.serialize import from_data
from ..gpu import conditions, driver
from ..gpu.ladder_file import LIBRARY, Ladder, LadderTiming, path_of
from ..grading.session import Session
from ..records import BuildStatus, Lab, Size
from ..run.timed_launch import size_name
from ..sandbox import process
from ..submission.admit import from_file

STEPS = "steps"
_POWER = {1: "", 2: "²", 3: "³"}
_LIMITS = process.ResourceLimits(
    seconds=540, memory_bytes=None, address_bytes=None
)  # CUDA reserves much address space
_MEASURED = re.compile(r"(//> measured\n).*?(//< measured\n)", re.DOTALL)


# --- measuring ---------------------------------------------------------------------------------


def measure(session: Session) -> Ladder:
    """Time every step at the labs' ladder sizes. GraderError without a GPU or if a row fails."""
    if session.setting.device != "gpu":
        raise GraderError("the ladder is measured on a GPU, and none answers here", remedy=typed("doctor"))
    rows: list[dict[str, object]] = []
    for lab in with_ladder(session.labs):
        out = session.runner.repository.root / "build" / "bench" / lab.name / "ladder.jsonl"
        found = kernels(session, lab)
        rows += run_program(
            session.runner.repository, lab, found, lab.performance.ladder, out, libraries(session)
        )
    return Ladder(_conditions(session), *timings(rows))


def with_ladder(labs: Sequence[Lab]) -> tuple[Lab, ...]:
    return tuple(lab for lab in labs if lab.performance.ladder)


def run_program(
    repository: Repository,
    lab: Lab,
    found: Sequence[tuple[str, str, Path]],
    sizes: Sequence[Size],
    out: Path,
    libraries: str,
) -> list[dict[str, object]]:
    """Run the program of the lab's ladder with these kernels (label, name, fat binary). Returns the rows that
    it wrote.
    """
    file = f"build/bench/ladder/{lab.name}"
    program = need(repository.root / file, f"type `make {file}`")
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [str(program), "--host", "--out", str(out)]
    for size in sizes:
        command += ["--size", size_name(size)]
    for label, name, fatbin in found:
        command += ["--kernel", f"{label}={name}={fatbin}"]
    outcome = process.run_trusted(command, {"LD_LIBRARY_PATH": libraries}, _LIMITS)
    if outcome.status != 0:
        # The last line is the program's own; libraries that it loads may have printed lines before.
        words = outcome.stderr.strip().splitlines()[-1:] or [str(outcome.status)]
        raise GraderError(f"{file} failed: {words[0]}")
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def timings(rows: Sequence[dict[str, object]]) -> tuple[tuple[LadderTiming, ...], tuple[str, ...]]:
    """The timings, and a sentence for each library or kernel that was missing."""
    absent = dict.fromkeys(f"{row['label']}: {row['missing']}" for row in rows if "missing" in row)
    return tuple(from_data(LadderTiming, row) for row in rows if "missing" not in row), tuple(absent)


def kernels(session: Session, lab: Lab) -> list[tuple[str, str, Path]]:
    """The label, name and fat binary of each kernel: the solutions of all labs with this lab's problem, then
    the lab's steps.
    """
    found = [
        (prepared.lab.name, prepared.lab.kernel, prepared.reference.fatbin)
        for prepared in session.prepared_labs
        if prepared.reference.fatbin is not None and has_same_problem(prepared.lab, lab)
    ]
    return [*found, *_steps(session, lab)]


def has_same_problem(one: Lab, other: Lab) -> bool:
    """Whether the kernels of both labs take the same arrays and parameters and do the same work."""
    return (one.parameter_names, one.arrays, one.work) == (other.parameter_names, other.arrays, other.work)


def step_files(repository: Repository, lab: Lab) -> list[Path]:
    """The steps in their order, then the solution. Empty for a lab without steps."""
    steps = sorted((repository.solution(lab.name) / STEPS).glob("*.cu"), key=_number)
    return [*steps, repository.solution(lab.name) / lab.files[0]] if steps else []


def _number(step: Path) -> tuple[int, str]:
    """The number with which the file name of a step begins."""
    number = step.stem.partition("-")[0]
    if not number.isdigit():
        raise InstructorError("a step's name begins with its number, as in 1-naive.cu", file=step)
    return int(number), step.name


def step_label(file: Path, level: str) -> str:
    return f"{file.stem} {level}"


def _steps(session: Session, lab: Lab) -> Iterator[tuple[str, str, Path]]:
    repository = session.runner.repository
    for file in step_files(repository, lab):
        for level in sorted(lab.compilation.ptxas):
            submission = from_file(file, lab, "step")
            main = submission.files[0]
            # `item` sets the level, so the line that asks for one becomes a plain comment.
            text = re.sub(r"^//[ \t]*ptxas:", "// level:", main.text, flags=re.MULTILINE)
            submission = replace(submission, files=(replace(main, text=text), *submission.files[1:]))
            item = replace(lab, compilation=replace(lab.compilation, ptxas=(level,)))
            folder = repository.root / "build" / "bench" / lab.name / f"{file.stem}{level}"
            built = build(submission, item, session.compiler, folder)
            if built.status != BuildStatus.BUILT:
                raise InstructorError(f"does not build: {built.summary}", file=file)
            yield step_label(file, level), lab.kernel, folder / FATBIN


def libraries(session: Session) -> str:
    """LD_LIBRARY_PATH with NVIDIA's runtime and driver, and the caller's folders for cuBLAS and OpenBLAS."""
    toolkit = session.runner.toolkit
    folders = [toolkit.runtime, driver.folder(), session.runner.repository.libraries]
    named = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return ":".join([*(str(folder) for folder in folders if folder is not None), *filter(None, named)])


def _conditions(session: Session) -> dict[str, str]:
    now = conditions.read(None)
    state = (
        {
            "driver_version": now.driver,
            "clocks.sm": f"{now.clock:g} MHz",
            "clocks.mem": f"{now.memory_clock:g} MHz",
            "temperature.gpu": f"{now.celsius:g}",
            "clocks_event_reasons.active": hex(now.reasons),
        }
        if now
        else {}
    )
    about = {"gpu": session.setting.device_name, "cpu": _cpu(), "toolkit": session.setting.toolkit}
    return about | {"harness": session.setting.grader} | state


def _cpu() -> str:
    """The processor's name and number of cores."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    name = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return f"{name[1] if name else 'unknown'}, {os.cpu_count()} cores"


# --- keeping -----------------------------------------------------------------------------------


def write(repository: Repository, ladder: Ladder) -> Path:
    """Write datasets/reference-timings/ladder/<gpu>.json."""
    path = path_of(repository, ladder.conditions["gpu"])
    rows = ",\n  ".join(json.dumps(asdict(timing)) for timing in ladder.timings)
    head = json.dumps(ladder.conditions)
    absent = json.dumps(ladder.absent)
    store.write_text(
        path, f'{{\n "conditions": {head},\n "absent": {absent},\n "timings": [\n  {rows}\n ]\n}}\n'
    )
    return path


# --- the table at the top of the solution -------------------------------------------------------


def update_solutions(repository: Repository, labs: Sequence[Lab], ladder: Ladder) -> list[Path]:
    """Write the measured table into each solution that has steps. Returns the files that changed."""
    changed = []
    for lab in labs:
        for path in step_files(repository, lab)[-1:]:
            text = path.read_text(encoding="utf-8")
            new = with_table(text, table(repository, lab, ladder))
            if new != text:
                store.write_text(path, new)
                changed.append(path)
    return changed


def with_table(text: str, lines: Sequence[str]) -> str:
    """The solution's text with these lines between its `measured` markers."""
    body = "".join(f"{line}\n" for line in lines)
    return _MEASURED.sub(lambda match: match[1] + body + match[2], text)


def table(repository: Repository, lab: Lab, ladder: Ladder) -> list[str]:
    """Comment lines: TFLOP/s of each step by size and level, with the last step's share of cuBLAS."""
    levels = sorted(lab.compilation.ptxas, reverse=True)
    columns = [(level, size) for level in levels for size in lab.performance.ladder]
    lines = [_line(f"TFLOP/s on an {ladder.conditions['gpu']}, with ptxas", [level for level, _ in columns])]
    lines.append(_line("", [_short(size) for _, size in columns]))
    for file in step_files(repository, lab):
        found = [ladder.timing(step_label(file, level), size) for level, size in columns]
        lines.append(_line(_title(file), [_teraflops(timing) for timing in found]))
    library = [ladder.timing(LIBRARY, size) for _, size in columns]
    lines.append(_line("cuBLAS, pedantic", [_teraflops(timing) for timing in library]))
    return lines


def _short(size: Size) -> str:
    """A size as the table shows it: 4096³ if all three numbers are equal."""
    return f"{size[0]}{_POWER[len(size)]}" if len(set(size)) == 1 and len(size) in _POWER else size_name(size)


def _teraflops(timing: LadderTiming | None) -> str:
    return f"{timing.gflops / 1e3:.1f}" if timing else "–"


def _line(title: str, cells: Sequence[str]) -> str:
    return f"//   {title:<54}" + "".join(f"{cell:>6}" for cell in cells)


def _title(file: Path) -> str:
    """The optimisation that a step adds: its first line, or the solution's line "// Adds"."""
    text = file.read_text(encoding="utf-8")
    if file.parent.name == STEPS:
        return text.split("\n", 1)[0].removeprefix("// ")
    adds = re.search(r"^// Adds +(.+)$", text, re.MULTILINE)
    if adds is None:
        raise InstructorError("says nowhere what it adds to the last step: // Adds      WHAT", file=file)
    return adds[1]
