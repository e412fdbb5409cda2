"""A variable that one thread of a block sets and that the others read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.wrong_answer import unshared
from warpgrade.records import Finding, Place, SourceFile, Submission

KERNEL = """__global__ void k(float* sum, unsigned* tickets) {{
  {declared}
  if (threadIdx.x == 0) {{
    last = atomicAdd(tickets, 1) == gridDim.x - 1;
  }}
  {behind}
  if (!last) return;
  *sum = 1;
}}
"""
BARRIER = "__syncthreads();"


def kernel(declared: str = "bool last = false;", behind: str = BARRIER) -> str:
    return KERNEL.format(declared=declared, behind=behind)


def test_each_thread_has_a_variable_of_its_own() -> None:
    (found,) = unshared.variables(kernel())
    assert found.name == "last" and found.set_in == 4 and found.scope == (2, 9)
    assert unshared.variables(kernel("bool last;"))
    assert unshared.variables(
        kernel("const int t = threadIdx.x; bool last;").replace("threadIdx.x == 0", "t == 0")
    )


@pytest.mark.parametrize(
    "text",
    [
        kernel("__shared__ bool last;"),
        kernel(behind=""),  # nobody is meant to wait for it
        kernel(behind=f"{BARRIER} last = __shfl_sync(~0u, last, 0);"),
        kernel(behind=f"last = __syncthreads_or(last); {BARRIER}"),
        kernel(behind=f"{BARRIER} if (threadIdx.x == 0) last = false;").replace("if (!last) return;", ""),
        kernel().replace("threadIdx.x == 0", "blockIdx.x == 0"),  # all threads of a block
    ],
)
def test_what_one_thread_needs_alone_or_hands_on_is_no_mistake(text: str) -> None:
    assert not unshared.variables(text)


def test_findings_where_it_is_known_have_that_cause() -> None:
    handed_in = Submission("s", "lab", "s", (SourceFile("kernel.cu", kernel()),), "0")
    place = Place("kernel.cu", 8, thread=(0, 0, 0))
    found = Finding("c", "barrier", "undefined-shuffle", "WG135", "error", "m", place, help="own")
    advised = unshared.advised(found, handed_in)
    assert advised.cause == unshared.CAUSE and "last is set in line 4 by one thread alone" in advised.help
    elsewhere = replace(found, place=replace(place, line=1))
    assert unshared.advised(elsewhere, handed_in) == elsewhere
    assert unshared.advised(replace(elsewhere, other=place), handed_in).cause == unshared.CAUSE
    assert unshared.advised(replace(found, check="memory"), handed_in).cause is None


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    many = "if (threadIdx.x == 0) { x = 1; " * 20_000
    assert not unshared.variables(many)
    assert not unshared.variables("int x = 0; " + "if (threadIdx.x == 0) x = 1; " * 20_000 + BARRIER)
