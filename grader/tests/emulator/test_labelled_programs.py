"""Whole programs in labelled_programs/, right and faulty ones: order between streams, graphs and the host,
and calls that fail.

A faulty one marks the lines of its fault with the codes to be found there (`//! WG171`): of a conflict both
sides. Nothing else may be found. Its twin of the same
name in right/ does the same without the fault.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from warpgrade.core.paths import here
from warpgrade.run.emulator_rows import is_count
from warpgrade.tables import finding_kinds

REPOSITORY = here()
FOLDER = Path(__file__).parents[1] / "fixtures" / "labelled_programs"
FILES = sorted(FOLDER.glob("*/*.cu"))
# Programs that wait in a loop for what a kernel writes need it to run at once.
POLLS = "//: WARPGRADE_ORDER=prompt"
FLAGS = "//: nvcc "  # further options of the compiler
# Programs whose fault is only seen where the emulator is another process, as it is for programs of labs.
BESIDE = "//: beside the emulator"
HERE = [file for file in FILES if not file.read_text().startswith(BESIDE)]
ANY_ORDER = [file for file in HERE if file.parent.name == "right" and not file.read_text().startswith(POLLS)]
KINDS = finding_kinds.load(REPOSITORY)
ORDER = {kind.code for kind in KINDS if kind.check == "order"}
EARLY_ACCESS = next(kind.code for kind in KINDS if kind.name == "early-host-access")
USE_AFTER_FREE = next(kind.code for kind in KINDS if kind.name == "use-after-free")
UNORDERED = [
    file
    for file in HERE
    if any(code in file.read_text() for code in ORDER) and not file.read_text().startswith(POLLS)
]
pytestmark = pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)


def called(file: Path) -> str:
    return f"{file.parent.name}_{file.stem}"


def marks(file: Path) -> set[tuple[str, int]]:
    """(code, line) of each side of a finding that a file announces."""
    found = set()
    for number, line in enumerate(file.read_text().split("\n"), 1):
        codes = re.search(r"//!(.*)|$", line).group(1) or ""  # type: ignore[union-attr]
        found |= {(code, number) for code in codes.split()}
    return found


def flags_of(file: Path) -> tuple[str, ...]:
    first = file.read_text().split("\n")[0]
    return tuple(first.removeprefix(FLAGS).split()) if first.startswith(FLAGS) else ()


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Path]:
    """Flags of the compiler → one program of all files that have these."""
    wanted = sorted({flags_of(file) for file in FILES})
    return {flags: build(tmp_path_factory.mktemp("programs"), flags) for flags in wanted}


@pytest.fixture
def program(file: Path, programs: dict[tuple[str, ...], Path]) -> Path:
    return programs[flags_of(file)]


def build(folder: Path, special: tuple[str, ...]) -> Path:
    """One program of all files with these flags, each in a namespace; its argument says which one runs."""
    files = [file for file in FILES if flags_of(file) == special]
    system = sorted({line for file in files for line in file.read_text().split("\n") if "#include <" in line})
    parts = [*system, '#include "program.cuh"', "#include <cstring>"]
    for file in files:
        parts += [
            f"namespace {called(file)} {{",
            "#define main run",
            f'#include "{file}"',
            "#undef main",
            "}",
        ]
    cases = [f'if (!std::strcmp(name[1], "{called(file)}")) return {called(file)}::run();' for file in files]
    parts += ["int main(int, char** name) {", *cases, "return 2;", "}"]
    (folder / "all.cu").write_text("\n".join(parts) + "\n")
    flags = [
        *special,
        "-std=c++17",
        "-O1",
        "-cudart",
        "shared",
        "-lineinfo",
        "-Xcompiler",
        "-g1,-no-pie",
        "-Xlinker",
        "-no-pie",
        "--no-compress",
        "-w",
    ]
    command = [str(REPOSITORY.toolkit / "bin" / "nvcc"), *flags, "-arch=compute_80", "-I", str(FOLDER)]
    done = subprocess.run(
        [*command, "all.cu", "-o", "all"], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return folder / "all"


def outcome(program: Path, file: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    written = findings_of(program, file)
    written.unlink(missing_ok=True)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(REPOSITORY.emulator.parent), WARPGRADE_CHECK="all")
    environment |= {"WARPGRADE_FINDINGS": str(written), **variables}
    return subprocess.run(
        [program, called(file)], env=environment, capture_output=True, text=True, timeout=60
    )


def findings_of(program: Path, file: Path) -> Path:
    return program.parent / f"{called(file)}.jsonl"


def run(program: Path, file: Path, **variables: str) -> list[dict[str, Any]]:
    """What is found in one of the programs, which must end well."""
    return [row for row in rows(program, file, **variables) if not is_count(row)]


def rows(program: Path, file: Path, **variables: str) -> list[dict[str, Any]]:
    """What is found, and the counts of what is found again."""
    done = outcome(program, file, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in findings_of(program, file).read_text().splitlines()]


def sides(findings: list[dict[str, Any]]) -> set[tuple[str, int]]:
    """(code, line) of both sides of each finding."""
    lines = {(row["code"], row["line"]) for row in findings}
    return lines | {(row["code"], row["other"]["line"]) for row in findings if row["other"]}


@pytest.mark.parametrize("file", HERE, ids=called)
def test_what_is_found_is_what_is_marked(file: Path, program: Path) -> None:
    assert bool(marks(file)) == (file.parent.name == "faulty")
    found = run(program, file)
    assert sides(found) == marks(file), [row["message"] for row in found]
    assert all(row["file"] in ("", str(file)) for row in found)


@pytest.mark.parametrize("file", [FOLDER / "faulty" / "heap_of_a_kernel_leaks.cu"], ids=called)
def test_memory_of_a_kernel_is_counted_by_line(file: Path, program: Path) -> None:
    """Three copies of an unrolled loop are one line."""
    found = {row["line"]: row["message"] for row in run(program, file)}
    words = "allocations of {} bytes in all that a kernel made were never freed".format
    assert list(found.values()) == [f"32 {words(512)}", f"32 {words(1024)}", f"96 {words(3072)}"]


@pytest.mark.parametrize("order", ["late", "random:1"])
@pytest.mark.parametrize("file", ANY_ORDER, ids=called)
def test_a_right_program_is_right_in_any_order(file: Path, order: str, program: Path) -> None:
    found = run(program, file, WARPGRADE_ORDER=order)
    assert not found, [row["message"] for row in found]


@pytest.mark.parametrize("order", ["late", "random:1"])
@pytest.mark.parametrize("file", UNORDERED, ids=called)
def test_what_lacks_an_order_is_found_in_any_order(file: Path, order: str, program: Path) -> None:
    outcome(program, file, WARPGRADE_ORDER=order)
    rows = [json.loads(line) for line in findings_of(program, file).read_text().splitlines()]
    found = sides([row for row in rows if not is_count(row)])
    assert marks(file) <= found, found
    assert not any(code == USE_AFTER_FREE for code, _ in found - marks(file))


@pytest.mark.parametrize("file", [file for file in HERE if EARLY_ACCESS in file.read_text()], ids=called)
def test_late_work_is_compared_with_what_the_host_has_touched(file: Path, program: Path) -> None:
    outcome(program, file, WARPGRADE_ORDER="late")
    found = [json.loads(line) for line in findings_of(program, file).read_text().splitlines()]
    places = sides([row for row in found if not is_count(row)])
    assert of_early_access(places) == of_early_access(marks(file)), found


def beside(program: Path, file: Path, folder: Path) -> dict[str, Any]:
    """The record of a run in which the emulator is another process."""
    place = {"folder": str(folder), "outputs": [], "arguments": [called(file)]}
    each = {"label": "", "places": [place], "seconds": 60}
    (folder / "plan.json").write_text(json.dumps({"nonce": "secret", "runs": [each | {"fail_each": False}]}))
    order = "prompt" if file.read_text().startswith(POLLS) else "late"
    done = subprocess.run(
        [REPOSITORY.backend, folder / "plan.json", program, REPOSITORY.frontend.parent],
        env={"WARPGRADE_CHECK": "all", "WARPGRADE_ORDER": order}, capture_output=True, text=True, timeout=90,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("secret {")]
    assert len(lines) == 1, done.stdout + done.stderr
    record: dict[str, Any] = json.loads(lines[0].removeprefix("secret "))
    return record


def lines_of(program: Path, file: Path, message: str) -> set[int]:
    """The lines of the calls that a message names: of each the innermost function of the file itself."""
    found = set()
    for address in re.findall(r"program\+0x([0-9a-f]+)", message):
        command = ["addr2line", "-i", "-e", program, hex(int(address, 16) - 1)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        own = [row.split(":")[1].split()[0] for row in done.stdout.splitlines() if row.startswith(f"{file}:")]
        found |= {int(line) for line in own[:1]}
    return found


def of_early_access(places: set[tuple[str, int]]) -> set[tuple[str, int]]:
    return {place for place in places if place[0] == EARLY_ACCESS}


# Labs' programs are built without special flags.
@pytest.mark.parametrize("file", [file for file in FILES if not flags_of(file)], ids=called)
def test_the_order_is_checked_beside_the_emulator_as_well(file: Path, program: Path, tmp_path: Path) -> None:
    record = beside(program, file, tmp_path)
    if "programs of labs cannot call it" in record["errors"]:
        return
    found = [row for row in record["findings"] if not is_count(row) and row["code"] in ORDER]
    lines = {(row["code"], line) for row in found for line in lines_of(program, file, row["message"])}
    assert lines <= marks(file), [row["message"] for row in found]
    if "cudaHostRegister" in file.read_text():  # there such memory is copied at the call
        return
    # Late work may show other faults in another way: memory that is freed first has been freed.
    assert of_early_access(lines) == of_early_access(marks(file)), [row["message"] for row in found]
    if file.parent.name == "right":
        assert (record["signal"], record["exit_code"]) == (0, 0), record["printed"]


def test_a_call_in_a_loop_is_found_once_with_a_count(programs: dict[tuple[str, ...], Path]) -> None:
    found = rows(programs[()], FOLDER / "faulty" / "copies_in_a_loop.cu")
    assert [row["code"] for row in found if not is_count(row)] == ["WG123", "WG124"]
    assert {(row["code"], row["repeated"]) for row in found if is_count(row)} == {
        ("WG123", 19),
        ("WG124", 19),
    }


@pytest.mark.parametrize("name", ["managed_memory_read", "result_of_a_copy_used_too_early"])
def test_late_work_gives_a_wrong_program_a_wrong_result(
    name: str, programs: dict[tuple[str, ...], Path]
) -> None:
    for side, status in (("faulty", 1), ("right", 0)):
        file = FOLDER / side / f"{name}.cu"
        assert outcome(programs[()], file, WARPGRADE_ORDER="late").returncode == status


def test_each_faulty_program_has_a_right_twin() -> None:
    names = {side: {file.stem for file in FILES if file.parent.name == side} for side in ("faulty", "right")}
    assert names["faulty"] <= names["right"]
