"""A twin of the device gets a program's calls with other inputs: only what follows them is the device's."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.programs import case_data
from support.programs.case_data import CaseArray
from support.programs.square_program import (
    BEGIN,
    CAN_RUN,
    CASE,
    MANAGED,
    PLAIN,
    N,
    X,
    a_lab,
    data_in,
    graded,
)
from warpgrade.records import CaseRun, Lab
from warpgrade.run.programs import cases as case_results
from warpgrade.run.programs import program

pytestmark = pytest.mark.skipif(not CAN_RUN, reason="needs `make tools`")

COPY_IN = "  CHECK(cudaMemcpy(dx, x.data(), 4000, cudaMemcpyHostToDevice));\n"
COPY_OUT = "  CHECK(cudaMemcpy(y.data(), dy, 4000, cudaMemcpyDeviceToHost));\n"
ON_THE_HOST = "  for (float& each : x) each *= each;\n"
# What a kernel does with the result of the host.
DECODERS = {
    "turned": ("std::vector<float>(x.rbegin(), x.rend()).swap(x);", "y[i] = x[n - 1 - i]"),
    "negated": ("for (float& each : x) each = -each;", "y[i] = -x[i]"),
}
# Ways to send the inputs as they are, and what becomes of `x[i] * x[i]` there.
WAYS = {
    "padded": (
        "  std::vector<float> wide(1024); for (int i = 0; i < 1000; ++i) wide[i] = x[i];\n"
        "  cudaFree(dx); CHECK(cudaMalloc(&dx, 4096));\n"
        "  CHECK(cudaMemcpy(dx, wide.data(), 4096, cudaMemcpyHostToDevice));\n",
        "x[i] * x[i]",
    ),
    "halves": (
        "  CHECK(cudaMemcpy(dx + 500, &x[500], 2000, cudaMemcpyHostToDevice));\n"
        "  CHECK(cudaMemcpy(dx, &x[0], 2000, cudaMemcpyHostToDevice));\n",
        "x[i] * x[i]",
    ),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case, and the same one of other values."""
    folder = data_in(tmp_path_factory.mktemp("data"))
    values = struct.unpack(f"<{N}f", struct.pack(f"<{N}f", *(math.cos(3 * i) for i in range(N))))
    squares = CaseArray("output", "float", expected=[each * each for each in values], tolerance=1e-6)
    (folder / "_others").mkdir()
    case_data.write(folder / "_others", {CASE: {"x": CaseArray("input", "float", values), "y": squares}})
    return folder


def result(text: str, data: Path, folder: Path, item: Lab | None = None) -> CaseRun:
    (found,) = graded(BEGIN + text, data, folder, replace(item or a_lab(), techniques=())).cases
    return found


@pytest.mark.parametrize("text", [PLAIN, MANAGED])
def test_a_kernel_computes_from_whatever_inputs(text: str, data: Path, tmp_path: Path) -> None:
    found = result(text, data, tmp_path)
    assert (found.status, found.message) == ("pass", "")


@pytest.mark.parametrize("way", WAYS)
def test_inputs_may_be_sent_in_any_pieces(way: str, data: Path, tmp_path: Path) -> None:
    copies, product = WAYS[way]
    begin = BEGIN.replace("x[i] * x[i]", product)
    run = graded(begin + PLAIN.replace(COPY_IN, copies), data, tmp_path, replace(a_lab(), techniques=()))
    assert (run.cases[0].status, run.findings) == ("pass", ())


def test_a_program_that_checks_its_result_on_the_host(data: Path, tmp_path: Path) -> None:
    looks = "  for (int i = 0; i < 1000; ++i) if (y[i] != x[i] * x[i]) return 7;\n"
    assert result(PLAIN.replace(COPY_OUT, COPY_OUT + looks), data, tmp_path).status == "pass"


@pytest.mark.parametrize("way", DECODERS)
def test_what_the_host_computed_is_not_the_devices(way: str, data: Path, tmp_path: Path) -> None:
    encode, decode = DECODERS[way]
    text = PLAIN.replace(COPY_IN, ON_THE_HOST + encode + COPY_IN)
    run = graded(BEGIN.replace("y[i] = x[i] * x[i]", decode) + text, data, tmp_path)
    assert run.cases[0].status == "wrong_answer"
    assert "could not be judged" in run.cases[0].message


def test_inputs_and_results_may_be_converted_on_the_host(data: Path, tmp_path: Path) -> None:
    begin = BEGIN.replace("const float* x, float* y", "const double* x, double* y")
    text = PLAIN.replace("float *dx, *dy;", "double *dx, *dy; std::vector<double> wide(x.begin(), x.end());")
    text = text.replace("&dx, 4000", "&dx, 8000").replace("&dy, 4000", "&dy, 8000")
    text = text.replace(COPY_IN, "  CHECK(cudaMemcpy(dx, wide.data(), 8000, cudaMemcpyHostToDevice));\n")
    back = "  CHECK(cudaMemcpy(wide.data(), dy, 8000, cudaMemcpyDeviceToHost));\n"
    back += "  y.assign(wide.begin(), wide.end());\n"
    run = graded(begin + text.replace(COPY_OUT, back), data, tmp_path, replace(a_lab(), techniques=()))
    assert (run.cases[0].status, run.cases[0].message) == ("pass", "")


