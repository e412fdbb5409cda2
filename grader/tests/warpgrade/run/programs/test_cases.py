"""The files of a case of a program lab, and the verdict on what the program wrote."""

from __future__ import annotations

import base64
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from support.backends import strongest
from support.programs import case_data
from support.programs.case_data import CaseArray
from warpgrade.build import toolkit
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.records import CaseRun, HostCall, ProgramRun
from warpgrade.run.harness import RunnerConfig
from warpgrade.run.programs.cases import files_of, judge_runs

REPOSITORY = here()
CASE = "2-counts"
ARRAYS = {
    "bytes": CaseArray("input", "u8", (1, 2)),
    "counts": CaseArray("inout", "u32", (6, 8), (7, 9)),
    "parts": CaseArray("scratch", "u32", shape=(2,)),
    "sums": CaseArray("output", "float", expected=(1.5, 2.0), tolerance=0.1),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return case_data.write(tmp_path_factory.mktemp("data"), {CASE: ARRAYS})


def written(counts: tuple[int, ...] = (7, 8), sums: tuple[float, ...] = (1.5, 2.0)) -> tuple[str, ...]:
    files = (case_data.file("u32", counts), case_data.file("float", sums))
    return tuple(base64.b64encode(each).decode() for each in files)


def judged(run: ProgramRun, data: Path) -> CaseRun:
    runner = RunnerConfig(REPOSITORY, toolkit.find(REPOSITORY), strongest())
    files = {CASE: files_of(data, CASE)}
    (found,) = judge_runs([run], files, lab.find(REPOSITORY)[0], data, runner)
    return found


def test_an_array_that_the_program_changes_is_an_input_and_an_output(data: Path) -> None:
    found = files_of(data, CASE)
    assert [path.name for path in found.inputs.values()] == ["bytes.npy", "counts.npy"]
    assert [output.name for output in found.outputs] == ["counts", "sums"]
    assert found.outputs[0].dtype == "u4" and found.outputs[0].bytes == 8


def test_each_output_is_compared_with_what_it_must_become(data: Path) -> None:
    def found(counts: tuple[int, int], sums: tuple[float, float]) -> CaseRun:
        outputs = written(counts, sums)
        return judged(ProgramRun(CASE, exit_code=0, from_device=True, outputs=outputs), data)

    assert found((7, 9), (1.45, 2.05)).status == "pass"
    wrong = found((7, 8), (1.5, 2.0)).wrong
    assert wrong is not None and (wrong.array, wrong.index, wrong.pattern) == ("counts", (1,), "unchanged")
    assert found((7, 9), (1.5, 2.2)).status == "wrong_answer"
    assert found((7, 9), (1.5, float("nan"))).status == "wrong_answer"


def test_what_the_host_computed_is_not_right(data: Path) -> None:
    found = judged(ProgramRun(CASE, exit_code=0, outputs=written((7, 9))), data)
    assert found.status == "wrong_answer" and "a kernel must compute them" in found.message
    assert "launched no kernel" in found.message and "judged" not in found.message
    launched = judged(ProgramRun(CASE, exit_code=0, calls=(LAUNCH,), outputs=written((7, 9))), data)
    assert launched.status == "wrong_answer" and "launched no kernel" not in launched.message


LAUNCH = HostCall("cudaLaunchKernel", kernel="k")
BACK = HostCall("cudaMemcpy", bytes=8, direction="to host")


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ((), "; the program launched no kernel"),
        ((replace(LAUNCH, code=1), BACK), "; the program launched no kernel"),
        (
            (LAUNCH, replace(BACK, direction="to device")),
            "; the program copied nothing from the device to the host",
        ),
        ((LAUNCH, BACK), ""),
        ((HostCall("cudaMallocManaged"), LAUNCH), ""),
    ],
)
def test_a_wrong_output_names_the_step_that_the_program_left_out(
    calls: tuple[HostCall, ...], words: str, data: Path
) -> None:
    found = judged(ProgramRun(CASE, exit_code=0, calls=calls, outputs=written()), data)
    assert found.wrong is not None and found.wrong.explanation == found.message
    assert found.message.endswith(f"{words}.") and found.message.count(";") == (2 if words else 1)


def test_an_array_of_another_shape_is_reported_with_what_was_left_out(data: Path) -> None:
    found = judged(ProgramRun(CASE, exit_code=0, outputs=written((7, 9, 1))), data)
    assert found.message == (
        "counts.npy holds uint32 of shape (3,); it must be uint32 of shape (2,); "
        "the program launched no kernel"
    )


def test_what_a_program_says_of_its_end_is_a_field_of_its_own(data: Path) -> None:
    """Handouts show how a program ended without its own words, which name lines of the solution."""
    run = ProgramRun(CASE, exit_code=3, errors="first\nprogram.cu:7: no such stream\n")
    found = judged(run, data)
    assert found.message == "the program ended with exit code 3"
    assert found.said == "program.cu:7: no such stream" and found.sentence.endswith(
        f" and said: {found.said}"
    )


@pytest.mark.parametrize(("bytes", "is_reported"), [(4, True), (8, False), (16, False)])
def test_as_many_bytes_back_as_there_are_elements(bytes: int, is_reported: bool, data: Path) -> None:
    calls = (LAUNCH, replace(BACK, bytes=bytes))
    words = judged(ProgramRun(CASE, exit_code=0, calls=calls, outputs=written()), data).message
    assert ("the program copied 4 bytes back" in words) == is_reported


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGSEGV, "a pointer of the device"), (signal.SIGFPE, "divided an integer by 0"), (6, "")],
)
def test_a_signal_that_says_why_it_comes_is_explained(number: int, words: str, data: Path) -> None:
    found = judged(ProgramRun(CASE, signal=number, errors="what(): no file\n"), data)
    assert found.status == "crash" and f"signal {int(number)} ended the program" in found.sentence
    assert words in found.sentence and "no file" in found.sentence
