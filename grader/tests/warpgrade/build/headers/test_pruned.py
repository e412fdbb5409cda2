"""With the real compiler: pruned headers give the same output as all headers, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from support.sample import sampled
from warpgrade import build
from warpgrade.build import source_files, toolkit
from warpgrade.build.compiler import Compiler
from warpgrade.build.headers import cut, pruned
from warpgrade.build.headers.cut import HEADER, Prelude
from warpgrade.core.concurrency import profiling
from warpgrade.core.paths import Repository, here
from warpgrade.core.scratch import scratch_folder
from warpgrade.course import lab
from warpgrade.records import Lab, SourceFile, Submission
from warpgrade.sandbox import process
from warpgrade.sandbox.process import Box, Outcome

pytestmark = [pytest.mark.long, pytest.mark.needs_sandbox]

REPOSITORY = here()
LAB = lab.load(REPOSITORY.labs / "02-tiled")
COMPILER = Compiler(REPOSITORY, toolkit.find(REPOSITORY))
NVCC = build.compiler._nvcc(LAB, COMPILER)
PAIRS = [
    (a, b)
    for alike in (
        ["int", "unsigned"],
        ["long", "unsigned long"],
        ["long long", "unsigned long long"],
        ["float", "double"],
    )
    for a in alike
    for b in alike
]
KERNEL = 'extern "C" __global__ void k(float* A, float4* B, unsigned* C, double* D, int n) {{ {} }}\n'


@pytest.fixture
def box() -> Iterator[Box]:
    with scratch_folder(REPOSITORY) as work:
        yield build.compiler.box_of(COMPILER, work)


def found(box: Box, item: Lab = LAB, headers: tuple[str, ...] = ()) -> Prelude:
    command = build.compiler._nvcc(item, COMPILER)
    prelude = pruned.find(REPOSITORY, COMPILER.toolkit, command, box, "bwrap", headers)
    assert prelude is not None, "nvcc is not as it should be"
    return prelude


def submission(text: str, item: Lab = LAB) -> Submission:
    return Submission("alice", item.name, "alice", (SourceFile("kernel.cu", text),), "")


def both(text: str, box: Box, item: Lab = LAB) -> tuple[tuple[Outcome, bytes], tuple[Outcome, bytes]]:
    """Messages and output with the pruned headers, and with all headers."""
    source = submission(text, item)
    before = build.compiler._before(source, item, COMPILER, box)
    assert before is not None, "it needs all headers"
    source_files.write(source.files, box.work)
    (box.work / HEADER).write_text(before[0])
    made = []
    whole = (*build.compiler._nvcc(item, COMPILER), source.files[0].name)
    for command in (("/bin/sh", "-c", before[1]), whole):
        outcome = process.run(command, box, build.compiler.LIMITS)
        ptx = box.work / "kernel.ptx"
        made.append((outcome, ptx.read_bytes() if outcome.status == 0 else b""))
        ptx.unlink(missing_ok=True)
    return made[0], made[1]


def sources() -> dict[str, Path]:
    places = (
        "solutions/*/kernel.cu",
        "labs/*/kernel.cu",
        "grader/tests/fixtures/submissions/styles/*-tiles.cu",
    )
    return {
        str(path.relative_to(REPOSITORY.root)): path
        for place in places
        for path in REPOSITORY.root.glob(place)
    }


@pytest.mark.parametrize("name", sampled(sorted(sources()), one_in=6))
def test_solutions_skeletons_and_styles(name: str, box: Box) -> None:
    text, folder = sources()[name].read_text("utf-8"), sources()[name].parent.name
    item = lab.load(REPOSITORY.labs / folder) if (REPOSITORY.labs / folder).is_dir() else LAB
    headers = source_files.given_headers(REPOSITORY, item, SourceFile("kernel.cu", text))
    contents = cut._read(text, frozenset({"launch_shape.cuh", "math_constants.h", *headers}))
    if contents is None or not contents.words.isdisjoint(found(box, item, headers).lost):
        assert not name.startswith("solutions/")
        # It includes a header that its skeleton does not, for example.
        assert build.compiler._before(submission(text, item), item, COMPILER, box) is None
        return
    shorter, whole = both(text, box, item)
    assert shorter == whole and shorter[0].status == 0


WITH_HEADERS = [
    item
    for item in lab.find(REPOSITORY)
    if (given := REPOSITORY.labs / item.name / "kernel.cu").is_file()
    and cut.leading_headers(given.read_text("utf-8"))
]


@pytest.mark.parametrize("item", WITH_HEADERS, ids=lambda item: item.name)
@pytest.mark.parametrize("change", ["another header", "a macro before", "from the last to the first"])
def test_a_file_that_begins_otherwise_than_its_skeleton_means_what_it_says(
    item: Lab, change: str, box: Box
) -> None:
    text = (REPOSITORY.labs / item.name / "kernel.cu").read_text("utf-8")
    begun = [f"#include <{name}>\n" for name in cut.leading_headers(text)]
    head = {
        "another header": [*begun, "#include <cuda_bf16.h>\n"],
        "a macro before": ["#define __CUDA_NO_HALF_OPERATORS__\n", *begun],
        "from the last to the first": begun[::-1],
    }[change]
    text = "".join(head) + lines("A[0] = 1;")
    if build.compiler._before(submission(text, item), item, COMPILER, box) is None:
        return  # it has all headers
    shorter, whole = both(text, box, item)
    assert shorter == whole and shorter[0].status == 0


def lines(*statements: str) -> str:
    return KERNEL.format("\n  ".join(statements))


TEXTS = {
    "overloads of min and max": lines(
        *(
            f"A[{i}] += {function}(static_cast<{a}>(n + {i}), static_cast<{b}>(C[{i}]));"
            for function in ("min", "max")
            for i, (a, b) in enumerate(PAIRS)
        )
    ),
    "atomics and shuffles": lines(
        "atomicAdd(A, 1.0f); atomicAdd(C, 1u); atomicAdd(D, 1.0); atomicMax(C, 7u); atomicCAS(C, 1u, 2u);",
        "A[n] = __shfl_down_sync(~0u, A[1], 1) + __shfl_sync(~0u, D[1], 3) + __ldg(A + 3) + __popc(C[1]);",
        "C[2] = __ballot_sync(~0u, n > 3) + __activemask(); __syncwarp(); __threadfence();",
    ),
    "arithmetic": lines(
        "A[0] = fmaf(A[1], A[2], sqrtf(A[3])) + __fdividef(A[4], expf(A[5])) + powf(A[6], 3) + fabsf(A[7]);",
        "A[8] = __fmaf_rn(A[9], 2, rsqrtf(A[1])) + __int_as_float(n) + sinf(A[2]) / fmaxf(A[3], A[4]);",
    ),
    "overloads of the standard library": lines(
        *(
            f"D[{i}] += {function}(A[{i}]) + {function}(D[{i}]);"
            for i, function in enumerate(
                ["sin", "exp", "log", "sqrt", "fabs", "abs", "floor", "cbrt", "lround"]
            )
        ),
        "A[20] = pow(A[1], n) + pow(A[2], A[3]) + pow(D[4], 2) + fmax(A[5], A[6]) + fma(A[9], A[1], A[2]);",
        "C[1] = abs(n) + abs(static_cast<long>(n)) + abs(static_cast<long long>(n)) + labs(n);",
        "int free = n; A[30] = free; void* own = malloc(n); memset(own, n, 4); C[2] = own != nullptr;",
    ),
    "functions of one's own of the standard library's names": """\
