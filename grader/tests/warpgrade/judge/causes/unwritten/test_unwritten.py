"""Which thread should have written an element that none has written, and where that thread went."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.races import lost_update
from warpgrade.judge.causes.unwritten import unwritten
from warpgrade.records import Finding, LaunchShape, Memory, Place, SourceFile, Submission

READ = Place("kernel.cu", 20, source="sum += As[ty][i] * Bs[i][tx];", thread=(0, 0, 0), access="read")
STORE = Place("kernel.cu", 16, thread=(0, 14, 0), access="write")
WORD = Memory(words="As[14][0]")
FOUND = Finding("c", "init", "uninitialised-read", "WG121", "error", "m", READ, memory=WORD, help="own")


def test_a_thread_that_returned_is_named_with_the_line() -> None:
    left = Place("kernel.cu", 10, source="if (row >= m) return;")
    found = unwritten.advised(replace(FOUND, writer=STORE, left=left))
    assert found.cause == "returned-early"
    assert (
        "Thread (0,14,0) should have written As[14][0] in line 16" in found.help and "line 10" in found.help
    )


def test_a_thread_that_a_condition_leads_past() -> None:
    left = Place("kernel.cu", 15, source="if (row < m)")
    assert unwritten.advised(replace(FOUND, writer=STORE, left=left)).cause == "unwritten-by-one"
    assert unwritten.advised(replace(FOUND, writer=STORE)).cause == "unwritten-by-one"


def test_without_a_pattern_the_advice_stays() -> None:
    assert unwritten.advised(FOUND) == FOUND


def test_an_atomic_on_what_nobody_has_set() -> None:
    atomic = replace(FOUND, place=replace(READ, access="atomic"))
    assert unwritten.advised(atomic).cause == "not-cleared"


def test_an_element_that_is_added_to_and_never_set() -> None:
    line = replace(READ, source="for (int i = 0; i < 16; ++i) Cs[ty][tx] += As[ty][i] * Bs[i][tx];")
    mine = replace(FOUND, place=line, memory=Memory(space="shared", allocation="k Cs", words="Cs[8][0]"))
    found = unwritten.advised(mine)
    assert found.cause == "not-cleared" and "adds to Cs[ty][tx]" in found.help
    # Another element of the array is read in the same line: it may be that one.
    tree = replace(line, source="if (t < half) Cs[t] += Cs[t + half];")
    assert unwritten.advised(replace(mine, place=tree)).cause is None
    other = replace(mine, memory=Memory(space="shared", allocation="k As"))
    assert unwritten.advised(other).cause is None


def test_an_array_of_each_thread_that_the_block_was_to_share() -> None:
    local = replace(FOUND, kind="uninitialised-variable", code="WG122", writer=STORE)
    assert unwritten.advised(local).cause == "not-shared" and "__shared__" in unwritten.advised(local).help
    assert unwritten.advised(replace(local, writer=None)).cause is None


def test_for_an_update_that_races_the_advice_is_an_atomic() -> None:
    line = Place("kernel.cu", 9, source="  bins[bytes[i]]++;", access="write")
    race = Finding("c", "race", "race-write-write", "WG111", "error", "m", line, help="own", update=True)
    found = lost_update.advised(race)
    assert found.cause == "lost-update" and "atomicAdd(&bins[bytes[i]], …)" in found.help
    assert lost_update.advised(replace(race, update=None)) == replace(race, update=None)
    # An array that grows with the case: more likely, an element is one thread's.
    own = lost_update.advised(race, grows=True)
    assert own.cause == "shared-element" and "must not come to the same index" in own.help


def test_a_variable_for_each_thread_that_others_index() -> None:
    lines = ["float tile[32][33];", "y = tile[threadIdx.x][i];", "z = tile[i][0] * other[threadIdx.x];"]
    text = "\n".join(["__global__ void k() {", *lines, "}"])
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")

    def cause(line: int) -> str | None:
        place = Place("kernel.cu", line, source=text.split("\n")[line - 1])
        found = replace(FOUND, kind="uninitialised-variable", code="WG122", place=place)
        return unwritten.advised(found, handed_in).cause

    assert cause(3) == "not-shared" and cause(4) is None


def test_padding_is_not_blamed_on_the_loading_loop() -> None:
    text = "__shared__ float tile[8][8 + 1];"
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    at = Memory("shared", "0x20", 4, "shared array tile", 288, 32, "inside", "tile[0][8]")
    found = unwritten.advised(replace(FOUND, memory=at), handed_in)
    assert found.cause == "padding-read" and found.help.startswith("Columns of tile from 8 on")
    inner = unwritten.advised(replace(FOUND, memory=replace(at, distance=28)), handed_in)
    assert inner.help == "own"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        # What a variable begins with is no variable without a value.
        (
            [
                "alignas(16) float result[4], left = 0;",
                "int stage = 0, start = result;",
                "result[0] += 0 + start;",
            ],
            "result",
        ),
        # Of several variables, one that no line sets.
        (
            [
                "float sums[4][4];",
                "for (int d = 0; d < 8; ++d) {",
                "  float a[4], b[4];",
                "  for (int i = 0; i < 4; ++i) a[i] = A[i], b[i] = B[i];",
                "  sums[i][j] += a[i] * b[j];",
            ],
            "sums",
        ),
        # What is filled by its address, by a function or by a loop over its elements has a value.
        (
            [
                "float sum[8][8];",
                "  float a[8], b[8], c[8];",
                "  for (int i = 0; i < 8; i += 4) *reinterpret_cast<float4*>(&a[i]) = tile[i];",
                "  load(b, 8);",
                "  for (float& each : c) each = 0;",
                "  sum[i][j] += a[i] * b[j] + c[i];",
            ],
            "sum",
        ),
    ],
)
def test_the_variable_without_a_value_is_named(lines: list[str], name: str) -> None:
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", "\n".join(lines)),), "0")
    place = Place("kernel.cu", len(lines), source=lines[-1])
    found = replace(FOUND, kind="uninitialised-variable", code="WG122", place=place)
    assert f"{name} is declared in line 1 without a value" in unwritten.advised(found, handed_in).help


def test_fewer_threads_than_elements_to_load() -> None:
    text = "constexpr int TILE = 32;\n__shared__ float tile[TILE][TILE + 1];"
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    shape = LaunchShape((32, 8), (32, 32))
    at = Memory(
        "shared", "0x0", 4, "shared array tile", 4 * 32 * 33, 4 * (8 * 33 + 7), "inside", "tile[8][7]"
    )
    found = unwritten.advised(replace(FOUND, memory=at), handed_in, shape)
    assert found.cause == "too-few-threads"
    assert "256 threads for the 1,024 elements of tile: each has to bring 4" in found.help
    # One of those that a thread brings at first, or as many threads as elements.
    first = replace(FOUND, memory=replace(at, distance=4 * (7 * 33)))
    assert unwritten.advised(first, handed_in, shape).cause is None
    whole = LaunchShape((32, 32), (32, 32))
    assert unwritten.advised(replace(FOUND, memory=at), handed_in, whole).cause is None


@pytest.mark.parametrize(
    ("loop", "cause"),
    [
        ("    for (int i = 0; i < 4; ++i) tile[i * 8 + threadIdx.y][x] = in[i];", "returned-early"),
        ("    for (int i = 0; i < 32; i += 8) {\n tile[i + threadIdx.y][x] = in[i];\n }", "returned-early"),
        # The loop over tiles is no loop in which a thread brings several elements.
        ("    tile[threadIdx.y][x] = in[0];", "too-few-threads"),
    ],
)
def test_threads_that_return_before_the_loop_that_fills_the_array(loop: str, cause: str) -> None:
    lines = [
        "constexpr int TILE = 32;",
        "__global__ void k(const float* in, int m) {",
        "  __shared__ float tile[TILE][TILE + 1];",
        "  if (threadIdx.y >= m) return;",
        "  for (int first = 0; first < m; first += TILE) {",
        loop,
        "    __syncthreads();",
        "  }",
    ]
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", "\n".join(lines)),), "0")
    at = Memory(
        "shared", "0x0", 4, "shared array tile", 4 * 32 * 33, 4 * (8 * 33 + 7), "inside", "tile[8][7]"
    )
    found = unwritten.advised(replace(FOUND, memory=at), handed_in, LaunchShape((32, 8), (32, 32)))
    assert found.cause == cause
    assert cause != "returned-early" or "return in line 4 store nothing in tile" in found.help


def test_the_corner_of_a_halo() -> None:
    text = "constexpr int X = 8, Y = 4;\nusing Tile = float[Y + 2][X + 2];\n__shared__ Tile tiles[2];"
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    size = 4 * 2 * 6 * 10
    for place, cause in (
        (0, "corner-unwritten"),
        (59 * 4, "padding-read"),
        (50 * 4, "corner-unwritten"),
        (4, None),
    ):
        at = Memory("shared", "0x0", 4, "shared array tiles", size, place, "inside", "tiles")
        assert unwritten.advised(replace(FOUND, memory=at), handed_in).cause == cause, place
        many = replace(FOUND, memory=at, lanes=32)
        assert unwritten.advised(many, handed_in).cause != "corner-unwritten"


def test_global_memory_that_nothing_has_filled() -> None:
    at = Memory("global", "0x0", 4, "allocation 9", 64, 0, "inside", "byte 0 of allocation 9")
    assert unwritten.advised(replace(FOUND, memory=at)).cause == "never-filled"


def test_advice_on_a_kernel_alone_speaks_of_no_copies() -> None:
    at = Memory("global", "0x0", 4, "parts", 64, 4, "inside", "parts[1]")
    found = unwritten.advised(replace(FOUND, memory=at), None, LaunchShape((256,), (256,)))
    assert found.cause == "read-before-written"
    assert "No thread has written there" in found.help and "in bytes" not in found.help


def test_an_accumulator_of_a_matrix_product_is_named() -> None:
    lines = ["  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, sums[2][2];", "  Fragment_A a[2];"]
    text = "\n".join(
        ["__global__ void k() {", *lines, "  wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);"]
    )
    place = Place("kernel.cu", 4, source=text.split("\n")[3])
    found = replace(FOUND, kind="uninitialised-variable", code="WG122", place=place)
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text),), "0")
    advised = unwritten.advised(found, handed_in).help
    assert "sums is declared in line 2 without a value, and line 4 adds" in advised
    assert "wmma::fill_fragment(sums, 0.0f)" in advised
    assert "sums has no value" in unwritten.advised(found).help


def test_what_is_filled_only_in_its_first_part() -> None:
    memory = Memory("global", "0x0", 4, "film", 1024, 256, "inside")
    found = unwritten.advised(replace(FOUND, memory=memory))
    assert found.cause == "partly-filled" and "Sizes are in bytes" in found.help


def test_a_copy_over_what_a_kernel_wrote_to_the_host() -> None:
    copy = replace(FOUND, kind="unwritten-copy", code="WG123", memory=Memory("global", allocation="z_device"))
    assert unwritten.advised(copy) == copy
    over = unwritten.advised(replace(copy, cause="over-results"))
    assert "host's pointer" in over.help and over.cause == "over-results"


def test_a_shared_array_that_no_line_stores_into() -> None:
    shared = replace(FOUND, memory=Memory(space="shared", allocation="shared array Bs", words="Bs[15][0]"))
    text = "__shared__ float As[16][16], Bs[16][16];\nAs[ty][tx] = A[i];\n{}\nsum += As[ty][i] * Bs[i][tx];\n"

    def cause(line: str) -> str | None:
        handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", text.replace("{}", line)),), "0")
        return unwritten.advised(shared, handed_in).cause

    assert cause("As[ty][tx] = B[i];") == "never-filled"
    for stores in (
        "Bs[ty][tx] = B[i];",
        "Bs[ty][tx] += B[i];",
        "fill(Bs, B);",
        "copy(&Bs[ty][tx], B);",
        "Bs[0][0]++;",
    ):
        assert cause(stores) is None, stores


def test_for_an_atomic_on_global_memory_a_barrier_alone_is_no_advice() -> None:
    place = replace(READ, access="atomic")
    for space, words in (
        ("shared", "wait for that at a barrier"),
        ("global", "let the last block add these"),
    ):
        memory = Memory(space, "0x0", 4, "sum", 4, 0, "inside")
        assert words in unwritten.advised(replace(FOUND, place=place, memory=memory)).help


def test_results_that_are_copied_before_the_launch() -> None:
    lines = ["void run() {", "  cudaMemcpy(z, z_device, n, kind);", "  scale<<<1, 32>>>(z_device);", "}"]
    copy = replace(FOUND, kind="unwritten-copy", code="WG123", place=Place("program.cu", 2))

    def cause(*text: str) -> str | None:
        handed_in = Submission("s", "lab", "s", (SourceFile("program.cu", "\n".join(text)),), "0")
        return unwritten.advised(copy, handed_in).cause

    assert cause(*lines) == "copied-too-early"
    assert cause(lines[2], *lines[1:]) is None, "a launch above"
    assert cause(*lines[:2], "}", *lines[2:]) is None, "a launch of another function"
    assert unwritten.advised(replace(copy, cause="over-results")).cause == "over-results"
