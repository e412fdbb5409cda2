"""A kernel that reads what a copy in another stream fills."""

from __future__ import annotations

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


def test_one_stream_other_arrays_and_copies_that_wait() -> None:
    for text in (
        TEXT.replace("ring.compute", "ring.in"),
        TEXT.replace("ring.frame[s], film", "ring.other[s], film"),
        TEXT.replace("cudaMemcpyAsync", "cudaMemcpy").replace(", ring.in", ""),
        TEXT.replace(", 0, ring.compute", ""),
    ):
        assert other_stream.advice(FRAME, text) == ""
