"""What launches of graphs run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from warpgrade.records import GraphNode, HostCall
from warpgrade.run.programs.graphs import chains_of, without_graphs
from warpgrade.run.programs.order import Order

KERNEL = HostCall("cudaGraphAddKernelNode", kernel="k", captured=True)
COPY = HostCall("cudaGraphAddMemcpyNode1D", direction="to host", bytes=8, pinned=True, captured=True)
SAYS = (KERNEL, COPY)


def kernel(*before: int) -> GraphNode:
    return GraphNode(0, "cudaLaunchKernel", before=before)


def copied(*before: int) -> GraphNode:
    return GraphNode(1, "cudaMemcpyAsync", before=before)


def launched(nodes: Sequence[GraphNode] = (), stream: int = 1) -> HostCall:
    return HostCall("cudaGraphLaunch", stream=stream, executable=4, nodes=tuple(nodes))


def works(calls: Sequence[HostCall]) -> list[tuple[HostCall, set[int]]]:
    """The work of the calls, with the places in this list of all that is over when each begins."""
    plain = list(without_graphs([*SAYS, *calls]))
    assert not any(call.captured for call in plain)
    found: list[tuple[HostCall, set[int]]] = []
    numbers: list[tuple[int, int]] = []
    for call, work in Order(plain).walk(plain):
        if work is not None:
            over = {i for i, (stream, number) in enumerate(numbers) if number <= work.before.get(stream, 0)}
            numbers.append((call.stream, work.number))
            found.append((call, over))
    return found


def test_a_stream_goes_on_behind_the_graph_that_it_launched() -> None:
    found = works([launched([kernel(), copied()]), HostCall("cudaLaunchKernel", stream=1)])
    assert [(call.function, over) for call, over in found] == [
        ("cudaLaunchKernel", set()), ("cudaMemcpyAsync", set()), ("cudaLaunchKernel", {0, 1}),
    ]  # fmt: skip
    assert [(call.kernel, call.bytes) for call, _ in found] == [("k", 0), ("", 8), ("", 0)]
    assert len({call.stream for call, _ in found}) == 3


@pytest.mark.parametrize(
    ("nodes", "over"),
    [
        ([kernel(), copied(0), kernel()], [set(), {0}, set()]),
        ([kernel(), copied(), kernel(0, 1)], [set(), set(), {0, 1}]),
        ([kernel(), GraphNode(before=(0,)), kernel(1), copied(1)], [set(), {0}, {0}]),  # a joint
        ([kernel(), kernel(0), kernel(0), kernel(1, 2)], [set(), {0}, {0}, {0, 1, 2}]),
    ],
)
def test_the_edges_of_a_graph_and_nothing_else_keep_an_order(
    nodes: list[GraphNode], over: list[set[int]]
) -> None:
    assert [each for _, each in works([launched(nodes)])] == over


def test_launches_of_a_graph_wait_for_each_other_in_whatever_streams() -> None:
    found = works([launched([kernel(), kernel()]), launched(stream=2)])
    assert [over for _, over in found] == [set(), set(), {0, 1}, {0, 1}]
    assert found[0][0].stream == found[2][0].stream


def test_a_graph_with_other_nodes_runs_those() -> None:
    found = works([launched([kernel()]), launched([kernel(), copied()]), launched()])
    assert [call.function for call, _ in found] == [
        "cudaLaunchKernel", *("cudaLaunchKernel", "cudaMemcpyAsync") * 2,
    ]  # fmt: skip


def test_events_of_nodes_stand_in_their_place() -> None:
    begin, end = (
        GraphNode(does="cudaEventRecord", event=7),
        GraphNode(does="cudaEventRecord", event=8, before=(1,)),
    )
    awaited = [GraphNode(does="cudaStreamWaitEvent", event=8), kernel(0)]
    plain = [
        *SAYS,
        launched([begin, kernel(0), end]),
        HostCall("cudaGraphLaunch", stream=2, executable=5, nodes=tuple(awaited)),
    ]
    calls = list(without_graphs(plain))
    order = Order(calls)
    (first, _), (second, work) = [each for each in order.walk(calls) if each[1]]
    assert work is not None and work.before == {first.stream: 1} and second.stream != first.stream
    assert [(last - since) for _, since, last in order.between(7, 8)] == [1]


def test_a_call_beyond_those_of_the_record_is_none_of_a_node() -> None:
    assert [call.kernel for call, _ in works([launched([GraphNode(99, "cudaLaunchKernel")])])] == [""]


def test_a_graph_that_launches_itself_often_has_an_end() -> None:
    calls = [*SAYS, launched([kernel()] * 1000), *[launched()] * 1000]
    assert sum(1 for _ in without_graphs(calls)) <= 20_000


def test_a_launch_that_failed_or_was_captured_runs_nothing() -> None:
    failed = HostCall("cudaGraphLaunch", executable=4, nodes=(kernel(),), code=1)
    captured = HostCall("cudaGraphLaunch", executable=4, nodes=(kernel(),), captured=True)
    assert works([failed, captured]) == []


def test_chains_go_on_with_what_nobody_has_gone_on_with() -> None:
    assert chains_of([kernel(), kernel(0), kernel(0), kernel(1), kernel(2, 3)]) == [0, 0, 1, 0, 1]
    assert chains_of([]) == []
