"""The time that the order of a program's calls allows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.core.paths import here
from warpgrade.course import arithmetic
from warpgrade.gpu import spec
from warpgrade.records import HostCall
from warpgrade.run.programs.timeline import copy_seconds, kernel_seconds, timeline

GPU = spec.load(here(), "h200")
BYTES = 1 << 20
COPY = copy_seconds(BYTES, GPU)
KERNEL = 3e-5
KERNELS = {("k", (8, 1, 1), (256, 1, 1)): KERNEL}


def copy(stream: int, direction: str, pinned: bool = True, function: str = "cudaMemcpyAsync") -> HostCall:
    return HostCall(function, stream=stream, bytes=BYTES, direction=direction, pinned=pinned)


def launch(stream: int) -> HostCall:
    return HostCall("cudaLaunchKernel", stream=stream, kernel="k", grid=(8, 1, 1), block=(256, 1, 1))


def piece(stream: int, pinned: bool = True) -> list[HostCall]:
    return [copy(stream, "to device", pinned), launch(stream), copy(stream, "to host", pinned)]


def test_one_stream_does_one_thing_after_the_other() -> None:
    found = timeline([*piece(1), *piece(1)], KERNELS, GPU)
    assert found.whole == found.serial == pytest.approx(2 * (2 * COPY + KERNEL))
    assert found.busiest == pytest.approx(2 * max(COPY, KERNEL))


def test_streams_in_turn_are_a_pipeline() -> None:
    calls = [call for number in range(9) for call in piece(1 + number)]
    whole = timeline(calls, KERNELS, GPU).whole
    assert whole == pytest.approx(arithmetic.pipeline_time(9, (COPY, KERNEL, COPY), 9))


@pytest.mark.parametrize(
    "waiting",
    [
        [HostCall("cudaDeviceSynchronize")],
        [HostCall("cudaStreamSynchronize", stream=1)],
        [HostCall("cudaEventRecord", stream=1, event=5), HostCall("cudaStreamWaitEvent", stream=2, event=5)],
        [HostCall("cudaEventRecord", stream=1, event=5), HostCall("cudaEventSynchronize", event=5)],
    ],
)
def test_what_waits_takes_longer(waiting: list[HostCall]) -> None:
    found = timeline([*piece(1), *waiting, *piece(2)], KERNELS, GPU)
    assert found.whole == pytest.approx(found.serial)
    assert timeline([*piece(1), *piece(2)], KERNELS, GPU).whole < found.whole


def test_copies_that_make_the_host_wait_overlap_nothing() -> None:
    for calls in (
        [*piece(1, pinned=False), *piece(2, pinned=False)],
        [copy(0, "to device", function="cudaMemcpy"), launch(0), copy(0, "to host", function="cudaMemcpy")]
        * 2,
    ):
        found = timeline(calls, KERNELS, GPU)
        assert found.whole == pytest.approx(found.serial)


def test_a_call_that_failed_did_nothing_and_a_program_without_work_takes_no_time() -> None:
    assert timeline([HostCall("cudaLaunchKernel", code=9)], KERNELS, GPU).whole == 0


def test_a_kernel_takes_what_the_model_makes_of_its_counters() -> None:
    row = {"label": "", "launch": 1, "kernel": "k", "grid": [8, 1, 1], "block": [256, 1, 1], "counters": {}}
    ((shape, seconds),) = kernel_seconds([row], GPU).items()
    assert shape == ("k", (8, 1, 1), (256, 1, 1)) and seconds >= GPU.launch_seconds


def test_threads_with_streams_of_their_own_overlap_whosever_calls_come_first() -> None:
    def part(thread: int) -> list[HostCall]:
        wait = HostCall("cudaStreamSynchronize", stream=thread)
        return [replace(call, thread=thread) for call in [*piece(thread), *piece(thread), wait]]

    begin = [HostCall("pthread_create", other=thread) for thread in (1, 2)]
    one, two = part(1), part(2)
    turns = [call for both in zip(one, two, strict=True) for call in both]
    orders = [one + two, two + one, turns]
    wholes = {timeline([*begin, *order], KERNELS, GPU).whole for order in orders}
    assert len(wholes) == 1
    assert wholes.pop() < 0.8 * timeline([*one, *one], KERNELS, GPU).whole


def test_threads_one_after_the_other_overlap_nothing() -> None:
    calls = []
    for thread in (1, 2):
        work = [*piece(thread), HostCall("cudaStreamSynchronize", stream=thread)]
        calls += [HostCall("pthread_create", other=thread)]
        calls += [replace(call, thread=thread) for call in work]
        calls += [HostCall("pthread_join", other=thread)]
    found = timeline(calls, KERNELS, GPU)
    assert found.whole == pytest.approx(found.serial)
