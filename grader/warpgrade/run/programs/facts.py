"""Numbers about a program's run, which the techniques of a program lab compare: see PROGRAM_FACTS."""

from __future__ import annotations

import base64
import bisect
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...gpu.spec import GpuSpec
from ...records import HostCall, ProgramRun
from . import timeline
from .graphs import GRAPH_LAUNCH, without_graphs
from .order import COPIES, LAUNCHES, Order
from .printed_times import are_guessed, is_printed, numbers_in

SIGABRT = 6
_ASYNC = "Async"
_IN, _OUT = "to device", "to host"  # directions of copies
_LEAKS = ("memory-leak", "resource-leak")
_IN_STREAM = "cudaMallocAsync"
_ALLOCATE = (
    "cudaMalloc", "cudaMallocManaged", "cudaMallocPitch", _IN_STREAM, "cudaGraphAddMemAllocNode",
    "cudaGraphAddNode",
)  # fmt: skip
_FREE = ("cudaFree", "cudaFreeAsync")
_DESTROY = ("cudaEventDestroy", "cudaStreamDestroy", "cudaGraphDestroy", "cudaGraphExecDestroy")
_CLEAN_UP = (*_FREE, *_DESTROY, "cudaFreeHost", "cudaHostUnregister", "cudaDeviceReset")


def is_unnoticed(run: ProgramRun) -> bool:
    """Whether a call failed and the program neither said so and ended with an error nor worked around it. A
    workaround shows in other calls: a program that falls back from pinned to pageable memory is right. Where
    the call did its work all the same, a second attempt may change the output.
    """
    if run.failed is None or run.lost:
        return run.failed is not None
    if ends_with_error(run):
        return not says_something(run)
    return not (run.exit_code == 0 and (run.same_output or run.worked) and not run.same_calls)


def ends_with_error(run: ProgramRun) -> bool:
    """Whether the program chose to end with an error: not by a segmentation fault, but by SIGABRT, which an
    uncaught exception and assert() raise.
    """
    return run.exit_code > 0 or run.signal == SIGABRT


def says_something(run: ProgramRun) -> bool:
    """Whether the program wrote a word: one that a handler of signals ends in silence has seen no error."""
    return bool(run.errors.strip() or run.printed.strip())


def place_of(run: ProgramRun) -> tuple[str, int]:
    """The place in the program whose call failed: function and return address."""
    assert run.failed is not None
    return run.failed.function, run.failed.caller


def ended_by(run: ProgramRun) -> HostCall | None:
    """The call at whose error the program ended, if nothing else says why: no call of its work followed."""
    if not run.first or run.exit_code <= 0:
        return None
    work = [call for call in run.calls if call.function not in _CLEAN_UP]
    return work[-1] if work and work[-1].code and work[-1].why else None


def is_steady(first: ProgramRun, controls: Sequence[ProgramRun]) -> bool:
    """Whether all runs without a failed call are equal. Otherwise the program gets no credit for noticing
    failures: it may end with an error at random, or make other calls where one shall fail."""
    return all(
        not run.lost and run.exit_code == first.exit_code and run.same_output and run.same_calls
        for run in controls
    )


def failures_of(runs: Sequence[ProgramRun]) -> dict[str, int]:
    """FACTS_OF_FAILURES → number of places in the program, over all cases. A place in a loop fails in its
    first iteration, its last and one in between, and counts as noticed if all three are. Places beyond the
    limit count as unnoticed.
    """
    places: set[tuple[str, int]] = set()
    unnoticed: set[tuple[str, int]] = set()
    for first in (run for run in runs if run.first):
        others = [run for run in runs if run.label == first.label and not run.first]
        failures = [run for run in others if run.failed is not None]
        steady = is_steady(first, [run for run in others if run.failed is None])
        places |= {place_of(run) for run in failures}
        unnoticed |= {place_of(run) for run in failures if is_unnoticed(run) or not steady}
    untried = sum(run.untried for run in runs)
    return {"failures": len(places) + untried, "unnoticed": len(unnoticed) + untried}


