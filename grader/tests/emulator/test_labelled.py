"""Small kernels in labelled/, right and faulty ones. The emulator's findings must match the labels.

The first line of each says how it is launched (`//: grid 4 block 64`). A faulty one marks the line of its
fault with the codes that are to be found there (`//! WG114`); nothing else may be found.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from warpgrade.build.emu import Emu
from warpgrade.core.paths import here
from warpgrade.run.harness import is_count
from warpgrade.student import explain
from warpgrade.tables import finding_kinds

REPOSITORY = here()
FOLDER = Path(__file__).parents[1] / "fixtures" / "labelled"
RUNNER = Path(__file__).parent / "support" / "labelled_runner.py"
FILES = sorted(FOLDER.glob("*/*.cu"))
STEPS = 2_000_000  # of one block, so that an endless loop ends soon
pytestmark = pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)


@dataclass(frozen=True)
class Outcome:
    error: str  # "cudaSuccess"
    findings: tuple[dict[str, Any], ...]


def head(file: Path) -> dict[str, Any]:
    """The launch that a file's first line asks for."""
    words = file.read_text().split("\n")[0].removeprefix("//:").split()
    pairs = [word for word in words if word != "cooperative"]
    given = dict(zip(pairs[::2], pairs[1::2], strict=True))
    shape = {key: [*map(int, given.get(key, "1").split(",")), 1, 1][:3] for key in ("grid", "block")}
    return {
        "name": file.stem,
        **shape,
        "shared": int(given.get("shared", 0)),
        "launches": int(given.get("launches", 1)),
        "cooperative": "cooperative" in words,
    }


def marks(file: Path) -> set[tuple[str, int]]:
    """(code, line) of each finding that a file announces."""
    lines = enumerate(file.read_text().split("\n"), 1)
    return {(code, n) for n, line in lines if "//!" in line for code in line.split("//!")[1].split()}


def compile_all(side: str, folder: Path, flag: str = "-lineinfo") -> tuple[Path, dict[str, str]]:
    """One fat binary of a side's files, each in a namespace of its own; each one's kernel in it."""
    files = [file for file in FILES if file.parent.name == side]
    texts = [file.read_text() for file in files]
    includes = sorted({line for text in texts for line in text.split("\n") if line.startswith("#include")})
    lines = [*includes, *(f'namespace {file.stem} {{\n#include "{file}"\n}}' for file in files)]
    (folder / f"{side}.cu").write_text("\n".join(lines) + "\n")
    flags = ["-std=c++17", flag, "--no-compress", "-gencode", "arch=compute_90,code=compute_90", "-w"]
    nvcc = str(REPOSITORY.toolkit / "bin" / "nvcc")
    command = [nvcc, "-fatbin", "--keep", *flags, f"{side}.cu", "-o", f"{side}.fatbin"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    names = {}
    for kernel in Emu(REPOSITORY, "none").summary(folder / f"{side}.ptx").kernels:
        match = re.match(r"_ZN(\d+)(\w+)", kernel)
        assert match
        names[match[2][: int(match[1])]] = kernel
    return folder / f"{side}.fatbin", names


def run_all(side: str, fatbin: Path, names: dict[str, str], threads: int) -> dict[str, Outcome]:
    folder = fatbin.parent
    plan = [{**head(file), "kernel": names[file.stem]} for file in FILES if file.parent.name == side]
    (folder / f"{side}.json").write_text(json.dumps(plan))
    found = folder / f"{side}-{threads}.jsonl"
    environment = dict(os.environ, WARPGRADE_FINDINGS=str(found), WARPGRADE_CHECK="all")
    environment |= {"WARPGRADE_STEP_LIMIT": str(STEPS), "WARPGRADE_THREADS": str(threads)}
    command = [
        sys.executable,
        str(RUNNER),
        str(REPOSITORY.emulator),
        str(fatbin),
        str(folder / f"{side}.json"),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = found.read_text().splitlines() if found.exists() else []
    rows = [row for row in map(json.loads, lines) if not is_count(row)]
    errors = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    return {
        one["name"]: Outcome(errors[one["name"]], tuple(row for row in rows if row["label"] == one["name"]))
        for one in plan
    }


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, dict[str, Outcome]]]:
    """Worker threads → side → name → outcome."""
    folder = tmp_path_factory.mktemp("labelled")
    built = {side: compile_all(side, folder) for side in ("right", "faulty")}
    return {threads: {side: run_all(side, *built[side], threads) for side in built} for threads in (1, 3)}


@pytest.fixture(scope="module")
def unoptimised(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Outcome]]:
    """Outcomes by side and name for builds with nvcc -G, where functions are called and addresses generic."""
    folder = tmp_path_factory.mktemp("unoptimised")
    return {side: run_all(side, *compile_all(side, folder, "-G"), 1) for side in ("right", "faulty")}


Outcomes = dict[int, dict[str, dict[str, Outcome]]]


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.parent.name == "right"], ids=lambda f: f.stem
)
def test_nothing_is_found_in_a_right_kernel(file: Path, outcomes: Outcomes) -> None:
    for threads, sides in outcomes.items():
        outcome = sides["right"][file.stem]
        assert (threads, outcome.error, outcome.findings) == (threads, "cudaSuccess", ())


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.parent.name == "faulty"], ids=lambda f: f.stem
)
def test_the_fault_is_found_where_it_is(file: Path, outcomes: Outcomes) -> None:
    expect_marked(file, outcomes[1]["faulty"][file.stem])


def expect_marked(file: Path, outcome: Outcome) -> None:
    expected = marks(file)
    assert expected, "a faulty kernel marks its fault"
    assert {row["code"] for row in outcome.findings} == {code for code, _ in expected}, outcome.findings
    places = {(row["code"], row["line"]) for row in outcome.findings}
    places |= {(row["code"], row["other"]["line"]) for row in outcome.findings if row["other"]}
    assert expected <= places, outcome.findings


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_same_is_found_without_optimisation(
    file: Path, unoptimised: dict[str, dict[str, Outcome]]
) -> None:
    outcome = unoptimised[file.parent.name][file.stem]
    if file.parent.name == "right":
        assert (outcome.error, outcome.findings) == ("cudaSuccess", ())
    else:
        expect_marked(file, outcome)


def test_the_number_of_workers_changes_nothing(outcomes: Outcomes) -> None:
    one, three = (
        {
            name: [{**row, "launch": 0} for row in outcome.findings]
            for side in outcomes[threads].values()
            for name, outcome in side.items()
        }
        for threads in (1, 3)
    )
    for name, findings in one.items():
        assert findings == three[name], name


KINDS = finding_kinds.load(REPOSITORY)
MARKED = {code for file in FILES for code, _ in marks(file)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_each_finding_has_a_faulty_kernel(kind: finding_kinds.FindingKind) -> None:
    """Unless its kernel depends on how the host calls it: labelled kernels are all called in one way."""
    about = explain.FOLDER / kind.code / "explanation.toml"
    if about.is_file() and "launch" in tomllib.loads(about.read_text()):
        return
    assert kind.code in MARKED, f"no file in {FOLDER / 'faulty'} has a line marked `//! {kind.code}`"


def test_no_mark_without_a_finding() -> None:
    unknown = MARKED - {kind.code for kind in KINDS}
    assert not unknown, f"finding_kinds.def has no row of {sorted(unknown)}"


def test_the_set_is_large() -> None:
    sides = [file.parent.name for file in FILES]
    assert sides.count("right") >= 60 and sides.count("faulty") >= 60 and len(FILES) >= 140
