"""Which work of a program's streams waits for which, read from the order of its calls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..records import HostCall

LAUNCHES = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
COPIES = ("cudaMemcpyAsync", "cudaMemcpy2DAsync")
RECORD, WAIT = "cudaEventRecord", "cudaStreamWaitEvent"
WAITING_COPIES = ("cudaMemcpy", "cudaMemcpy2D")
# Calls after which no work of any stream is under way.
_WAIT_FOR_ALL = ("cudaDeviceSynchronize", "cudaFree", "cudaFreeHost", "cudaDeviceReset")
_MAKE = ("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority")
_DEFAULT = 0  # the default stream
_OF_STREAMS = (*LAUNCHES, *COPIES, RECORD, WAIT)
_MOST_STREAMS = 128  # whose work is looked at

Clock = dict[int, int]  # by stream, the number of its work that is over


@dataclass(frozen=True)
class StreamWork:
    """A kernel, or a copy between host and device. `before`: what is over when it begins."""

    number: int
    before: Clock


class Order:
    """Which work of streams waits for which: a vector clock for each stream and event, and for the program.
    Copies of one direction share an engine, which makes them in the order of their calls. The default stream
    and others wait for each other, but for those that were made non-blocking.
    """

    def __init__(self, calls: Sequence[HostCall]) -> None:
        streams = dict.fromkeys(call.stream for call in calls if call.function in _OF_STREAMS)
        self._known = {_DEFAULT, *itertools.islice(streams, _MOST_STREAMS)}
        self._apart: set[int] = set()  # streams that the default stream does not wait for, nor they for it
        self._program: Clock = {}
        self._streams: dict[int, Clock] = {}
        self._events: dict[int, Clock] = {}
        self._engines: dict[str, Clock] = {}  # by direction

    def knows(self, stream: int) -> bool:
        return stream in self._known

    def walk(self, calls: Sequence[HostCall]) -> Iterator[tuple[HostCall, StreamWork | None]]:
        """The calls in known streams, and the work of those that are some, one after the other."""
        for call in calls:
            if not self.knows(call.stream):
                continue
            work = None
            if call.code == 0 and call.function in LAUNCHES:
                work = StreamWork(*self.work(call.stream))
            elif call.code == 0 and call.function in (*COPIES, *WAITING_COPIES) and call.direction:
                work = StreamWork(*self.work(call.stream, call.direction, host_waits=not call.pinned))
            self.wait(call)
            yield call, work

    def work(self, stream: int, direction: str = "", host_waits: bool = False) -> tuple[int, Clock]:
        """The number of the stream's next work, and what is over when it begins."""
        before = _merge(self._now(stream), self._engines.get(direction, {}))
        number = before.get(stream, 0) + 1
        self._streams[stream] = {**before, stream: number}
        if direction:
            self._engines[direction] = self._streams[stream]
        if host_waits:  # all that comes later waits for it, too
            _merge(self._program, self._streams[stream])
        return number, before

    def between(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Streams, and the number of the last work of each that is over at one event, and at another."""
        if begin in self._events:
            for stream, number in self._events.get(end, {}).items():
                yield stream, self._events[begin].get(stream, 0), number

    def wait(self, call: HostCall) -> None:
        """What a call that is no work waits for, or makes a stream wait for."""
        if call.function in _MAKE:
            (self._apart.add if call.non_blocking else self._apart.discard)(call.stream)
        elif call.function == RECORD:
            self._events[call.event] = self._now(call.stream)
        elif call.function == WAIT:
            self._streams[call.stream] = _merge(self._now(call.stream), self._events.get(call.event, {}))
        elif call.function in ("cudaEventSynchronize", "cudaEventQuery") and call.code == 0:
            _merge(self._program, self._events.get(call.event, {}))
        elif call.function in ("cudaStreamSynchronize", "cudaStreamQuery") and call.code == 0:
            _merge(self._program, self._now(call.stream))
        elif call.function in WAITING_COPIES:
            _merge(self._program, self._now(_DEFAULT))
        elif call.function in _WAIT_FOR_ALL:
            for each in self._streams.values():
                _merge(self._program, each)

    def _now(self, stream: int) -> Clock:
        """What is over when the stream comes to its next work."""
        clock = _merge(dict(self._program), self._streams.get(stream, {}))
        if stream == _DEFAULT:
            for other, each in self._streams.items():
                _merge(clock, {} if self._is_apart(other) else each)
        elif not self._is_apart(stream):
            _merge(clock, self._streams.get(_DEFAULT, {}))
        return clock

    def _is_apart(self, stream: int) -> bool:
        """Those of a graph are: they wait for the stream of its launch, which waits for them."""
        return stream < 0 or stream in self._apart


def _merge(clock: Clock, other: Clock) -> Clock:
    for stream, number in other.items():
        clock[stream] = max(clock.get(stream, 0), number)
    return clock