def facts(first: ProgramRun, gpu: GpuSpec, arrays: Mapping[str, int] | None = None) -> dict[str, int]:
    """Name → number, for one case: all of PROGRAM_FACTS except those about failures. `gpu`: the GPU for which
    times are modelled. `arrays`: bytes of the arrays that the program reads and writes, by direction of a
    copy; by default the bytes of the files that it wrote, and no limit for its inputs.
    """
    copied = tuple(without_graphs(first.calls))
    calls = tuple(that_count(copied))
    kernels = timeline.kernel_seconds(first.launches, gpu)
    time = timeline.timeline(calls, kernels, gpu)
    written = sum(len(base64.b64decode(output)) for output in first.outputs)
    arrays = arrays or {_OUT: written}
    needed = _needed(calls, arrays, gpu)
    computed = _computed(calls, arrays.get(_OUT, written), kernels, gpu)
    loose = [
        call for call in first.calls if call.function in LAUNCHES and call.code == 0 and not call.captured
    ]
    kinds = [str(finding.get("kind")) for finding in first.findings]
    ended = first.exit_code == 0
    timed, untimed = _timed(first)
    return {
        "leaks": sum(kind in _LEAKS for kind in kinds) if ended else 1,
        "timed_kernels": len(timed),
        "untimed_bytes": untimed,
        "early_times": kinds.count("event-not-ready"),
        "unfinished": kinds.count("unfinished-work"),
        "launches": sum(call.function in LAUNCHES and call.code == 0 for call in calls),
        "blocks": sum(math.prod(call.grid) for call in calls if call.function in LAUNCHES and not call.code),
        "streams": len({call.stream for call in calls if call.function in LAUNCHES and call.stream}),
        "overlapped_bytes": overlapped_bytes(calls),
        "copied_bytes": sum(call.bytes for call in copied if call.direction and call.code == 0),
        "read_bytes": _moved(calls, _IN),
        "device_bytes": device_bytes(first.calls) + first.variable_bytes + first.heap_bytes,
        "graph_launches": sum(call.function == GRAPH_LAUNCH and call.code == 0 for call in first.calls),
        "loose_launches": len(loose),
        "waiting_copies": sum(
            bool(call.direction) and call.code == 0 and (_ASYNC not in call.function or not call.pinned)
            for call in copied
        ),
        "default_launches": sum(not call.stream for call in loose),
        "graph_bytes": sum(call.result_bytes for call in first.calls if call.captured),
        "modelled_ns": round(time.whole * 1e9),
        "busiest_ns": round(max(computed, *needed.values()) * 1e9),
        "serial_ns": round(time.serial * 1e9),
        "copies_ns": round(sum(needed.values()) * 1e9),
    }


