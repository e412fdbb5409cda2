"""A program's calls with what launches of graphs run in the launches' place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...records import GraphNode, HostCall
from .order import RECORD, WAIT

GRAPH_LAUNCH = "cudaGraphLaunch"
_MOST_CALLS = 20_000  # with those that launches of graphs repeat


def without_graphs(calls: Sequence[HostCall]) -> Iterator[HostCall]:
    """The calls, with what each launch of a graph does in the launch's place.

    Chains of nodes become streams of that launch, which events order. They begin when the launch's stream
    reaches the launch, and that stream continues when all of them have ended.
    """
    return itertools.islice(_without_graphs(calls), _MOST_CALLS)


def _without_graphs(calls: Sequence[HostCall]) -> Iterator[HostCall]:
    executables: dict[int, _Executable] = {}
    names = itertools.count(-1, -1)  # of streams and events: handles are positive
    for call in calls:
        if call.captured:
            continue
        if call.function != GRAPH_LAUNCH or call.code:
            yield call
            continue
        executable = executables.setdefault(call.executable, _Executable(names))
        if call.nodes:
            executable.become(calls, call.nodes)
        yield from (replace(each, thread=call.thread) for each in executable.launched(call.stream))


class _Executable:
    """A graph that can be launched. Its streams are the same in each launch: launches wait for each other."""

    def __init__(self, names: Iterator[int]) -> None:
        self._names = names
        self._begin, self._end = next(names), next(names)
        self._streams: list[int] = []
        self._calls: list[HostCall] = []

    def become(self, calls: Sequence[HostCall], nodes: Sequence[GraphNode]) -> None:
        chains = chains_of(nodes)
        self._streams += [next(self._names) for _ in range(max(chains) + 1 - len(self._streams))]
        awaited = {each for node in nodes for each in node.before}
        events = {each: next(self._names) for each in sorted(awaited)}
        self._calls = []
        for number, (node, chain) in enumerate(zip(nodes, chains, strict=True)):
            stream = self._streams[chain]
            others = (each for each in node.before if chains[each] != chain)
            self._calls += (HostCall(WAIT, stream=stream, event=events[each]) for each in others)
            if node.does:
                says = calls[node.call] if 0 <= node.call < len(calls) else HostCall("", event=node.event)
                self._calls.append(replace(says, function=node.does, stream=stream, captured=False))
            if number in awaited:
                self._calls.append(HostCall(RECORD, stream=stream, event=events[number]))

    def launched(self, stream: int) -> Iterator[HostCall]:
        yield HostCall(WAIT, stream=stream, event=self._end)  # of the launch before, in whatever stream
        yield HostCall(RECORD, stream=stream, event=self._begin)
        for each in self._streams:
            yield HostCall(WAIT, stream=each, event=self._begin)
        yield from self._calls
        for each in self._streams:
            yield HostCall(RECORD, stream=each, event=self._end)
            yield HostCall(WAIT, stream=stream, event=self._end)
        yield HostCall(RECORD, stream=stream, event=self._end)


def chains_of(nodes: Sequence[GraphNode]) -> list[int]:
    """The number of each node's chain, in which each node depends on the one before: a node continues the
    chain of one of its dependencies, unless another node does already; otherwise it begins a new chain.
    """
    chains: list[int] = []
    continued: set[int] = set()
    count = itertools.count()
    for node in nodes:
        last = next((each for each in node.before if each not in continued), None)
        chains.append(next(count) if last is None else chains[last])
        if last is not None:
            continued.add(last)
    return chains
