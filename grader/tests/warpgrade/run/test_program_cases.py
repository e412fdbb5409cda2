"""The files of a case of a program lab, and the verdict on what the program wrote."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.records import Case, HostCall, ProgramRun, Visibility
from warpgrade.run.program_cases import files_of, judge_run

CASE = Case("2-counts", ("n",), (2,), "even", 1.0, Visibility.VISIBLE)
ROWS = [("bytes", "u8", "input"), ("counts", "u32", "inout"), ("parts", "u32", "scratch"),
        ("sums", "float", "output")]  # fmt: skip


def npy(dtype: str, code: str, *values: float) -> bytes:
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({len(values)},), }}\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
    return start + struct.pack(f"<{len(values)}{code}", *values)


def folder(tmp_path: Path) -> Path:
    arrays = [{"name": name, "type": type, "role": role, "shape": [2]} for name, type, role in ROWS]
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [{"name": CASE.name, "arrays": arrays}]}))
    made = tmp_path / CASE.name
    made.mkdir()
    made.joinpath("counts.expected.npy").write_bytes(npy("<u4", "I", 7, 9))
    made.joinpath("sums.npy").write_bytes(npy("<f4", "f", 1.5, 2.0))
    made.joinpath("sums.tolerance.npy").write_bytes(npy("<f8", "d", 0.1, 0.1))
    return tmp_path


def test_an_array_that_the_program_changes_is_an_input_and_an_output(tmp_path: Path) -> None:
    found = files_of(folder(tmp_path), CASE.name)
    assert [path.name for path in found.inputs.values()] == ["bytes.npy", "counts.npy"]
    assert [path.name for path in found.outputs.values()] == ["counts.expected.npy", "sums.npy"]
    assert list(found.outputs) == ["counts", "sums"] and found.types["counts"] == "u4"


def test_each_output_is_compared_with_what_it_must_become(tmp_path: Path) -> None:
    files = files_of(folder(tmp_path), CASE.name)

    def judged(counts: tuple[int, int], sums: tuple[float, float]) -> tuple[str, str]:
        written = (npy("<u4", "I", *counts), npy("<f4", "f", *sums))
        outputs = tuple(base64.b64encode(each).decode() for each in written)
        run = ProgramRun(CASE.name, exit_code=0, from_device=True, outputs=outputs)
        found = judge_run(run, CASE, files, 10)
        return found.status, found.message

    assert judged((7, 9), (1.45, 2.05)) == ("pass", "")
    status, words = judged((7, 8), (1.5, 2.0))
    assert status == "wrong_answer" and words.startswith("counts.npy has 1 wrong element")
    assert judged((7, 9), (1.5, 2.2))[0] == "wrong_answer"


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
        ((LAUNCH, BACK), "8 instead of 9"),
        ((HostCall("cudaMallocManaged"), LAUNCH), "8 instead of 9"),
    ],
)
def test_a_wrong_output_names_the_step_that_the_program_left_out(
    calls: tuple[HostCall, ...], words: str, tmp_path: Path
) -> None:
    written = (npy("<u4", "I", 7, 8), npy("<f4", "f", 1.5, 2.0))
    outputs = tuple(base64.b64encode(each).decode() for each in written)
    run = ProgramRun(CASE.name, exit_code=0, calls=calls, outputs=outputs)
    assert judge_run(run, CASE, files_of(folder(tmp_path), CASE.name), 10).message.endswith(words)


def test_what_a_program_says_of_its_end_is_a_field_of_its_own(tmp_path: Path) -> None:
    """Handouts show how a program ended without its own words, which name lines of the solution."""
    run = ProgramRun(CASE.name, exit_code=3, errors="first\nprogram.cu:7: no such stream\n")
    found = judge_run(run, CASE, files_of(folder(tmp_path), CASE.name), 10)
    assert found.message == "the program ended with exit code 3"
    assert found.said == "program.cu:7: no such stream" and found.sentence.endswith(
        f" and said: {found.said}"
    )


@pytest.mark.parametrize(("bytes", "is_told"), [(4, True), (8, False), (16, False)])
def test_as_many_bytes_back_as_there_are_elements(bytes: int, is_told: bool, tmp_path: Path) -> None:
    written = (npy("<u4", "I", 7, 8), npy("<f4", "f", 1.5, 2.0))
    outputs = tuple(base64.b64encode(each).decode() for each in written)
    calls = (LAUNCH, replace(BACK, bytes=bytes))
    run = ProgramRun(CASE.name, exit_code=0, calls=calls, outputs=outputs)
    words = judge_run(run, CASE, files_of(folder(tmp_path), CASE.name), 10).message
    assert ("the program copied 4 bytes back" in words) == is_told
