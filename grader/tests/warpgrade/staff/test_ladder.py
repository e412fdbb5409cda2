"""The ladder's program on the emulator, its file, and the table that is made from it."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core import messages
from warpgrade.core.errors import GraderError, InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.gpu import ladder_file
from warpgrade.gpu.ladder_file import LIBRARY, Ladder, LadderTiming
from warpgrade.handouts.figures import ladder_chart
from warpgrade.staff import ladder

REPOSITORY = Repository(Path(__file__).resolve().parents[4])
LAB = lab.named(REPOSITORY, "09-sgemm")
H200 = "NVIDIA H200"
SIZE = (96, 76, 36)


@pytest.fixture(scope="module")
def measured() -> Ladder:
    found = ladder_file.load(REPOSITORY, H200)
    assert found is not None
    return found


# --- the program ---------------------------------------------------------------------------------------


def compiled(file: Path, folder: Path) -> tuple[str, str, Path]:
    target = ("-gencode", "arch=compute_80,code=compute_80", "--no-compress", "-I", str(REPOSITORY.common))
    out = folder / f"{file.stem}.fatbin"
    subprocess.run([REPOSITORY.toolkit / "bin" / "nvcc", "-fatbin", *target, "-o", out, file], check=True)
    return file.stem, LAB.kernel, out


def test_every_step_computes_the_product(tmp_path: Path) -> None:
    files = ladder.step_files(REPOSITORY, LAB)
    assert len(files) >= 8 and files[-1].name == LAB.files[0]
    with ThreadPoolExecutor(2) as pool:
        kernels = list(pool.map(lambda file: compiled(file, tmp_path), files))
    libraries = f"{REPOSITORY.emulator.parent}:{REPOSITORY.libraries}"
    sizes = (SIZE, (33, 70, 21))  # the second is a multiple of nothing
    rows = ladder.run_program(REPOSITORY, LAB, kernels, sizes, tmp_path / "rows.jsonl", libraries)
    found, absent = ladder.timings(rows)
    assert {(row.label, row.size) for row in found} >= {(f.stem, size) for f in files for size in sizes}
    assert any(words.startswith(LIBRARY) for words in absent), "there is no GPU that it could run on"


def test_a_wrong_kernel_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "wrong.cu"
    right = (REPOSITORY.solution(LAB.name) / "steps" / "2-coalesced.cu").read_text(encoding="utf-8")
    file.write_text(right.replace("i < k", "i < k - 1"), encoding="utf-8")
    with pytest.raises(GraderError, match="build/bench/ladder/09-sgemm failed: ladder: wrong"):
        libraries = f"{REPOSITORY.emulator.parent}:{REPOSITORY.libraries}"
        ladder.run_program(
            REPOSITORY, LAB, [compiled(file, tmp_path)], (SIZE,), tmp_path / "rows.jsonl", libraries
        )


def test_only_labs_with_the_same_problem_take_part() -> None:
    labs = {item.name: item for item in lab.find(REPOSITORY)}
    assert [item.name for item in ladder.with_ladder(tuple(labs.values()))] == [LAB.name]
    taking_part = {name for name, item in labs.items() if ladder.has_same_problem(item, LAB)}
    assert {"01-basic", LAB.name} <= taking_part
    assert not taking_part & {"00-threads", "06-atomics", "07-transpose", "10-host-program"}


# --- the file ------------------------------------------------------------------------------------------


def test_a_ladder_is_written_and_read(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    assert ladder_file.load(repository, "Some GPU") is None
    whole = Ladder(
        {"gpu": "Some GPU", "cpu": "a"}, (LadderTiming("x", SIZE, 2.0, 0.1, 3, 8, 4e9),), ("y: why",)
    )
    path = ladder.write(repository, whole)
    assert path.name == "some-gpu.json" and ladder_file.load(repository, "Some GPU") == whole
    path.write_text("{}")
    with pytest.raises(InstructorError, match="cannot be read"):
        ladder_file.load(repository, "Some GPU")


def test_the_committed_ladder_is_complete(measured: Ladder) -> None:
    assert measured.conditions["gpu"] == H200 and measured.conditions["cpu"]
    labels = {row.label for row in measured.timings}
    assert labels >= {
        "CPU, triple loop",
        "OpenBLAS",
        LIBRARY,
        *(item.name for item in lab.find(REPOSITORY) if item.performance.ladder),
    }
    assert measured.absent == ()
    for file in ladder.step_files(REPOSITORY, LAB):
        assert {ladder.step_label(file, level) for level in LAB.compilation.ptxas} <= labels


def test_the_solution_is_as_fast_as_the_library(measured: Ladder) -> None:
    for size in LAB.performance.ladder:
        own, library = measured.timing(LAB.name, size), measured.timing(LIBRARY, size)
        assert own is not None and library is not None and own.gflops >= library.gflops


# --- what is made from it ------------------------------------------------------------------------------


def test_the_table_at_the_top_of_the_solution_is_fresh(measured: Ladder) -> None:
    """Type: warpgrade ladder, on that GPU; or copy the lines that fail here."""
    text = ladder.step_files(REPOSITORY, LAB)[-1].read_text(encoding="utf-8")
    assert ladder.with_table(text, ladder.table(REPOSITORY, LAB, measured)) == text


def test_a_row_that_was_not_measured_is_a_dash(measured: Ladder) -> None:
    some = replace(measured, timings=tuple(row for row in measured.timings if row.label != LIBRARY))
    assert ladder.table(REPOSITORY, LAB, some)[-1].split()[-4:] == ["–"] * 4


def test_the_chart_shows_each_implementation_once_and_no_step(measured: Ladder) -> None:
    words = messages.load(REPOSITORY.root, "en")
    drawn = ladder_chart.implementations(words, REPOSITORY, model="h200", id="r")
    assert drawn.count("<tr><td>") == len({row.label for row in measured.timings if " -O" not in row.label})
    assert "CPU, three loops" in drawn and "1-naive" not in drawn
    assert ">0</text>" not in drawn, "slow ones have decimals"


def test_a_gpu_without_a_ladder_says_so() -> None:
    words = messages.load(REPOSITORY.root, "en")
    assert "Nothing has been measured" in ladder_chart.implementations(words, REPOSITORY, model="t4", id="r")
