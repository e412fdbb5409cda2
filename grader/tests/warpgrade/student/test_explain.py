"""Each finding has a story; its wrong kernel yields exactly that finding, its right kernel nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from warpgrade.build.emu import Emu
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import here
from warpgrade.student import explain
from warpgrade.tables import finding_kinds

REPOSITORY = here()
KINDS = finding_kinds.load(REPOSITORY)
CODES = [kind.code for kind in KINDS]
RUNNER = Path(__file__).parents[2] / "support" / "programs" / "example_runner.py"
needs_tools = pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)


@pytest.mark.parametrize(
    "word", ["WG112", "wg112", "112", "race-read-write", "race read write", "read-write"]
)
def test_a_finding_is_known_by_its_code_and_its_name(word: str) -> None:
    assert explain.named(REPOSITORY, word).code == "WG112"


def test_a_word_that_means_several_findings() -> None:
    with pytest.raises(UsageError, match="'race' can be WG111 race write write, WG112 race read write"):
        explain.named(REPOSITORY, "race")
    with pytest.raises(UsageError, match="there is no finding '999'"):
        explain.named(REPOSITORY, "999")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """One fat binary with every example in a namespace of its own, and each one's name in it."""
    folder = tmp_path_factory.mktemp("examples")
    lines = ["#include <cassert>"]
    for code in CODES:
        for side in ("wrong", "right"):
            file = explain.FOLDER / code / f"{side}.cu"
            if not file.is_file():
                continue  # test_each_finding_has_an_explanation says so
            lines += [f"namespace {code}_{side} {{", f'#include "{file}"', "}"]
    (folder / "all.cu").write_text("\n".join(lines) + "\n")
    flags = ["-lineinfo", "--no-compress", "-gencode", "arch=compute_90,code=compute_90", "-w"]
    command = [
        str(REPOSITORY.toolkit / "bin" / "nvcc"),
        "-fatbin",
        "--keep",
        *flags,
        "all.cu",
        "-o",
        "all.fatbin",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    names = {}
    for kernel in Emu(REPOSITORY, "none").summary(folder / "all.ptx").kernels:
        match = re.search(r"(WG\d+)_(wrong|right)", kernel)
        assert match
        names[match[0]] = kernel
    return folder / "all.fatbin", names


def found_by(
    compiled: tuple[Path, dict[str, str]], code: str, side: str, folder: Path
) -> list[dict[str, Any]]:
    fatbin, names = compiled
    about = tomllib.loads((explain.FOLDER / code / "explanation.toml").read_text()).get("launch", {})
    launch = {
        key.removeprefix(f"{side}_"): value for key, value in about.items() if key.startswith(f"{side}_")
    }
    findings = folder / f"{side}.jsonl"
    environment = dict(os.environ, WARPGRADE_FINDINGS=str(findings), WARPGRADE_CHECK="all")
    environment["WARPGRADE_STEP_LIMIT"] = str(about.get("steps", 50_000_000))
    environment["WARPGRADE_ORDER"] = str(about.get("order", "prompt"))
    command = [sys.executable, str(RUNNER), str(REPOSITORY.emulator), str(fatbin), names[f"{code}_{side}"]]
    done = subprocess.run([*command, json.dumps(launch)], env=environment, capture_output=True, text=True,
                          timeout=60)  # fmt: skip
    status = -signal.SIGSEGV if launch.get("touch") else 1 if launch.get("fails") else 0
    assert done.returncode == status, done.stderr
    rows = [json.loads(line) for line in findings.read_text().splitlines()] if findings.exists() else []
    if side == "right":
        assert done.stdout.strip() == "cudaSuccess", done.stdout + done.stderr
    return rows


@needs_tools
@pytest.mark.parametrize("code", CODES)
def test_the_kernels_do_what_they_are_said_to(
    code: str, compiled: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    wrong_file, right_file = explain.FOLDER / code / "wrong.cu", explain.FOLDER / code / "right.cu"
    wrong = found_by(compiled, code, "wrong", tmp_path)
    assert {row["code"] for row in wrong} == {code}, f"{wrong_file} must give {code} only:\n{wrong}"
    right = found_by(compiled, code, "right", tmp_path)
    assert right == [], f"{right_file} must give no finding:\n{right}"
    text = wrong_file.read_text().split("\n")
    line = wrong[0]["line"] if wrong[0]["thread"] else 0  # a line of the host is none of the kernel's
    assert line == 0 or text[line - 1].strip(), "the finding points at a line of the example"


@pytest.mark.parametrize("code", CODES)
def test_an_explanation_is_short_and_whole(code: str) -> None:
    found = explain.load(REPOSITORY, code)
    assert found.title and found.story and found.kind.help and found.sanitizer
    lines = [re.sub(r"\[/?[a-z ]*\]", "", line) for line in explain.lines(REPOSITORY, code, 80)]
    assert 10 < len(lines) < 60
    for side, text in (("wrong", found.wrong), ("right", found.right)):
        longest = max(map(len, text.split("\n")))  # with a margin of four, on 80 columns
        assert longest <= 76, f"{code}/{side}.cu has a line of {longest} columns; at most 76 fit"


@pytest.mark.parametrize("code", CODES)
def test_each_finding_has_an_explanation(code: str) -> None:
    for name in ("explanation.toml", "wrong.cu", "right.cu"):
        assert (explain.FOLDER / code / name).is_file(), f"{code} needs {explain.FOLDER / code / name}"


def test_no_explanation_without_a_finding() -> None:
    unknown = {path.name for path in explain.FOLDER.iterdir()} - set(CODES)
    assert not unknown, f"finding_kinds.def has no row of {sorted(unknown)}, explained in {explain.FOLDER}"


def test_every_row_of_the_table_is_read() -> None:
    table = (REPOSITORY.root / "grader" / "emulator" / "machine" / "finding_kinds.def").read_text()
    assert len(KINDS) == len(re.findall(r"^KIND\(", table, re.M))
    assert "__syncthreads()" in next(kind.help for kind in KINDS if kind.code == "WG112")


def test_by_name_and_by_code() -> None:
    assert explain.load(REPOSITORY, "wg112") == explain.load(REPOSITORY, "race-read-write")
    with pytest.raises(UsageError, match="WG999"):
        explain.load(REPOSITORY, "WG999")
