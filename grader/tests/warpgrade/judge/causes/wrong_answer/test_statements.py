"""Causes of a wrong answer that one statement of the kernel shows."""

from __future__ import annotations

import pytest

from warpgrade.judge.causes.wrong_answer import statements, wrong_answer
from warpgrade.records import SourceFile, Submission, Wrong

COPY = "float4 to = reinterpret_cast<float4*>(y)[i];\n"
SWAP = "int found = atomicCAS(bits, seen, wanted);\n"


@pytest.mark.parametrize(
    "text",
    [
        COPY + "to.x += a * from.x; to.y = a;",
        "float own = y[i];\nown += a * x[i];",
        COPY + "if (i < n) { to.x += a; }",
    ],
)
def test_a_copy_that_goes_nowhere(text: str) -> None:
    assert "is a copy of an element of y." in statements.not_stored("y", text)


@pytest.mark.parametrize(
    "text",
    [
        COPY + "to.x += a; reinterpret_cast<float4*>(y)[i] = to;",
        COPY + "to.x += a; store(y, to);",
        "const float own = y[i]; y[i] = own + a;",
        "float own = x[i]; own += a;",
        "float& own = y[i]; own += a;",
        "return y[i];",
        COPY,
    ],
)
def test_a_copy_that_is_stored_and_no_copy(text: str) -> None:
    assert statements.not_stored("y", text) == ""


@pytest.mark.parametrize("text", ["y = (1 / 8) * sum;", "y = sum * 1/9;"])
def test_a_quotient_that_is_0(text: str) -> None:
    assert " is 0: both are whole numbers" in statements.quotient(text)


@pytest.mark.parametrize(
    "text", ["y = 1.0f / 8;", "y = 1 / 8.0f;", "n = 256 / 32;", "a1 / 8", "0 / 8", "1 / 8u"]
)
def test_other_quotients(text: str) -> None:
    assert statements.quotient(text) == ""


@pytest.mark.parametrize(
    "text",
    ["kept[atomicAdd(&places, 1)] = x;", "int place = atomicAdd(count, 1);\nif (place < n) kept[place] = x;"],
)
def test_places_that_are_drawn(text: str) -> None:
    assert "An atomic gives places of kept" in statements.drawn("kept", text)


@pytest.mark.parametrize(
    "text", ["kept[before + i] = x;", "int tile = atomicAdd(words, 1);\nsum += kept[tile];"]
)
def test_places_that_are_not(text: str) -> None:
    assert statements.drawn("kept", text) == ""


def test_a_drawn_number_of_a_part_is_no_place() -> None:
    part = "int tile = atomicAdd(words, 1); kept[tile * TILE + threadIdx.x] = sum;"
    place = "int place = atomicAdd(words, 1); kept[place] = x[i];"
    assert statements.drawn("kept", part) and not statements.drawn("kept", part, is_alone=True)
    assert statements.drawn("kept", place, is_alone=True)


@pytest.mark.parametrize(("test", "is_wrong"), [("found == wanted", True), ("wanted != found", True),
                                                ("found == seen", False)])  # fmt: skip
def test_what_a_swap_returns(test: str, is_wrong: bool) -> None:
    text = f"__device__ void add(float* bits, float value) {{ {SWAP} if ({test}) return; }}\nadd(sums, 1);"
    assert ("compare found with that one, not with wanted" in statements.compared("sums", text)) == is_wrong
    assert statements.compared("others", text) == ""


def test_a_wrong_answer_has_the_doubt_of_its_kernel() -> None:
    text = f"__global__ void first(float* y) {{ {COPY} to.x = 1; }}\n__global__ void second(float* y) {{}}"
    handed_in = Submission("s", "00-lab", "s", (SourceFile("kernel.cu", text),), "0")
    for kernel, found in (("first", [statements.NOT_STORED]), ("second", [])):
        wrong = Wrong(9, 9, "y", (9,), (0,), 1.0, 0.0, pattern="unchanged", kernel=kernel)
        assert [each.cause for each in wrong_answer.doubts(wrong, None, handed_in)] == found