__device__ float length(float a, float b) { return sqrt(a * a + b * b); }
template <class T> __device__ T square(T a) { return a * a; }
__device__ float exp(float4 a) { return exp(a.x) + exp(static_cast<double>(a.y)); }
"""
    + lines("A[0] = length(A[1], A[2]) + square(sin(A[3])) + exp(B[n]) + abs(-A[4]);"),
    "vectors": """\
struct Own { float4 a; int2 b; };
__device__ Own kept[3];
static __constant__ uint3 one = {1, 2};
"""
    + lines("B[n] = make_float4(kept[1].a.x, one.y, blockDim.x * gridDim.y, warpSize); kept[2].a = B[0];"),
    "names of one's own, as in headers": lines(
        "int index = n, y1 = 2, data = 3, time = 4; float gamma = 5; A[index] = y1 * data + time + gamma;"
    ),
    "a function of one's own beside the headers'": """\
__device__ float min(float4 a, float4 b) { return a.x + b.y; }
namespace { template <class T> __device__ T square(T a) { return a * a; } __device__ int own[4]; }
"""
    + lines("A[0] = min(B[0], B[1]) + min(n, 3) + square(A[2]); own[n] = 3; A[3] = own[n + 1];"),
    "macros": """\
#define SIZE 8
#define min(a, b) ((a) < (b) ? (a) : (b))
#ifdef __CUDA_ARCH__
#define HERE 1
#else
#define HERE 2
#endif
#ifdef __CUDA_RUNTIME_H__
#define THERE 3
#else
#define THERE 4
#endif
"""
    + lines("__shared__ float tile[SIZE]; tile[n] = HERE + THERE; A[0] = min(tile[0], A[1]);"),
    "a warning": lines("int unused = 3; float4 other; A[0] = 1.5; return; A[1] = 2;"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_names_mean_the_same(name: str, box: Box) -> None:
    cut, whole = both(TEXTS[name], box)
    assert cut == whole and cut[0].status == 0, whole[0].stderr
    assert ("warning" in cut[0].stderr) == (name == "a warning")


@pytest.mark.parametrize(
    "text",
    [
        "__device__ int index;\n" + lines("index = n;"),  # a function of the system's
        "__device__ float fabsf;\n" + lines("A[0] = fabsf;"),
        "struct float4 { int a; };\n" + lines("A[0] = 1;"),
        "__device__ float atomicAdd(float* a, float b) { return *a + b; }\n"
        + lines("A[0] = atomicAdd(A, 1);"),
        "#define __launch_bounds__(n)\n" + lines("A[0] = 1;"),
    ],
)
def test_what_clashes_with_headers_still_does(text: str, box: Box) -> None:
    """Where the preprocessor warns, nvcc gets all headers."""
    cut, whole = both(text, box)
    assert cut[0].status != 0 and ("error" in whole[0].stderr or "redefined" in whole[0].stderr)


@pytest.mark.parametrize(
    "text",
    [
        lines("A[0] = INFINITY;"),  # the preprocessor marks its expansion as the system's
        lines("assert(n > 0);"),
        "#include <cuda_pipeline.h>\n" + lines("A[0] = 1;"),  # it includes the system's headers
        "#if __CONCAT(RAND_, MAX) > 5\n#endif\n" + lines("A[0] = 1;"),  # a name that ## makes
        "#ifdef _GLIBCXX_CSTDLIB\n#endif\n" + lines("A[0] = 1;"),
        "// \\\0\n" + lines("A[0] = 1;"),
    ],
)
def test_what_needs_all_headers(text: str, box: Box) -> None:
    source = Submission("alice", LAB.name, "alice", (SourceFile("kernel.cu", text),), "")
    assert build.compiler._before(source, LAB, COMPILER, box) is None


@pytest.mark.parametrize("body", ['printf("%d", n);', "A[0] = __popc(n);", "A[0] = cudaGetLastError();"])
def test_what_is_called_has_the_linkage_that_headers_give_it(body: str, box: Box) -> None:
    cut, whole = both(lines(body), box)
    assert cut == whole and cut[0].status == 0, whole[0].stderr


def test_a_second_function_of_c_clashes_with_that_of_the_headers(box: Box) -> None:
    text = 'extern "C" __device__ float __popc(float a) { return a; }\n' + lines("A[0] = __popc(A[1]);")
    cut, whole = both(text, box)
    assert cut[0].status != 0 and "more than one instance" in whole[0].stderr


def test_warnings_come_from_nvcc(tmp_path: Path) -> None:
    source = Submission("a", LAB.name, "a", (SourceFile("kernel.cu", TEXTS["a warning"]),), "")
    work = tmp_path / "work"
    work.mkdir()
    (work / "kernel.cu").write_text(TEXTS["a warning"])
    assert build.compiler._front_end(source, LAB, COMPILER, work)[1] == "all"


def test_every_name_that_the_compiler_knows_is_known(box: Box) -> None:
    """A name without a declaration that was found counts as lost: a file that uses it needs all headers."""
    prelude = found(box)
    assert {"INFINITY", "RAND_MAX"} <= set(prelude.lost) and {"std", "__gnu_cxx"} <= set(prelude.namespaces)
    for name in ("abs", "pow", "sqrt", "free"):
        assert prelude.used[name] and prelude.by_name[name] and prelude.in_namespaces[name]
    for name in (
        "threadIdx",
        "__syncthreads",
        "dim3",
        "float4",
        "size_t",
        "cudaSuccess",
        "min",
        "__shfl_sync",
    ):
        assert prelude.by_name[name] and name not in prelude.lost


def test_a_build_says_which_headers_were_read(tmp_path: Path) -> None:
    solution = (REPOSITORY.solution(LAB.name) / "kernel.cu").read_text("utf-8")
    for text, headers in ((solution, "cut"), (f"#include <cstdio>\n{solution}", "all")):
        source = Submission("alice", LAB.name, "alice", (SourceFile("kernel.cu", text),), "")
        assert build.compiler.build(source, LAB, COMPILER, tmp_path).headers == headers


def test_an_error_comes_from_nvcc(tmp_path: Path) -> None:
    source = Submission("a", LAB.name, "a", (SourceFile("kernel.cu", lines("int a = thread;")),), "")
    result = build.compiler.build(source, LAB, COMPILER, tmp_path)
    assert result.summary == 'kernel.cu:1: identifier "thread" is undefined' and result.headers == ""


def test_a_bomb_is_tried_once(tmp_path: Path) -> None:
    bomb = """\
template <int N, int M> struct Sum {
  static constexpr long value = Sum<N - 1, 2 * M>::value + Sum<N - 1, 2 * M + 1>::value;
};
template <int M> struct Sum<0, M> { static constexpr long value = M; };
static_assert(Sum<28, 1>::value != 0);
"""
    source = Submission("a", LAB.name, "a", (SourceFile("kernel.cu", bomb + lines("A[0] = 1;")),), "")
    short = replace(COMPILER, limits=replace(build.compiler.LIMITS, seconds=1))
    profiling.clear()
    result = build.compiler.build(source, LAB, short, tmp_path)
    assert {row.what for row in profiling.rows()} == {"nvcc, headers cut"}
    assert "did not finish in 1 seconds" in result.summary


def test_without_a_sandbox_or_with_another_nvcc_all_headers_are_read(
    repository: Repository, box: Box
) -> None:
    assert pruned.find(REPOSITORY, COMPILER.toolkit, NVCC, box, "none") is None
    other = replace(COMPILER, repository=repository, toolkit=toolkit.find(repository))
    assert not build.compiler.cuts_headers(LAB, other) and build.compiler.cuts_headers(LAB, COMPILER)