def test_inputs_that_cannot_be_followed_are_named_and_nobody_is_blamed(data: Path, tmp_path: Path) -> None:
    """The host shuffles the inputs, and a kernel puts each result where it belongs."""
    begin = "#include <algorithm>\n#include <random>\n" + BEGIN.replace("y[i] = ", "y[place[i]] = ")
    begin = begin.replace("__global__", "__device__ int place[1000];\n__global__")
    shuffles = (
        "  std::vector<int> at(1000); std::vector<float> from = x;\n"
        "  for (int i = 0; i < 1000; ++i) at[i] = i;\n"
        "  std::shuffle(at.begin(), at.end(), std::mt19937(1));\n"
        "  for (int i = 0; i < 1000; ++i) x[i] = from[at[i]];\n"
        "  CHECK(cudaMemcpyToSymbol(place, at.data(), 4000));\n"
    )
    text = begin + PLAIN.replace(COPY_IN, shuffles + COPY_IN)
    (found,) = graded(text, data, tmp_path, replace(a_lab(), techniques=())).cases
    assert found.status == "wrong_answer"
    assert "could not be judged" in found.message and "0% of x" in found.message


SORTED = "std::stable_partition(x.begin(), x.end(), [i = 0](float) mutable { return i++ % 2 == 0; });\n"


@pytest.mark.parametrize(
    ("by_the_host", "by_the_kernel", "status"),
    [
        ("", "y[i] = x[n - 1 - i]", "pass"),
        (SORTED, "y[i] = x[(n - 1 - i) % 2 * 500 + (n - 1 - i) / 2]", "wrong_answer"),
    ],
)
def test_a_program_that_rearranges_where_nothing_else_is_asked_for(
    by_the_host: str, by_the_kernel: str, status: str, tmp_path: Path
) -> None:
    """The lab turns an array round. Who begins with that on the host is not blamed, but earns nothing."""
    others = tuple(struct.unpack(f"<{N}f", struct.pack(f"<{N}f", *(math.cos(3 * i) for i in range(N)))))
    for folder, values in ((tmp_path / "data", X.values), (tmp_path / "data" / "_others", others)):
        folder.mkdir()
        turned = CaseArray("output", "float", expected=values[::-1])
        case_data.write(folder, {CASE: {"x": CaseArray("input", "float", values), "y": turned}})
    begin = "#include <algorithm>\n" + BEGIN.replace("y[i] = x[i] * x[i]", by_the_kernel)
    text = begin + PLAIN.replace(COPY_IN, by_the_host + COPY_IN)
    (found,) = graded(text, tmp_path / "data", tmp_path / "work", replace(a_lab(), techniques=())).cases
    assert found.status == status
    assert ("could not be judged" in found.message) == (status != "pass")


def test_in_a_lab_whose_results_steer_the_program_no_twin_is_asked(data: Path, tmp_path: Path) -> None:
    encode, decode = DECODERS["negated"]
    text = PLAIN.replace(COPY_IN, ON_THE_HOST + encode + COPY_IN)
    steered = replace(a_lab(), steered=True)
    run = graded(BEGIN.replace("y[i] = x[i] * x[i]", decode) + text, data, tmp_path, steered)
    assert run.cases[0].status == "pass"


def test_the_program_finds_no_file_of_the_other_values(data: Path, tmp_path: Path) -> None:
    other = next((data / "_others" / CASE).glob("x.npy")).read_bytes()
    looks = (
        "#include <filesystem>\n#include <fstream>\n#include <iterator>\n#include <string>\n"
        "static bool stands(const char* folder) {\n"
        "  std::error_code none;\n"
        "  namespace fs = std::filesystem;\n"
        "  auto at = fs::recursive_directory_iterator(folder, none);\n"
        "  for (; at != fs::end(at); at.increment(none)) {\n"
        f"    if (!at->is_regular_file(none) || at->file_size(none) != {len(other)}) continue;\n"
        "    std::ifstream file(at->path(), std::ios::binary);\n"
        "    const std::string all{std::istreambuf_iterator<char>(file), {}};\n"
        f"    if (all.find(std::string({_c_string(other[-32:])}, 32)) != std::string::npos) return true;\n"
        "  }\n  return false;\n}\n"
    )
    folders = '{"/box", "/data", "/course", "/tmp", ".."}'
    main = f"  for (const char* folder : {folders}) if (stands(folder)) return 7;\n"
    text = looks + PLAIN.replace("int main(int, char** argv) {\n", "int main(int, char** argv) {\n" + main)
    assert result(text, data, tmp_path / "work").status == "pass"


def _c_string(bytes: bytes) -> str:
    return '"' + "".join(f"\\{each:03o}" for each in bytes) + '"'


@pytest.mark.parametrize(("unlucky", "status", "tries"), [(1, "pass", 2), (9, "wrong_answer", 3)])
def test_all_is_run_again_where_only_the_twin_is_wrong(
    unlucky: int, status: str, tries: int, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another thread writes shared memory while the back end looks."""
    made = []

    def judge(cases: tuple[CaseRun, ...], *rest: Any) -> tuple[CaseRun, ...]:
        made.append(cases)
        right = case_results.judge_twins(cases, *rest)
        wrong = tuple(replace(case, status="wrong_answer") for case in right)
        return wrong if len(made) <= unlucky else right

    monkeypatch.setattr(program, "judge_twins", judge)
    assert result(PLAIN, data, tmp_path).status == status
    assert len(made) == tries
