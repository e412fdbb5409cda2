"""The time of a program's copies and kernels, modelled from the order of its calls.

A GPU has an engine for copies to the device, one for copies to the host, and its SMs. Each does one thing at
a time, begins it when what it waits for is over (order.py), and needs as long as it would alone:

- a copy: the bus's rate of the data sheet, less what the heads of packets take, and a start;
- a kernel: the performance model, from the counters of a launch of the same kernel and shape.

The order between calls of several threads depends on chance and is ignored: an engine takes the work that can
begin first. The host's own time is left out. So the result is what the order of the calls allows, on every
machine the same.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...gpu.spec import GpuSpec
from ...perfmodel import model
from ...perfmodel.counters import total
from ...records import HostCall, Launch
from ...tables import nsight
from ...tables.hardware import SECTOR
from ..emulator_rows import launch_of
from .order import LAUNCHES, Clock, Order

# A packet of PCI Express carries up to 256 bytes after a header of about 26 (PCI Express Base Specification,
# transaction and data link layers).
_PAYLOAD = 256 / 282
_COPY_STARTS = 1.2e-6  # seconds of an empty copy on its engine; assumed, not measured
_SMS = "kernels"
_MOST_THREADS = 16  # with an order of their own
Shape = tuple[str, tuple[int, ...], tuple[int, ...]]  # a kernel's symbol, grid, block


@dataclass(frozen=True)
class ProgramTime:
    """Seconds. `busiest`: what the busiest engine takes for its work alone, which no order can go below.
    `serial`: all work one after the other."""

    whole: float = 0.0
    busiest: float = 0.0
    serial: float = 0.0


def kernel_seconds(rows: Iterable[dict[str, Any]], gpu: GpuSpec) -> dict[Shape, float]:
    """The modelled time of each kernel and shape, from lines of the emulator's counters."""
    return {
        (launch.kernel, launch.grid, launch.block): _seconds(launch, gpu) for launch in map(launch_of, rows)
    }


def _seconds(launch: Launch, gpu: GpuSpec) -> float:
    moved = total(launch, nsight.GLOBAL_LOAD_SECTORS, nsight.GLOBAL_STORE_SECTORS) * SECTOR
    once = min(moved, launch.argument_bytes) if launch.argument_bytes else moved
    return model.time_of(launch, once, gpu, None, alone=True).milliseconds * 1e-3


def copy_seconds(size: int, gpu: GpuSpec) -> float:
    return _COPY_STARTS + size / (_PAYLOAD * gpu.host_bytes_per_second)


def timeline(calls: Sequence[HostCall], kernels: Mapping[Shape, float], gpu: GpuSpec) -> ProgramTime:
    """The time of the calls' work. Calls of graphs are replaced already: graphs.py."""
    queues: dict[int, deque[_TimedWork]] = {}
    for call, work in Order(calls).walk(calls):
        if work is not None:
            engine = _SMS if call.function in LAUNCHES else call.direction
            task = _TimedWork(engine, seconds_of(call, kernels, gpu), (call.stream, work.number), work.before)
            queues.setdefault(min(call.thread, _MOST_THREADS), deque()).append(task)
    ends: dict[tuple[int, int], float] = {}  # by stream and number
    busy: dict[str, float] = {}
    for task, begin in _scheduled(queues, ends):
        ends[task.key] = begin + task.seconds
        busy[task.engine] = busy.get(task.engine, 0.0) + task.seconds
    if not busy:
        return ProgramTime()
    return ProgramTime(max(ends.values()), max(busy.values()), math.fsum(busy.values()))


def seconds_of(call: HostCall, kernels: Mapping[Shape, float], gpu: GpuSpec) -> float:
    if call.function in LAUNCHES:
        return kernels.get((call.kernel, call.grid, call.block), gpu.launch_seconds)
    return copy_seconds(call.bytes, gpu)


@dataclass(frozen=True)
class _TimedWork:
    engine: str
    seconds: float
    key: tuple[int, int]  # stream and number
    before: Clock


def _scheduled(
    queues: Mapping[int, deque[_TimedWork]], ends: Mapping[tuple[int, int], float]
) -> Iterator[tuple[_TimedWork, float]]:
    """The tasks with their beginnings; the caller fills in `ends`. Tasks of one thread keep the order of its
    calls; between threads, the task that can begin first goes first.
    """
    free: dict[str, float] = {}  # when each engine is done
    while any(queues.values()):
        begins = []
        for thread, queue in queues.items():
            if queue and all(each in ends or not each[1] for each in queue[0].before.items()):
                ready = max((ends.get(each, 0.0) for each in queue[0].before.items()), default=0.0)
                begins.append((max(ready, free.get(queue[0].engine, 0.0)), thread))
        begin, thread = min(begins)
        task = queues[thread].popleft()
        free[task.engine] = begin + task.seconds
        yield task, begin
