"""The distance between rows with which a warp's matrix function is called."""

from __future__ import annotations

import pytest

from support import sample_results
from warpgrade.judge.causes.out_of_bounds import matrix_rows
from warpgrade.records import Case, Finding, Memory, Place, Visibility

CASE = Case("c", ("m", "n", "k"), (32, 48, 16), "integers", 1.0, Visibility.VISIBLE)
TILE = "constexpr int SIDE = 32, PAD = 8;\n__shared__ half tile[SIDE][SIDE + PAD];\n"
SHARED = Memory("shared", "0x0", 2, "shared array tile", 2 * 32 * 40, 64, "inside", words="tile[0][32]")
GLOBAL = Memory("global", "0x0", 4, "A", 4 * 32 * 16, 0, "after", words="0 bytes past the end of A")


def advice(memory: Memory, call: str, check: str = "init") -> str:
    found = Finding("c", check, "x", "WG121", "error", "m", Place("kernel.cu", 3), memory=memory, help="own")
    text = f"{TILE}{call}"
    return matrix_rows.advised(found, text, sample_results.lab(), CASE).help


@pytest.mark.parametrize(
    ("memory", "call", "words"),
    [
        (
            SHARED,
            "wmma::load_matrix_sync(a[i], &tile[row + 8 * i][depth], SIDE);",
            "32 elements apart (SIDE)",
        ),
        (
            SHARED,
            "wmma::store_matrix_sync(&tile[f(1, 2)][0], s, 2 * SIDE, wmma::mem_row_major);",
            "they are 40",
        ),
        (GLOBAL, "load_matrix_sync(a, A + row * k + i, m);", "rows of A begin 32 elements apart (m), and"),
    ],
)
def test_another_distance_is_named(memory: Memory, call: str, words: str) -> None:
    assert words in advice(memory, call)


@pytest.mark.parametrize(
    "call",
    [
        "wmma::load_matrix_sync(a, &tile[row][depth], SIDE + PAD);",
        "wmma::load_matrix_sync(a, &other[row][depth], SIDE);",
        "wmma::load_matrix_sync(a, &tile[row][depth], distance);",
        "wmma::load_matrix_sync(a, &tile[row][depth]);",
        "load(a, tile, SIDE);",
    ],
)
def test_a_right_one_and_one_that_is_not_known_are_not(call: str) -> None:
    assert advice(SHARED, call) == "own"


def test_a_shared_array_is_looked_at_whatever_came_of_it() -> None:
    assert "32 elements apart" in matrix_rows.in_shared(
        f"{TILE}wmma::load_matrix_sync(a, &tile[0][0], SIDE);"
    )
    assert matrix_rows.in_shared(f"{TILE}wmma::load_matrix_sync(a, &tile[0][0], SIDE + PAD);") == ""
    assert matrix_rows.in_shared(f"{TILE}wmma::load_matrix_sync(a, &other[0][0], SIDE);") == ""


def test_findings_of_another_kind_keep_their_advice() -> None:
    assert advice(SHARED, "wmma::load_matrix_sync(a, tile[0], SIDE);", "barrier") == "own"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "wmma::store_matrix_sync(C + first, sum, k, wmma::mem_row_major);",
            "Store to shared memory, and from there",
        ),
        ("wmma::load_matrix_sync(a, A + first, k);", "Bring the elements to shared memory, with 0 for those"),
    ],
)
def test_a_matrix_that_stands_across_a_border(source: str, words: str) -> None:
    place = Place("kernel.cu", 3, source=source)
    found = Finding("c", "memory", "x", "WG102", "error", "m", place, memory=GLOBAL, help="own")
    advised = matrix_rows.advised(found, f"{TILE}{source}", sample_results.lab(), CASE)
    assert advised.cause == matrix_rows.WHOLE and words in advised.help


def test_a_matrix_that_begins_where_none_can() -> None:
    source = "wmma::load_matrix_sync(a[i], &tile[row][depth], SIDE + PAD);"
    place = Place("kernel.cu", 3, source=source)
    found = Finding("c", "memory", "misaligned", "WG103", "error", "m", place, memory=SHARED, help="own")
    text = f"{TILE}{source}".replace("PAD = 8", "PAD = 1")
    advised = matrix_rows.advised(found, text, sample_results.lab(), CASE)
    assert advised.cause == matrix_rows.MISALIGNED
    assert "load_matrix_sync wants a pointer that is aligned to 32 bytes" in advised.help
    assert "8 halves" in advised.help


def test_a_tile_of_one_dimension_has_rows_as_long_as_it_is_filled_with() -> None:
    flat = (
        "constexpr int LD = 24;\n__shared__ half tile[2][16 * LD];\ntile[w][e / 16 * LD + e % 16] = x;\n"
        "load_matrix_sync(a, tile[w], 16);"
    )
    assert "16 elements apart (16), and they are 24" in matrix_rows.in_shared(flat)
    assert matrix_rows.in_shared(flat.replace("tile[w], 16)", "tile[w], LD)")) == ""
    assert matrix_rows.in_shared(flat.replace("* LD + e", "* f(w) + e")) == ""
