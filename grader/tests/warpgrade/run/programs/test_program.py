"""A student's whole program beside the back end: what is right, what is found, and what cannot be forged."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import case_data
from support.programs.case_data import CaseArray
from support.programs.square_program import (
    BEGIN,
    CAN_RUN,
    CASE,
    MANAGED,
    PLAIN,
    REPOSITORY,
    X,
    counted,
    data_in,
    graded,
    squares,
)
from warpgrade.tables import finding_kinds

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CAN_RUN, reason="needs `make tools`"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_in(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("text", [PLAIN, MANAGED])
def test_a_right_program_has_no_finding(text: str, data: Path, tmp_path: Path) -> None:
    run = graded(BEGIN + text, data, tmp_path)
    assert [(case.name, case.status, case.message) for case in run.cases] == [(CASE, "pass", "")]
    assert run.findings == ()
    assert counted(run)["unnoticed"] == counted(run)["leaks"] == counted(run)["early_times"] == 0
    assert counted(run)["failures"] >= 3
    assert counted(run)["timed_kernels"] == (1 if text == PLAIN else 0)


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def test_an_error_that_nobody_looks_at_is_found_with_its_line(data: Path, tmp_path: Path) -> None:
    text = BEGIN + PLAIN.replace("  CHECK(cudaGetLastError());\n", "")
    run = graded(text, data, tmp_path)
    assert counted(run)["unnoticed"] == 1
    (finding,) = run.findings
    assert (finding.kind, finding.code) in [(kind.name, kind.code) for kind in finding_kinds.load(REPOSITORY)]
    assert finding.place.file == "program.cu"
    assert finding.place.line == line_of(text, "square<<<")
    assert finding.message.startswith("cudaLaunchKernel was made to fail here, to see whether")


def test_a_leak_is_found_with_the_line_of_its_allocation(data: Path, tmp_path: Path) -> None:
    text = BEGIN + PLAIN.replace("  cudaFree(dy);\n", "").replace("  cudaEventDestroy(stop);\n", "")
    run = graded(text, data, tmp_path)
    assert run.cases[0].status == "pass"
    assert counted(run)["leaks"] == 2
    memory = next(finding for finding in run.findings if finding.code == "WG110")
    assert memory.place.line == line_of(text, "cudaMalloc(&dy")
    assert f"allocated at program.cu:{memory.place.line}" in memory.message
    assert memory.named == (f"program.cu:{memory.place.line}",)


def test_a_second_free_is_found_with_its_own_line(data: Path, tmp_path: Path) -> None:
    text = BEGIN + PLAIN.replace("  cudaFree(dy);\n", "  cudaFree(dy);\n  cudaFree(dy); // again\n")
    (finding,) = (each for each in graded(text, data, tmp_path).findings if each.kind == "invalid-free")
    assert finding.place.line == line_of(text, "// again")


def test_a_race_in_a_kernel_has_both_sides(data: Path, tmp_path: Path) -> None:
    text = BEGIN.replace("y[i] = x[i] * x[i];", "{ y[i] = x[i] * x[i]; y[0] = x[0] * x[0]; }") + PLAIN
    finding = next(each for each in graded(text, data, tmp_path).findings if each.check == "race")
    assert finding.other is not None and finding.other.thread != finding.place.thread
    assert finding.named is None


def test_threads_that_add_to_one_element_are_no_other_race(data: Path, tmp_path: Path) -> None:
    """An atomic helps there, and a barrier does not."""
    update = "bins[i % 8] += 1;\n  __syncthreads();\n  if (i < n) y[i] = x[i] * x[i] + 0 * bins[i % 8];"
    begin = "{\n  __shared__ int bins[8];\n  bins[threadIdx.x % 8] = 0;\n  __syncthreads();\n  const int i ="
    text = BEGIN.replace("if (i < n) y[i] = x[i] * x[i];", update).replace("{\n  const int i =", begin)
    races = [each for each in graded(text + PLAIN, data, tmp_path).findings if each.check == "race"]
    assert any(each.update for each in races)


def test_a_function_that_programs_of_labs_cannot_call_is_named(data: Path, tmp_path: Path) -> None:
    """A program that looks at what it returns ends there: that it is right elsewhere is not its fault."""
    node = 'CHECK(cudaGraphDebugDotPrint(nullptr, "a.dot", 0));\n  '
    record = "CHECK(cudaEventRecord(start));"
    run = graded(BEGIN + PLAIN.replace(record, node + record), data, tmp_path)
    assert run.cases[0].status == "crash"
    (finding,) = [each for each in run.findings if each.code == "WG120"]
    assert finding.message.startswith("cudaGraphDebugDotPrint returned cudaErrorNotSupported")
    assert finding.place.source is not None and "cudaGraphDebugDotPrint" in finding.place.source
    assert "another way" in finding.help


def test_memory_that_kernels_allocate_is_device_memory(data: Path, tmp_path: Path) -> None:
    """Four blocks, of which the last thread holds 1,000 bytes."""
    held = (
        "if (i < n) y[i] = x[i] * x[i];\n  if (threadIdx.x == 255) { void* own = malloc(1000); free(own); }"
    )
    text = BEGIN.replace("if (i < n) y[i] = x[i] * x[i];", held) + PLAIN
    plain, run = graded(BEGIN + PLAIN, data, tmp_path), graded(text, data, tmp_path)
    assert run.cases[0].status == "pass"
    assert 1000 <= counted(run)["device_bytes"] - counted(plain)["device_bytes"] <= 4000


NODES = r"""
int main(int, char** argv) {
  std::vector<float> x = read(argv[1]), y(1000);
  float *dx, *dy;
  int n = 1000;
  CHECK(cudaMalloc(&dx, 4000));
  CHECK(cudaMalloc(&dy, 4000));
  cudaGraph_t graph;
  cudaGraphNode_t in, compute, out;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, dx, x.data(), 4000, cudaMemcpyHostToDevice));
  void* arguments[] = {&dx, &dy, &n};
  cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
  p.kernel.func = reinterpret_cast<void*>(square);
  p.kernel.gridDim = dim3(4);
  p.kernel.blockDim = dim3(256);
  p.kernel.kernelParams = arguments;
  CHECK(cudaGraphAddNode(&compute, graph, &in, nullptr, 1, &p));
  CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &compute, 1, y.data(), dy, 4000, cudaMemcpyDeviceToHost));
  cudaGraphExec_t work;
  CHECK(cudaGraphInstantiate(&work, graph, 0));
  CHECK(cudaGraphLaunch(work, 0));
  CHECK(cudaStreamSynchronize(0));
  write(argv[2], y.data());
  CHECK(cudaGraphExecDestroy(work));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
}
"""


def test_a_graph_of_nodes_is_right_and_counted_as_what_it_runs(data: Path, tmp_path: Path) -> None:
    run = graded(BEGIN + NODES, data, tmp_path)
    assert [(case.status, case.message) for case in run.cases] == [("pass", "")]
    assert run.findings == ()
    found = counted(run)
    assert (found["unnoticed"], found["leaks"], found["unfinished"]) == (0, 0, 0)
    assert (found["launches"], found["graph_launches"], found["copied_bytes"]) == (1, 1, 8000)
    assert found["graph_bytes"] == found["read_bytes"] == 4000


@pytest.mark.parametrize(
    ("edge", "missing", "sides"),
    [
        ("graph, &in, nullptr, 1, &p", "graph, nullptr, nullptr, 0, &p", ("&in, graph", "&compute, graph")),
        ("graph, &compute, 1, y", "graph, &in, 1, y", ("&compute, graph", "&out, graph")),
    ],
)
def test_an_edge_that_a_graph_lacks_is_found(
    edge: str, missing: str, sides: tuple[str, str], data: Path, tmp_path: Path
) -> None:
    text = BEGIN + NODES.replace(edge, missing)
    (finding,) = (each for each in graded(text, data, tmp_path).findings if each.kind == "graph-race")
    assert finding.other is not None
    assert {finding.place.line, finding.other.line} == {line_of(text, side) for side in sides}


def test_an_error_of_a_node_that_nobody_looks_at_is_found(data: Path, tmp_path: Path) -> None:
    call = "cudaGraphAddMemcpyNode1D(&out, graph, &compute, 1, y.data(), dy, 4000, cudaMemcpyDeviceToHost)"
    run = graded(BEGIN + NODES.replace(f"CHECK({call})", call), data, tmp_path)
    assert counted(run)["unnoticed"] == 1


def test_a_result_that_is_read_too_early_is_wrong(data: Path, tmp_path: Path) -> None:
    run = graded(BEGIN + MANAGED.replace("  CHECK(cudaDeviceSynchronize());\n", ""), data, tmp_path)
    assert run.cases[0].status == "wrong_answer"


def test_device_memory_on_the_host_ends_the_program(data: Path, tmp_path: Path) -> None:
    text = BEGIN + PLAIN.replace("  write(argv[2], y.data());\n", "  write(argv[2], dy);\n")
    run = graded(text, data, tmp_path)
    assert run.cases[0].status == "crash"
    memory = next(finding for finding in run.findings if finding.code == "WG116").memory
    assert memory is not None
    assert (memory.allocation, memory.allocation_bytes, memory.relation) == ("dy", 4000, "inside")


HOST = "for (int i = 0; i < 1000; ++i) y[i] = x[i] * x[i];"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "computes on the host",
            PLAIN.replace("(dx, dy, 1000)", "(dx, dy, 1)").replace(
                "  write(argv[2]", f"  {HOST}\n  write(argv[2]"
            ),
        ),
        (
            "uploads what the host computed, and copies it back",
            PLAIN.replace("  square<<<4, 256>>>(dx, dy, 1000);", "  square<<<4, 256>>>(dx, dy, 0);").replace(
                "  CHECK(cudaMemcpy(y.data(), dy",
                f"  {HOST}\n  CHECK(cudaMemcpy(dy, y.data(), 4000, cudaMemcpyHostToDevice));\n"
                "  CHECK(cudaMemcpy(y.data(), dy",
            ),
        ),
        (
            "computes on the host, in managed memory",
            MANAGED.replace("both + 1000, 1000)", "both + 1000, 0)").replace(
                "  write(argv[2]", HOST.replace("y[i]", "both[1000 + i]") + "\n  write(argv[2]"
            ),
        ),
    ],
)  # fmt: skip
def test_what_the_host_computed_does_not_count(name: str, text: str, data: Path, tmp_path: Path) -> None:
    run = graded(BEGIN + text, data, tmp_path)
    assert run.cases[0].status == "wrong_answer", name
    assert "a kernel must" in run.cases[0].message


COMPUTES_IN_A_GRAPH = r"""
struct Both { const float* x; float* y; };
void compute(void* given) {
  const Both& both = *static_cast<Both*>(given);
  for (int i = 0; i < 1000; ++i) both.y[i] = both.x[i] * both.x[i];
}
int main(int, char** argv) {
  std::vector<float> x = read(argv[1]);
  float* y;
  CHECK(cudaMallocHost(&y, 4000));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  Both both = {x.data(), y};
  cudaGraph_t graph;
  cudaGraphExec_t work;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  square<<<4, 256, 0, stream>>>(y, y, 0);
  CHECK(cudaLaunchHostFunc(stream, compute, &both));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&work, graph, 0));
  CHECK(cudaGraphLaunch(work, stream));
  CHECK(cudaStreamSynchronize(stream));
  write(argv[2], y);
}
"""


def test_what_a_function_of_a_graph_computed_does_not_count(data: Path, tmp_path: Path) -> None:
    run = graded(BEGIN + COMPUTES_IN_A_GRAPH, data, tmp_path)
    assert run.cases[0].status == "wrong_answer"
    assert "a kernel must" in run.cases[0].message


def test_a_program_that_fails_from_its_second_run_on_has_noticed_nothing(data: Path, tmp_path: Path) -> None:
    text = PLAIN.replace(
        "  write(argv[2], y.data());\n",
        '  write(argv[2], y.data());\n  const bool again = access("seen", F_OK) == 0;\n'
        '  put("seen", "1", 1, "wb");\n  if (again) return 1;\n',
    ).replace("  CHECK(cudaGetLastError());\n", "")
    run = graded(BEGIN + text, data, tmp_path)
    assert run.cases[0].status == "pass"  # its first run was right
    assert counted(run)["unnoticed"] == counted(run)["failures"] > 3


TWO_OUTPUTS = r"""
#include "npy.hpp"
#define CHECK(call) if ((call) != cudaSuccess) return std::puts(#call), 1
__global__ void square(const float* x, double* y, float* ends, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = double(x[i]) * x[i];
  if (i == 0) ends[0] = x[0], ends[1] = x[n - 1];
}
int main(int argc, char** argv) {
  const std::vector<float> x = read_npy(argv[1]);
  std::vector<double> y(1000);
  float ends[2], *dx, *de;
  double* dy;
  CHECK(cudaMalloc(&dx, 4000));
  CHECK(cudaMalloc(&dy, 8000));
  CHECK(cudaMalloc(&de, 8));
  CHECK(cudaMemcpy(dx, x.data(), 4000, cudaMemcpyHostToDevice));
  square<<<4, 256>>>(dx, dy, de, 1000);
  CHECK(cudaGetLastError());
  for (int part = 0; part < argc; ++part) {
    const cudaError_t code = cudaMemcpy(&y[part * 250], dy + part * 250, 2000, cudaMemcpyDeviceToHost);
    if (part == 0) CHECK(code);
  }
  CHECK(cudaMemcpy(ends, de, 8, cudaMemcpyDeviceToHost));
  write_npy(argv[2], y.data(), y.size());
  write_npy(argv[3], ends, {2, 1});
  cudaFree(dx), cudaFree(dy), cudaFree(de);
}
"""


def test_every_output_is_judged_and_every_turn_of_a_loop_may_fail(data: Path, tmp_path: Path) -> None:
    ends = CaseArray("output", "float", expected=[X.values[0], X.values[-1]], shape=(2, 1))
    case_data.write(tmp_path, {CASE: {"x": X, "y": squares("double"), "ends": ends}})
    run = graded(TWO_OUTPUTS, tmp_path, tmp_path)
    assert [(case.status, case.message) for case in run.cases] == [("pass", "")]
    # The copies are looked at in the first turn only.
    assert counted(run)["unnoticed"] == 1
    (finding,) = run.findings
    assert finding.place.line == line_of(TWO_OUTPUTS, "cudaMemcpy(&y")
    wrong = TWO_OUTPUTS.replace("ends[1] = x[n - 1]", "ends[1] = x[n - 2]")
    run = graded(wrong, tmp_path, tmp_path)
    assert run.cases[0].status == "wrong_answer"
    assert run.cases[0].wrong is not None
    assert (run.cases[0].wrong.array, run.cases[0].wrong.index) == ("ends", (1, 0))


def test_a_lab_of_programs_names_the_mistake(data: Path, tmp_path: Path) -> None:
    """The patterns of kernels, and what a kernel never wrote."""
    text = BEGIN + PLAIN

    def pattern(wrong: str) -> str:
        case = graded(text.replace("y[i] = x[i] * x[i]", wrong), data, tmp_path).cases[0]
        assert case.status == "wrong_answer" and case.wrong is not None
        assert case.message == case.wrong.explanation
        return case.wrong.pattern

    assert pattern("y[i] = -x[i] * x[i]") == "negated"
    assert pattern("if (i < 900) y[i] = x[i] * x[i]") == "last-left-out"
    assert pattern("if (i % 7 < 3) y[i] = x[i] * x[i]") == "never-written"


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("'shape': (True, 1000)", "must be float32 of shape (1000,)"),
        ("'shape': (999,)", "needs 3,996"),
        ("'shape': (500, 2)", "must be float32 of shape (1000,)"),
    ],
)
def test_an_output_of_another_shape_is_the_programs_fault(
    head: str, words: str, data: Path, tmp_path: Path
) -> None:
    """A head that Python reads, and nobody else, is not handed on to the harness."""
    line = f"std::sprintf(head + 10, \"%-117s\", \"{{'descr': '<f4', 'fortran_order': False, {head}, }}\");"
    text = PLAIN.replace("  write(argv[2]", f"  {line} head[127] = 10;\n  write(argv[2]")
    case = graded(BEGIN + text, data, tmp_path).cases[0]
    assert case.status == "wrong_answer" and words in case.message


@pytest.mark.parametrize(
    ("line", "wrong", "words"),
    [
        ("CHECK(cudaEventCreate(&start));", "start = nullptr;", ""),
        ("cudaMalloc(&dx, 4000)", "cudaMalloc(&dx, 1000)", "which has 1000 bytes, allocated at program.cu:"),
        (
            "y.data(), dy, 4000, cudaMemcpyDeviceToHost",
            "y.data(), dy, 4000, cudaMemcpyHostToDevice",
            "its kind is cudaMemcpyDeviceToHost; if the other one is, exchange the first two arguments",
        ),
        (
            "y.data(), dy, 4000, cudaMemcpyDeviceToHost",
            "y.data(), dy, 4000, cudaMemcpyDeviceToDevice",
            "for these two pointers the kind is cudaMemcpyDeviceToHost",
        ),
        ("x.data(), 4000, cudaMemcpyHostToDevice", "(float*)16, 4000, cudaMemcpyHostToDevice", "allocated?"),
    ],
)
def test_of_a_program_that_ended_at_an_error_the_message_says_why(
    line: str, wrong: str, words: str, data: Path, tmp_path: Path
) -> None:
    text = BEGIN + PLAIN.replace(line, wrong)
    (finding,) = (each for each in graded(text, data, tmp_path).findings if each.kind == "failed-call")
    assert words in finding.message and "program+" not in finding.message
    assert "CHECK" in finding.place.source
