"""What waits for what in a program's calls."""

from __future__ import annotations

from warpgrade.records import HostCall
from warpgrade.run.program_order import Order, without_graphs


def test_a_stream_goes_on_behind_the_graph_that_it_launched() -> None:
    calls = [
        HostCall("cudaLaunchKernel", stream=1, captured=True),
        HostCall("cudaEventRecord", stream=1, event=9, captured=True),
        HostCall("cudaStreamWaitEvent", stream=2, event=9, captured=True),
        HostCall("cudaMemcpyAsync", stream=2, direction="to host", captured=True),
        HostCall("cudaStreamEndCapture", stream=1, graph=3),
        HostCall("cudaGraphInstantiate", graph=3, executable=4),
        HostCall("cudaGraphLaunch", stream=1, executable=4),
        HostCall("cudaLaunchKernel", stream=1),
    ]
    plain = list(without_graphs(calls))
    assert not any(call.captured for call in plain)
    work = [call for call in plain if call.function in ("cudaLaunchKernel", "cudaMemcpyAsync")]
    assert [call.stream for call in work][2:] == [1] and len({call.stream for call in work}) == 3
    order = Order(plain)
    seen = {}
    for call in plain:
        if call in work:
            seen[call.stream] = order.work(call.stream, call.direction)
        else:
            order.wait(call)
    number, before = seen[1]
    assert number == 1 and set(before) == {call.stream for call in work[:2]}


def test_a_graph_that_launches_itself_often_has_an_end() -> None:
    calls = [HostCall("cudaLaunchKernel", stream=1, captured=True)] * 1000
    calls += [
        HostCall("cudaStreamEndCapture", graph=3),
        HostCall("cudaGraphInstantiate", graph=3, executable=4),
    ]
    calls += [HostCall("cudaGraphLaunch", stream=1, executable=4)] * 1000
    assert sum(1 for _ in without_graphs(calls)) <= 20_000
