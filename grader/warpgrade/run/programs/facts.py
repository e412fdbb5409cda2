"""Numbers about a program's run, which the techniques of a program lab compare: see PROGRAM_FACTS."""

from __future__ import annotations

import base64
import bisect
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...gpu.spec import GpuSpec
from ...records import HostCall, ProgramRun
from . import timeline
from .graphs import GRAPH_LAUNCH, without_graphs
from .order import COPIES, LAUNCHES, Order

SIGABRT = 6
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
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MOST_NUMBERS = 50  # of a program's output: more would be guesses
_LONGEST_NUMBER = 100  # characters
_DIGITS = 0.01  # of a printed time
_UNITS = (1.0, 1e3, 1e-3)  # milliseconds, microseconds, seconds


def is_unnoticed(run: ProgramRun) -> bool:
    """Whether a call failed and the program neither said so by its exit code nor found another way.

    The other way shows in other calls: a program that falls back from pinned to plain memory is right. A
    program that a segmentation fault ended has noticed nothing; an exception that nobody caught ends it with
    SIGABRT.
    """
    if run.failed is None or run.lost:
        return run.failed is not None
    if run.exit_code > 0 or run.signal == SIGABRT:
        return False
    return not (run.exit_code == 0 and run.same_output and not run.same_calls)


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
    """Whether the program does the same each time that no call fails. One that does not has noticed no
    failure: it may end with an error whenever it likes."""
    return all(not run.lost and run.exit_code == first.exit_code and run.same_output for run in controls)


def failures_of(runs: Sequence[ProgramRun]) -> dict[str, int]:
    """FACTS_OF_FAILURES → number of places in the program, over all cases. A place that a loop comes to again
    fails in its first turn, its last and one between, and is noticed where all are.
    """
    places: set[tuple[str, int]] = set()
    unnoticed: set[tuple[str, int]] = set()
    for first in (run for run in runs if run.first):
        others = [run for run in runs if run.label == first.label and not run.first]
        failures = [run for run in others if run.failed is not None]
        steady = is_steady(first, [run for run in others if run.failed is None])
        places |= {place_of(run) for run in failures}
        unnoticed |= {place_of(run) for run in failures if is_unnoticed(run) or not steady}
    return {"failures": len(places), "unnoticed": len(unnoticed)}


def facts(first: ProgramRun, gpu: GpuSpec) -> dict[str, int]:
    """Name → number, of one case: all of PROGRAM_FACTS but those of failures.

    `gpu`: times are modelled for it.
    """
    copied = tuple(without_graphs(first.calls))
    calls = tuple(that_count(copied))
    time = timeline.timeline(calls, timeline.kernel_seconds(first.launches, gpu), gpu)
    kinds = [str(finding.get("kind")) for finding in first.findings]
    ended = first.exit_code == 0
    return {
        "leaks": sum(kind in _LEAKS for kind in kinds) if ended else 1,
        "timed_kernels": len(_timed(first)),
        "early_times": kinds.count("event-not-ready"),
        "unfinished": kinds.count("unfinished-work"),
        "launches": sum(call.function in LAUNCHES and call.code == 0 for call in calls),
        "streams": len({call.stream for call in calls if call.function in LAUNCHES and call.stream}),
        "overlapped_bytes": overlapped_bytes(calls),
        "copied_bytes": sum(call.bytes for call in copied if call.direction and call.code == 0),
        "read_bytes": _moved(calls, _IN),
        "device_bytes": device_bytes(first.calls) + first.variable_bytes + first.heap_bytes,
        "graph_launches": sum(call.function == GRAPH_LAUNCH and call.code == 0 for call in first.calls),
        "graph_bytes": sum(call.result_bytes for call in first.calls if call.captured),
        "modelled_ns": round(time.whole * 1e9),
        "busiest_ns": round(time.busiest * 1e9),
        "serial_ns": round(time.serial * 1e9),
        "copies_ns": round(_of_results(first, calls, time) * 1e9),
    }


def that_count(calls: Sequence[HostCall]) -> Iterator[HostCall]:
    """The calls, but copies to the device as if of those bytes only that a kernel read, which may be none:
    what nobody needs can run beside anything. Calls of graphs are replaced already.
    """
    times = Counter(call.copy for call in calls if call.direction == _IN)
    for call in calls:
        size = call.bytes
        if call.direction == _IN:
            size = min(size, call.read_bytes // times[call.copy])
        if size or not call.bytes:
            yield replace(call, bytes=size)


def _of_results(first: ProgramRun, calls: Iterable[HostCall], time: timeline.ProgramTime) -> float:
    """Seconds of all copies one after the other, and out no more than the outputs hold."""
    most = sum(len(base64.b64decode(output)) for output in first.outputs)
    out = _moved(calls, _OUT)
    share = min(1.0, most / out) if out else 1.0
    return time.copies.get(_IN, 0.0) + share * time.copies.get(_OUT, 0.0)


def _moved(calls: Iterable[HostCall], direction: str) -> int:
    return sum(call.bytes for call in calls if call.direction == direction and call.code == 0)


def device_bytes(calls: Sequence[HostCall]) -> int:
    """The most bytes of device memory that were allocated at a time; pinned memory is the host's. What is
    freed in a stream is held until the stream comes there, as far as the next allocation may know.
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


def _timed(run: ProgramRun) -> Sequence[HostCall]:
    """Calls of cudaEventElapsedTime that gave the time of a kernel, which the program printed: none if all
    these kernels make less than half of what is taken of kernels' results. A kernel of whose results nobody
    takes any is none, and one that the second event does not wait for.
    """
    numbers = _numbers(run.printed)
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
            if mine and _is_printed(call.milliseconds, numbers):
                found.append(call)
                timed |= mine
    enough = 2 * sum(results[each] for each in timed) >= sum(results.values())
    return found if enough else ()


def _is_printed(milliseconds: float, numbers: Sequence[str]) -> bool:
    """Whether one of the numbers is the time, in a usual unit and rounded."""
    return any(_rounds_to(word, milliseconds * unit) for word in numbers for unit in _UNITS)


def _numbers(text: str) -> list[str]:
    """The first numbers in the text. A longer word is no time."""
    words = itertools.islice(_NUMBER.finditer(text), _MOST_NUMBERS)
    return [word[0][:_LONGEST_NUMBER] for word in words]


def printed(run: ProgramRun) -> str:
    """The program's output. If the program measured a time, numbers are left out: they differ between runs,
    and the record must be the same for the same submission.
    """
    timed = any(call.function == "cudaEventElapsedTime" for call in run.calls)
    return _NUMBER.sub("…", run.printed) if timed else run.printed


def _rounds_to(word: str, value: float) -> bool:
    """Whether the word is the value, to its last decimal or to one percent."""
    decimals = len(word.partition("e")[0].partition(".")[2])
    last_digit = 0.51 * 10**-decimals if decimals else 0.0
    return float(word) > 0 and abs(float(word) - value) <= max(last_digit, _DIGITS * value)


def overlapped_bytes(calls: Sequence[HostCall]) -> int:
    """Bytes of asynchronous copies between pinned memory and the device that a kernel of another stream may
    run beside: neither of the two waits for the other.
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
