"""A kernel that reads what a copy in another stream fills."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.judge.causes.unwritten import other_stream
from warpgrade.records import Memory

FRAME = Memory("global", "0x0", 4, "ring.frame[slot]", 1024, 0, "inside")
TEXT = """CHECK(cudaMemcpyAsync(ring.frame[s], film + f * pixels, size, cudaMemcpyHostToDevice, ring.in));
motion<<<dim3(blocks, 1), 256, 0, ring.compute>>>(ring.frame[b], ring.frame[s], ring.result[s], pixels);
"""


def test_the_two_streams_are_named() -> None:
    words = other_stream.advice(FRAME, TEXT)
    assert "line 1, in stream ring.in, fills it" in words and "line 2, in stream ring.compute" in words
    assert "cudaStreamWaitEvent(ring.compute, event)" in words


def test_a_copy_that_is_waited_for_has_filled_a_part() -> None:
    waited = TEXT.replace(
        "motion<<<",
        "CHECK(cudaEventRecord(ring.arrived[s], ring.in));\n"
        "CHECK(cudaStreamWaitEvent(ring.compute, ring.arrived[s], 0));\nmotion<<<",
    )
    behind = replace(FRAME, distance=256)
    assert other_stream.advice(behind, waited) == ""
    for text in (
        TEXT,
        waited.replace("(ring.compute, ring.arrived", "(ring.in, ring.arrived"),
        waited.replace("ring.arrived[s], ring.in", "ring.left[s], ring.in"),
        waited.replace("ring.arrived[s], ring.in", "ring.arrived[s], ring.out"),
    ):
        assert "nothing makes the kernel" in other_stream.advice(behind, text)
    assert "nothing makes the kernel" in other_stream.advice(FRAME, waited), "not one byte is there"


def test_one_stream_other_arrays_and_copies_that_wait() -> None:
    for text in (
        TEXT.replace("ring.compute", "ring.in"),
        TEXT.replace("ring.frame[s], film", "ring.other[s], film"),
        TEXT.replace("cudaMemcpyAsync", "cudaMemcpy").replace(", ring.in", ""),
        TEXT.replace(", 0, ring.compute", ""),
    ):
        assert other_stream.advice(FRAME, text) == ""
