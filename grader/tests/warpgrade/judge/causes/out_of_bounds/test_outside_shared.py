"""Advice on an access outside a shared array, by how its index is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.out_of_bounds import outside_shared
from warpgrade.records import LaunchShape, Memory, Place

COPIES = Memory("shared", "0x0", 4, "shared array h", 4 * 8192, 280, "after")
TILE = Memory("shared", "0x0", 4, "shared array tile", 4 * 512, 4096, "after")
SHAPE = LaunchShape((256,), (4096,))
TEXT = "#define LANES 32\n__shared__ float tile[8][64];\nint me = threadIdx.x;\nint d = e / 8, r = e % 8;\n"


def at(source: str, thread: tuple[int, ...] = ()) -> Place:
    return Place("kernel.cu", 7, thread=thread, source=source)


@pytest.mark.parametrize(
    "index", ["b[i] * 32 + threadIdx.x", "b[i] * LANES + me", "(b[i] + 1) * LANES + threadIdx.x"]
)
def test_what_is_added_behind_a_product_goes_beyond_the_row(index: str) -> None:
    place = Place("kernel.cu", 7, source=f"atomicAdd(&h[{index}], 1u);")
    assert "a row of h has 32 elements" in outside_shared.beyond_row(place, COPIES, SHAPE, TEXT)


@pytest.mark.parametrize(
    "index", ["b[i] * 256 + threadIdx.x", "b[i] * LANES + lane", "b[i] * n + threadIdx.x", "b[i]"]
)
def test_other_indices_say_nothing(index: str) -> None:
    place = Place("kernel.cu", 7, source=f"atomicAdd(&h[{index}], 1u);")
    assert outside_shared.beyond_row(place, COPIES, SHAPE, TEXT) == ""


def test_a_quotient_whose_divisor_is_as_long_as_its_own_dimension() -> None:
    assert "d is e / 8" in outside_shared.exchanged_parts(TILE, "tile[d][r] = A[i];", TEXT)
    right = TEXT.replace("e / 8", "e / 64").replace("e % 8", "e % 64")
    assert outside_shared.exchanged_parts(TILE, "tile[d][r] = A[i];", right) == ""
    assert outside_shared.exchanged_parts(TILE, "tile[r][d] = A[i];", TEXT) == "", "a row is 64 long"


def test_an_index_that_counts_the_threads_of_all_blocks() -> None:
    text = TEXT + "int tid = blockIdx.x * blockDim.x + threadIdx.x;\n"
    second = Place("kernel.cu", 7, block=(1, 0, 0), source="h[tid] = sum;")
    assert "tid counts on from block to block" in outside_shared.of_grid(second, COPIES, text)
    direct = replace(second, source="h[blockIdx.x * 256 + threadIdx.x] = sum;")
    assert "blockIdx counts on" in outside_shared.of_grid(direct, COPIES, text)
    for other in (replace(second, block=(0, 0, 0)), replace(second, source="h[me] = x[tid];")):
        assert outside_shared.of_grid(other, COPIES, text) == ""


def test_which_index_is_too_large_and_where_it_comes_from() -> None:
    text = "__shared__ float s[256], tile[16][16];\nfor (int half = 256; half > 0; half >>= 1)\n"
    s = replace(COPIES, allocation="shared array s", allocation_bytes=1024, distance=4 * 224)
    words = outside_shared.behind(s, None, "", text, at("s[t] += s[t + half];"))
    assert (
        "t + half is 480 here" in words
        and "half begins with 256 in its loop, which goes on while half > 0" in words
    )
    tile = replace(s, allocation="shared array tile", distance=4)
    assert "row is 16 here, and has to stay" in outside_shared.behind(
        tile, None, "", text, at("tile[row][c] = 0;")
    )


def test_the_index_of_the_dimension_that_is_too_short_is_named() -> None:
    """Of t[6][32], the element behind (5, 31) may be (5, 32) or (6, 0): the thread tells which."""
    text = "__shared__ float t[6][32];\nconst int tx = threadIdx.x;\nint y = threadIdx.y + 2;\n"
    t = replace(COPIES, allocation="shared array t", allocation_bytes=4 * 192, distance=0)
    read = at("v = t[y][tx + 1];", thread=(31, 3, 0))
    words = outside_shared.behind(t, None, "", text, read)
    assert "tx + 1 is 32 here in a dimension of 32, and has to stay below 32" in words
    low = at("v = t[y][tx + 1];", thread=(0, 4, 0))
    assert "y is 6 here in a dimension of 6" in outside_shared.behind(t, None, "", text, low)
