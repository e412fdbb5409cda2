"""Public suites of labelled races, on the emulator: recall, false alarms and time.

    python grader/bench/races.py [scor=FOLDER] [indigo=FOLDER] [barracuda=FOLDER]

FOLDER is a checkout of the suite, which a user has fetched; `make bench-races SCOR=FOLDER …` calls this. Each
program is compiled with nvcc and run once. A racy one is found, and a right one blamed, if the emulator
reports an error; where it only warns about a race, that is counted apart. Programs that do not compile or do
not end are listed, and count neither way.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "grader")]

from warpgrade.build import toolkit  # noqa: E402
from warpgrade.core.paths import Repository  # noqa: E402
from warpgrade.run.harness import is_count  # noqa: E402

_SECONDS = 300  # for one program
_RACES = ("race", "order")  # checks


@dataclass(frozen=True)
class Labelled:
    """One program of a suite. `is_racy`: what the suite says."""

    name: str
    source: Path
    is_racy: bool
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suite:
    """`holds`: files that its checkout has. `programs`: of the checkout in a folder. `published`: what other
    tools reached, and who says so.
    """

    what: str
    holds: str
    programs: Callable[[Path], Iterator[Labelled]]
    published: str


@dataclass(frozen=True)
class Result:
    program: Labelled
    outcome: str  # "error", "warning", "nothing"; else why it did not run
    seconds: float = 0.0


def scor(folder: Path) -> Iterator[Labelled]:
    """The microbenchmarks; their names say whether they race."""
    for file in sorted(folder.glob("microbenchmarks/src/*.cu")):
        yield Labelled(file.stem, file, file.stem.startswith("race"))


def indigo(folder: Path) -> Iterator[Labelled]:
    """The generated CUDA codes, on the smallest graph of `inputs`; a planted bug stands in the name."""
    graphs = sorted(folder.glob("inputs/*.egr"), key=lambda file: file.stat().st_size)[:1]
    for file in sorted(folder.glob("generatedCodes/**/*.cu")):
        planted = re.search(r"bug", file.stem.replace("NoBug", "").replace("nobug", ""), re.IGNORECASE)
        include = ("-I", str(file.parent), "-I", str(folder / "include"))
        yield Labelled(file.stem, file, planted is not None, include, tuple(map(str, graphs)))


def barracuda(folder: Path) -> Iterator[Labelled]:
    """The rows of racey.py: a file, macros, and whether it races. Launches from kernels are left out."""
    table = ast.parse((folder / "racey.py").read_text(encoding="utf-8"))
    for call in ast.walk(table):
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") == "CudaRaceTestProgram"):
            continue
        file = folder / ast.literal_eval(call.args[0])
        if "dynamic_parallelism" in file.stem:
            continue
        words = {word.arg: word.value for word in call.keywords}
        macros = ast.literal_eval(words["macros"]) if "macros" in words else {}
        flags = tuple(f"-D{name}" + (f"={value}" if value else "") for name, value in macros.items())
        name = "+".join([file.stem, *(flag.removeprefix("-D") for flag in flags)])
        yield Labelled(name, file, "NO_RACE" not in ast.dump(words["testCases"]), flags)


SUITES = {
    "scor": Suite(
        "ScoR, microbenchmarks of scoped synchronisation",
        "microbenchmarks/src/*.cu",
        scor,
        "none by program; ScoRD, in hardware: 35 % slower on average (ISCA 2020, abstract)",
    ),
    "indigo": Suite(
        "Indigo, graph codes with planted bugs",
        "generatedCodes/**/*.cu",
        indigo,
        "HiRace on 580 kernels, 346 with races: no false alarm, races found that other tools miss "
        "(arXiv:2401.04701, abstract)",
    ),
    "barracuda": Suite(
        "Barracuda's bug suite",
        "racey.py",
        barracuda,
        "none by program; iGUARD on 21 other programs: 57 races, no false alarm (SOSP 2021, abstract)",
    ),
}


def run(program: Labelled, nvcc: Path, folder: Path) -> Result:
    """Compile and run one program."""
    built, written = folder / "program", folder / "findings.jsonl"
    for old in (built, written):
        old.unlink(missing_ok=True)
    flags = ["-O3", "-lineinfo", "-w", "-arch=compute_80", "-cudart", "shared", "--no-compress"]
    command = [str(nvcc), *flags, *program.flags, "-o", str(built), str(program.source)]
    if subprocess.run(command, cwd=folder, capture_output=True).returncode != 0:
        return Result(program, "does not compile")
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(ROOT / "build" / "emulator"),
        "WARPGRADE_FINDINGS": str(written),
    }
    begin = time.monotonic()
    try:
        subprocess.run([built, *program.arguments], cwd=folder, env=environment, capture_output=True,
                       timeout=_SECONDS)  # fmt: skip
    except subprocess.TimeoutExpired:
        return Result(program, f"does not end within {_SECONDS} s")
    seconds = time.monotonic() - begin
    lines = written.read_text(encoding="utf-8").splitlines() if written.is_file() else []
    return Result(program, outcome([json.loads(line) for line in lines]), seconds)


def outcome(rows: list[dict[str, object]]) -> str:
    found = [row for row in rows if not is_count(row)]
    if any(row["severity"] == "error" and row["check"] != "host" for row in found):
        return "error"
    return "warning" if any(row["check"] in _RACES for row in found) else "nothing"


def report(suite: Suite, results: list[Result]) -> str:
    """The table of one suite, as text."""
    ran = [each for each in results if each.outcome in ("error", "warning", "nothing")]
    lines = [suite.what]
    for label, is_racy, verb in (("racy", True, "found"), ("right", False, "blamed")):
        mine = [each for each in ran if each.program.is_racy is is_racy]
        count = {kind: sum(each.outcome == kind for each in mine) for kind in ("error", "warning")}
        lines.append(f"  {label:6}{len(mine):5}  {verb} {count['error']}, warned about {count['warning']}")
    lines.append(f"  time  {sum(each.seconds for each in ran):8.1f} s for {len(ran)} programs")
    lines.append(f"  published: {suite.published}")
    for each in results:
        wrong = each.outcome != "error" if each.program.is_racy else each.outcome != "nothing"
        if each not in ran or wrong:
            label = "racy" if each.program.is_racy else "right"
            lines.append(f"  {label} {each.program.name}: {each.outcome}")
    return "\n".join(lines)


def usage() -> str:
    """What to type, and what each folder is."""
    lines = ["give the folder of at least one suite, a checkout that you have fetched:"]
    for name, suite in SUITES.items():
        lines.append(f"  make bench-races {name.upper() + '=FOLDER':<17} {suite.what} ({suite.holds})")
    return "\n".join(lines)


def main(words: list[str]) -> int:
    given = dict(word.partition("=")[::2] for word in words)
    if not given or given.keys() - SUITES.keys():
        print(usage(), file=sys.stderr)
        return 2
    found: dict[str, list[Labelled]] = {}
    for name, where in given.items():
        suite, folder = SUITES[name], Path(where).resolve()
        found[name] = list(suite.programs(folder)) if any(folder.glob(suite.holds)) else []
        if not found[name]:
            print(f"{where}: holds no programs of {suite.what}: no {suite.holds}", file=sys.stderr)
            return 2
    nvcc = toolkit.find(Repository(ROOT)).folder / "bin" / "nvcc"
    for name, programs in found.items():
        with tempfile.TemporaryDirectory() as scratch:
            results = [run(program, nvcc, Path(scratch)) for program in programs]
        print(report(SUITES[name], results))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
