"""Which work of a program's streams waits for which, read from the order of its calls."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...records import HostCall

LAUNCHES = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
COPIES = (
    "cudaMemcpyAsync", "cudaMemcpy2DAsync", "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbolAsync",
)  # fmt: skip
RECORD, WAIT = "cudaEventRecord", "cudaStreamWaitEvent"
WAITING_COPIES = ("cudaMemcpy", "cudaMemcpy2D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol")
# Calls after which no work of any stream is under way.
_WAIT_FOR_ALL = ("cudaDeviceSynchronize", "cudaFree", "cudaFreeHost", "cudaDeviceReset")
_MAKE = ("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority")
_DEFAULT = 0  # the default stream
_OF_STREAMS = (*LAUNCHES, *COPIES, RECORD, WAIT)
_MOST_STREAMS = 128  # streams whose work is recorded

Clock = dict[int, int]  # by stream, the number of its work that is over


@dataclass(frozen=True)
class StreamWork:
    """A kernel, or a copy between host and device. `before`: what is over when it begins."""

    number: int
    before: Clock


class Order:
    """Which work of streams waits for which: a vector clock for each stream, event and thread of the program.
    Copies of one direction share an engine, which makes them in the order of a thread's calls. The default
    stream and all streams except non-blocking ones wait for each other.
    """

    def __init__(self, calls: Sequence[HostCall]) -> None:
        streams = dict.fromkeys(call.stream for call in calls if call.function in _OF_STREAMS)
        self._known = {_DEFAULT, *itertools.islice(streams, _MOST_STREAMS)}
        self._apart: set[int] = set()  # streams that the default stream does not wait for, nor they for it
        self._threads: dict[int, Clock] = {}  # what each knows to be over
        self._streams: dict[int, Clock] = {}
        self._events: dict[int, Clock] = {}
        self._engines: dict[tuple[int, str], Clock] = {}  # by thread and direction

    def knows(self, stream: int) -> bool:
        return stream in self._known

    def walk(self, calls: Sequence[HostCall]) -> Iterator[tuple[HostCall, StreamWork | None]]:
        """The calls in known streams, in order, each with its work if it is a kernel or a copy."""
        for call in calls:
            work = None
            if self.knows(call.stream):
                if call.code == 0 and call.function in LAUNCHES:
                    work = self._work(call)
                elif call.code == 0 and call.function in (*COPIES, *WAITING_COPIES) and call.direction:
                    work = self._work(call, host_waits=not call.pinned)
                self._wait(call)
            yield call, work

    def _work(self, call: HostCall, host_waits: bool = False) -> StreamWork:
        """The stream's next work."""
        stream, direction = call.stream, call.direction
        before = _merge(self.now(call), self._engines.get((call.thread, direction), {}))
        number = before.get(stream, 0) + 1
        self._streams[stream] = {**before, stream: number}
        if direction:
            self._engines[call.thread, direction] = self._streams[stream]
        if host_waits:  # all that the thread does later waits for it, too
            _merge(self.known(call), self._streams[stream])
        return StreamWork(number, before)

    def known(self, call: HostCall) -> Clock:
        """The work that the call's thread knows to be over; for a thread whose start was not seen, the work
        that any thread knows to be over."""
        if call.thread not in self._threads:
            self._threads[call.thread] = functools.reduce(_merge, self._threads.values(), {})
        return self._threads[call.thread]

    def number(self, stream: int) -> int:
        """Number of the stream's last work."""
        return self._streams.get(stream, {}).get(stream, 0)

    def between(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """For each stream: the number of its last work that is over at the first event, and at the second."""
        if begin in self._events:
            for stream, number in self._events.get(end, {}).items():
                yield stream, self._events[begin].get(stream, 0), number

    def _wait(self, call: HostCall) -> None:
        """Updates the clocks for a call that waits, or that makes a stream wait."""
        if call.function in _MAKE:
            (self._apart.add if call.non_blocking else self._apart.discard)(call.stream)
        elif call.function == RECORD:
            self._events[call.event] = self.now(call)
        elif call.function == WAIT:
            self._streams[call.stream] = _merge(self.now(call), self._events.get(call.event, {}))
        elif call.function in ("cudaEventSynchronize", "cudaEventQuery") and call.code == 0:
            _merge(self.known(call), self._events.get(call.event, {}))
        elif call.function in ("cudaStreamSynchronize", "cudaStreamQuery") and call.code == 0:
            _merge(self.known(call), self.now(call))
        elif call.function in WAITING_COPIES:
            _merge(self.known(call), self.now(replace(call, stream=_DEFAULT)))
        elif call.function in _WAIT_FOR_ALL:
            for each in self._streams.values():
                _merge(self.known(call), each)
        elif call.function == "pthread_create":
            self._threads[call.other] = dict(self.known(call))
        elif call.function == "pthread_join":
            _merge(self.known(call), self._threads.get(call.other, {}))

    def now(self, call: HostCall) -> Clock:
        """The work that is over when the stream begins the next work that this thread submits to it."""
        clock = _merge(dict(self.known(call)), self._streams.get(call.stream, {}))
        if call.stream == _DEFAULT:
            for other, each in self._streams.items():
                _merge(clock, {} if self._is_apart(other) else each)
        elif not self._is_apart(call.stream):
            _merge(clock, self._streams.get(_DEFAULT, {}))
        return clock

    def _is_apart(self, stream: int) -> bool:
        """Whether the stream neither waits for the default stream nor makes it wait. Streams of a graph are
        such: only the stream of its launch waits for them, and they for it.
        """
        return stream < 0 or stream in self._apart


def _merge(clock: Clock, other: Clock) -> Clock:
    for stream, number in other.items():
        clock[stream] = max(clock.get(stream, 0), number)
    return clock
