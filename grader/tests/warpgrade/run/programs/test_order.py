"""What waits for what in a program's calls."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.records import HostCall
from warpgrade.run.programs.order import Clock, Order

LAUNCH = HostCall("cudaLaunchKernel", stream=1)


def copy(stream: int, pinned: bool = True, function: str = "cudaMemcpyAsync", code: int = 0) -> HostCall:
    return HostCall(function, stream=stream, direction="to host", pinned=pinned, code=code)


def befores(calls: list[HostCall]) -> list[Clock]:
    return [work.before for _, work in Order(calls).walk(calls) if work is not None]


def test_the_walk_gives_each_call_in_its_place_and_the_work_of_those_that_are_some() -> None:
    calls = [
        HostCall("cudaEventRecord", stream=1, event=7),
        LAUNCH,
        copy(2),
        HostCall("cudaMemcpyAsync", stream=2),  # on one side
        copy(2, code=1),
        copy(0, function="cudaMemcpy"),
        HostCall("cudaEventElapsedTime", event=7),
    ]
    found = list(Order(calls).walk(calls))
    assert [call for call, _ in found] == calls
    numbers = [work.number if work else 0 for _, work in found]
    assert numbers == [0, 1, 1, 0, 0, 1, 0]


def test_what_is_over_when_a_calls_work_begins() -> None:
    synchronize = HostCall("cudaDeviceSynchronize")
    assert befores([LAUNCH, copy(2)]) == [{}, {}]
    assert befores([LAUNCH, synchronize, copy(2)]) == [{}, {1: 1}]
    # One engine for a direction; a copy that makes the program wait; the default stream waits for both.
    assert befores([copy(1), copy(2)]) == [{}, {1: 1}]
    assert befores([copy(1, pinned=False), HostCall("cudaLaunchKernel", stream=2)]) == [{}, {1: 1}]
    assert befores([LAUNCH, copy(0, function="cudaMemcpy"), HostCall("cudaLaunchKernel", stream=2)])[1:] == [
        {1: 1}, {0: 1, 1: 1},
    ]  # fmt: skip


@pytest.mark.parametrize("symbol", ["cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"])
def test_copies_to_and_from_variables_are_copies(symbol: str) -> None:
    assert befores([LAUNCH, copy(2, function=symbol + "Async"), copy(2)]) == [{}, {}, {2: 1}]
    assert befores([LAUNCH, copy(0, function=symbol), HostCall("cudaLaunchKernel", stream=2)])[1:] == [
        {1: 1}, {0: 1, 1: 1},
    ]  # fmt: skip


@pytest.mark.parametrize("streams", [128, 400])
def test_calls_of_more_streams_than_are_looked_at_are_left_out(streams: int) -> None:
    calls = [HostCall("cudaLaunchKernel", stream=stream) for stream in range(1, streams + 1)]
    assert len(befores(calls)) == 128


def of_thread(thread: int, call: HostCall) -> HostCall:
    return replace(call, thread=thread)


BEGIN, JOIN = HostCall("pthread_create", other=1), HostCall("pthread_join", other=1)
WAIT = HostCall("cudaStreamSynchronize", stream=1, thread=1)
OTHER = HostCall("cudaLaunchKernel", stream=2)


@pytest.mark.parametrize(
    ("calls", "before"),
    [
        ([BEGIN, of_thread(1, LAUNCH), WAIT, OTHER], {}),  # the first thread has not waited
        ([BEGIN, of_thread(1, LAUNCH), WAIT, JOIN, OTHER], {1: 1}),
        ([BEGIN, of_thread(1, LAUNCH), JOIN, OTHER], {}),  # nobody has
        ([LAUNCH, HostCall("cudaDeviceSynchronize"), BEGIN, of_thread(1, OTHER)], {1: 1}),
        ([BEGIN, LAUNCH, HostCall("cudaDeviceSynchronize"), of_thread(1, OTHER)], {}),
        ([of_thread(1, LAUNCH), WAIT, of_thread(2, OTHER)], {1: 1}),  # begun unseen: knows what any knows
    ],
)
def test_a_thread_knows_what_it_has_waited_for_and_those_that_it_joined(
    calls: list[HostCall], before: Clock
) -> None:
    assert befores(calls)[-1] == before


def test_an_engine_makes_the_copies_of_one_thread_in_their_order_and_of_two_in_any() -> None:
    assert befores([copy(1), copy(2)])[-1] == {1: 1}
    assert befores([copy(1), BEGIN, of_thread(1, copy(2))])[-1] == {}