def that_count(calls: Sequence[HostCall]) -> Iterator[HostCall]:
    """The calls, with the size of each copy to the device reduced to the bytes that a kernel read, possibly
    none: a useless copy must not earn points for overlap. Calls of graphs have already been replaced.
    """
    times = Counter(call.copy for call in calls if call.direction == _IN)
    for call in calls:
        size = call.bytes
        if call.direction == _IN:
            size = min(size, call.read_bytes // times[call.copy])
        if size or not call.direction:
            yield replace(call, bytes=size)


def _needed(calls: Iterable[HostCall], arrays: Mapping[str, int], gpu: GpuSpec) -> dict[str, float]:
    """Seconds of the needed copies, run one after the other, by direction: the largest first, up to the bytes
    of the arrays. Further copies are not needed, and each would add a start-up time, however small it is.
    """
    sizes: dict[str, list[int]] = {_IN: [], _OUT: []}
    for call in calls:
        if call.direction and call.code == 0:
            sizes[call.direction].append(call.bytes)
    found = {}
    for direction, each in sizes.items():
        left = arrays.get(direction, sum(each))
        seconds = 0.0
        for size in sorted(each, reverse=True):
            seconds += timeline.copy_seconds(min(size, left), gpu) if left else 0.0
            left -= min(size, left)
        found[direction] = seconds
    return found


def _computed(
    calls: Sequence[HostCall], results: int, kernels: Mapping[timeline.Shape, float], gpu: GpuSpec
) -> float:
    """Seconds of kernels one after the other: of those that make the results, the ones that make most first.
    Others are for show, however long they take.
    """
    times = Counter(call.launch for call in calls if call.function in LAUNCHES)
    made = [
        (call.result_bytes / times[call.launch], timeline.seconds_of(call, kernels, gpu))
        for call in calls
        if call.function in LAUNCHES and call.result_bytes
    ]
    seconds, left = 0.0, float(results)
    for size, each in sorted(made, reverse=True):
        seconds += each if left > 0 else 0.0
        left -= size
    return seconds


def _moved(calls: Iterable[HostCall], direction: str) -> int:
    return sum(call.bytes for call in calls if call.direction == direction and call.code == 0)


def device_bytes(calls: Sequence[HostCall]) -> int:
    """The most bytes of device memory that were allocated at a time; pinned memory is the host's. Memory that
    is freed in a stream counts until the stream is known to have reached the free when the next allocation is
    made.
    """
    held: dict[int, int] = {}
    leaving: list[tuple[int, int, int]] = []  # stream, number of its work before, bytes
    now = most = 0
    order = Order(calls)
    for call, _ in order.walk(calls):
        if call.code:
            continue
        if call.function in _ALLOCATE and call.memory:
            over = order.now(call) if call.function == _IN_STREAM else order.known(call)
            gone = [each for each in leaving if over.get(each[0], 0) >= each[1]]
            leaving = [each for each in leaving if each not in gone]
            now += call.bytes - held.get(call.memory, 0) - sum(size for _, _, size in gone)
            held[call.memory] = call.bytes
            most = max(most, now)
        elif call.function == "cudaFreeAsync":
            leaving.append((call.stream, order.number(call.stream), held.pop(call.memory, 0)))
        elif call.function in _FREE:
            now -= held.pop(call.memory, 0)
    return most


def _timed(run: ProgramRun) -> tuple[Sequence[HostCall], int]:
    """Calls of cudaEventElapsedTime that gave the time of a kernel, which the program printed: none if these
    kernels together made less than half of the results that the program used. Kernels whose results are not
    used do not count, nor those that the second event does not wait for. And the bytes of results that other
    kernels made.
    """
    numbers = numbers_in(run.printed)
    calls = list(without_graphs(run.calls))
    order = Order(calls)
    kernels: dict[int, list[int]] = {}  # by stream, the numbers of its kernels
    results: dict[tuple[int, int], int] = {}  # by stream and number, bytes
    timed: set[tuple[int, int]] = set()
    found: list[HostCall] = []
    for call, work in order.walk(calls):
        if work is not None and call.function in LAUNCHES and call.result_bytes:
            kernels.setdefault(call.stream, []).append(work.number)
            results[call.stream, work.number] = call.result_bytes
        elif call.function == "cudaEventElapsedTime" and call.code == 0:
            mine: set[tuple[int, int]] = set()
            for stream, first, last in order.between(call.event, call.other):
                made = kernels.get(stream, [])
                between = made[bisect.bisect(made, first) : bisect.bisect(made, last)]
                mine.update((stream, number) for number in between)
            if mine and is_printed(call.milliseconds, numbers):
                found.append(call)
                timed |= mine
    untimed = sum(results.values()) - sum(results[each] for each in timed)
    enough = 2 * untimed <= sum(results.values())
    times = [call.milliseconds for call in calls if call.function == "cudaEventElapsedTime" and not call.code]
    guessed = are_guessed(times, [call.milliseconds for call in found], numbers)
    return found if enough and not guessed else (), untimed


def overlapped_bytes(calls: Sequence[HostCall]) -> int:
    """Bytes of asynchronous copies between pinned memory and the device that may run concurrently with a
    kernel of another stream: neither waits for the other.
    """
    kernels: dict[int, int] = {}  # by stream, the number of its last kernel
    copies: dict[int, list[tuple[int, int]]] = {}  # by stream, number and bytes of those not counted yet
    total = 0
    for call, work in Order(calls).walk(calls):
        stream = call.stream
        if work is not None and call.function in LAUNCHES:
            kernels[stream] = work.number
            for other, waiting in copies.items():
                while other != stream and waiting and waiting[-1][0] > work.before.get(other, 0):
                    total += waiting.pop()[1]
        elif work is not None and call.function in COPIES and call.pinned:
            if any(kernels[other] > work.before.get(other, 0) for other in kernels if other != stream):
                total += call.bytes
            else:
                copies.setdefault(stream, []).append((work.number, call.bytes))
    return total
