"""Numbers about a program's calls."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from support.programs.square_program import BEGIN, CAN_RUN, PLAIN, counted, data_in, graded
from warpgrade.core.paths import here
from warpgrade.gpu import spec
from warpgrade.records import FACTS_OF_FAILURES, PROGRAM_FACTS, GraphNode, HostCall, ProgramRun
from warpgrade.run.programs.facts import (
    device_bytes,
    ended_by,
    facts,
    failures_of,
    is_unnoticed,
    overlapped_bytes,
    that_count,
)
from warpgrade.run.programs.printed_times import printed

H200 = spec.load(here(), "h200")
FAILED = HostCall("cudaMalloc", code=2)
OTHER = HostCall("cudaMalloc", caller=64, code=2)
RIGHT = ProgramRun("a", exit_code=0)


@pytest.mark.parametrize(
    ("run", "unnoticed"),
    [
        (ProgramRun("a", failed=FAILED, exit_code=1, errors="out of memory"), False),
        (ProgramRun("a", failed=FAILED, exit_code=1, printed="out of memory"), False),
        (ProgramRun("a", failed=FAILED, exit_code=1, errors="\n"), True),  # as a handler of SIGSEGV ends it
        (ProgramRun("a", failed=FAILED, signal=6, errors="terminate called"), False),  # nobody caught it
        (ProgramRun("a", failed=FAILED, signal=6), True),
        (ProgramRun("a", failed=FAILED, signal=11, errors="1000 elements"), True),
        (ProgramRun("a", failed=FAILED, exit_code=0), True),
        (ProgramRun("a", failed=FAILED, exit_code=0, same_output=True, same_calls=True), True),
        (ProgramRun("a", failed=FAILED, exit_code=0, same_output=True, same_calls=False), False),
        (ProgramRun("a", failed=FAILED, worked=True, exit_code=0, same_output=True, same_calls=True), True),
        (ProgramRun("a", failed=FAILED, worked=True, exit_code=0, same_calls=False), False),
        (ProgramRun("a", failed=FAILED, worked=True, exit_code=1, errors="launch"), False),
        (ProgramRun("a", failed=FAILED, lost=True), True),
        (ProgramRun("a", exit_code=0), False),
    ],
)
def test_what_counts_as_noticed(run: ProgramRun, unnoticed: bool) -> None:
    assert is_unnoticed(run) == unnoticed


def test_a_program_that_ends_with_an_error_without_a_reason_notices_nothing() -> None:
    noticed = ProgramRun("a", first=False, failed=FAILED, exit_code=1, errors="out of memory")
    good = ProgramRun("a", first=False, exit_code=0, same_output=True, same_calls=True)
    bad = ProgramRun("a", first=False, exit_code=1)
    assert failures_of([RIGHT, noticed, good])["unnoticed"] == 0
    assert failures_of([RIGHT, noticed, good, bad])["unnoticed"] == 1


def test_a_program_that_makes_other_calls_in_later_runs_notices_nothing() -> None:
    noticed = ProgramRun("a", first=False, failed=FAILED, exit_code=1, errors="out of memory")
    other = ProgramRun("a", first=False, exit_code=0, same_output=True, same_calls=False)
    assert failures_of([RIGHT, noticed, other])["unnoticed"] == 1


def test_places_that_nobody_tried_are_not_noticed() -> None:
    noticed = ProgramRun("a", first=False, failed=FAILED, exit_code=1, errors="out of memory")
    first = replace(RIGHT, untried=3)
    assert failures_of([first, noticed]) == {"failures": 4, "unnoticed": 3}


def test_failures_are_counted_over_all_cases() -> None:
    other = replace(RIGHT, label="b")
    noticed = ProgramRun("a", first=False, failed=FAILED, exit_code=1, errors="out of memory")
    unnoticed = ProgramRun("b", first=False, failed=OTHER, exit_code=0)
    assert failures_of([RIGHT, noticed, other, unnoticed]) == {"failures": 2, "unnoticed": 1}


def test_a_place_in_a_loop_counts_once_and_is_noticed_where_both_failures_are() -> None:
    noticed = ProgramRun("a", first=False, failed=FAILED, exit_code=1, errors="out of memory")
    later = replace(noticed, again=True)
    assert failures_of([RIGHT, noticed, later]) == {"failures": 1, "unnoticed": 0}
    assert failures_of([RIGHT, noticed, replace(later, exit_code=0)]) == {"failures": 1, "unnoticed": 1}


def test_every_fact_is_named() -> None:
    assert {*facts(RIGHT, H200), *FACTS_OF_FAILURES} == set(PROGRAM_FACTS)
    assert set(failures_of([])) == set(FACTS_OF_FAILURES)


def copy(stream: int, pinned: bool = True) -> HostCall:
    return HostCall("cudaMemcpyAsync", stream=stream, bytes=100, direction="to device", pinned=pinned)


def launch(stream: int) -> HostCall:
    return HostCall("cudaLaunchKernel", stream=stream, result_bytes=4)


def made(stream: int, non_blocking: bool) -> HostCall:
    return HostCall("cudaStreamCreateWithFlags", stream=stream, non_blocking=non_blocking)


def record(stream: int, event: int) -> HostCall:
    return HostCall("cudaEventRecord", stream=stream, event=event)


def wait(stream: int, event: int) -> HostCall:
    return HostCall("cudaStreamWaitEvent", stream=stream, event=event)


@pytest.mark.parametrize(
    ("calls", "bytes"),
    [
        ([copy(1), launch(1), copy(2), launch(2)], 100),
        ([copy(1), launch(1), copy(1), launch(1)], 0),  # one stream
        ([copy(1), launch(1), HostCall("cudaStreamSynchronize", stream=1), copy(2), launch(2)], 0),
        ([copy(1), launch(1), HostCall("cudaDeviceSynchronize"), copy(2), launch(2)], 0),
        ([copy(1), launch(1), copy(2, pinned=False), launch(2)], 0),
        ([copy(1), launch(1), launch(0), copy(2)], 0),  # the default stream waits for all
        ([made(2, non_blocking=True), launch(0), copy(2)], 100),  # but for these
        ([made(2, non_blocking=True), launch(0), made(2, non_blocking=False), copy(2)], 0),
        ([made(2, non_blocking=True), launch(2), HostCall("cudaMemcpy"), copy(1)], 100),
        ([made(2, non_blocking=True), launch(2), HostCall("cudaDeviceSynchronize"), copy(1)], 0),
        ([copy(1), copy(2), launch(1), launch(2)], 100),
        # A stream for copies and one for kernels, which events keep in order.
        ([copy(1), record(1, 7), wait(2, 7), launch(2)], 0),
        ([copy(1), record(1, 7), wait(2, 7), launch(2), copy(1), record(1, 8), wait(2, 8), launch(2)], 100),
        ([record(1, 7), copy(1), wait(2, 7), launch(2)], 100),
        ([launch(1), record(1, 7), HostCall("cudaEventSynchronize", event=7), copy(2)], 0),
        ([record(1, 7), launch(1), HostCall("cudaEventSynchronize", event=7), copy(2)], 100),
        ([launch(1), HostCall("cudaStreamQuery", stream=1), copy(2)], 0),
        ([launch(1), HostCall("cudaStreamQuery", stream=1, code=600), copy(2)], 100),
    ],
)
def test_copies_that_can_run_beside_a_kernel(calls: list[HostCall], bytes: int) -> None:
    assert overlapped_bytes(calls) == bytes


def test_a_time_counts_where_a_kernel_stands_between_the_events_and_it_is_printed() -> None:
    calls = (
        HostCall("cudaEventRecord", event=1),
        launch(0),
        HostCall("cudaEventRecord", event=2),
        HostCall("cudaEventElapsedTime", event=1, other=2, milliseconds=0.1234),
    )
    for text, count in (("0.123 ms", 1), ("123 us", 1), ("0.1 ms", 1), ("0.200 ms", 0), ("0.0", 0), ("", 0)):
        assert facts(ProgramRun("a", exit_code=0, calls=calls, printed=text), H200)["timed_kernels"] == count
    idle = (calls[0], replace(calls[1], result_bytes=0), *calls[2:])
    assert facts(ProgramRun("a", exit_code=0, calls=idle, printed="0.123"), H200)["timed_kernels"] == 0
    late = (calls[0], calls[2], calls[1], calls[3])
    assert facts(ProgramRun("a", exit_code=0, calls=late, printed="0.123"), H200)["timed_kernels"] == 0


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        # The kernel's stream, and one that waits for it.
        ([record(1, 7), launch(1), record(1, 8)], 1),
        ([record(1, 7), launch(1), record(1, 9), wait(2, 9), record(2, 8)], 1),
        # Streams of which none waits for the kernel.
        ([record(2, 7), launch(1), record(2, 8)], 0),
        ([record(2, 7), launch(1), wait(2, 9), record(2, 8)], 0),
        # The default stream waits for other streams, unless they were made non-blocking.
        ([record(0, 7), launch(1), record(0, 8)], 1),
        ([made(1, non_blocking=False), record(0, 7), launch(1), record(0, 8)], 1),
        ([made(1, non_blocking=True), record(0, 7), launch(1), record(0, 8)], 0),
        # The program waits, which makes all that comes later wait.
        ([record(2, 7), launch(1), HostCall("cudaStreamSynchronize", stream=1), record(2, 8)], 1),
        ([made(1, non_blocking=True), record(0, 7), launch(1), HostCall("cudaFree"), record(0, 8)], 1),
        ([record(2, 7), launch(1), copy(1, pinned=False), record(2, 8)], 1),
        ([record(2, 7), launch(1), copy(1), record(2, 8)], 0),
        # The kernel is over before the first event.
        ([launch(1), record(1, 7), record(1, 8)], 0),
        ([launch(1), record(1, 8)], 0),
    ],
)
def test_a_time_counts_where_the_second_event_waits_for_a_kernel(calls: list[HostCall], count: int) -> None:
    asked = HostCall("cudaEventElapsedTime", event=7, other=8, milliseconds=0.5)
    run = ProgramRun("a", exit_code=0, calls=(*calls, asked), printed="0.5 ms")
    assert facts(run, H200)["timed_kernels"] == count


@pytest.mark.parametrize(("bytes_timed", "count"), [(3, 0), (4, 1), (40, 1)])
def test_kernels_that_are_timed_make_half_of_the_results(bytes_timed: int, count: int) -> None:
    timed = replace(launch(1), result_bytes=bytes_timed)
    asked = HostCall("cudaEventElapsedTime", event=7, other=8, milliseconds=0.5)
    calls = (launch(1), record(1, 7), timed, record(1, 8), asked)
    run = ProgramRun("a", exit_code=0, calls=calls, printed="0.5 ms")
    counted = facts(run, H200)
    assert counted["timed_kernels"] == count and counted["untimed_bytes"] == launch(1).result_bytes


def test_times_of_pieces_add_up() -> None:
    asked = HostCall("cudaEventElapsedTime", event=7, other=8, milliseconds=0.5)
    piece = (record(1, 7), launch(1), record(1, 8), asked)
    run = ProgramRun("a", exit_code=0, calls=(launch(1), *piece, *piece), printed="0.5 ms")
    assert facts(run, H200)["timed_kernels"] == 2


def test_a_printed_time_is_in_no_record() -> None:
    text = "1000 elements in 0.358 ms"
    asked = (HostCall("cudaEventElapsedTime"),)
    assert printed(ProgramRun("a", printed=text)) == text
    assert printed(ProgramRun("a", printed=text, calls=asked)) == "… elements in … ms"


def test_the_most_device_memory_at_a_time() -> None:
    calls = [
        HostCall("cudaMalloc", memory=1, bytes=100),
        HostCall("cudaMallocHost", memory=2, bytes=1000),  # the host's
        HostCall("cudaMalloc", memory=3, bytes=50),
        HostCall("cudaFree", memory=1),
        HostCall("cudaMalloc", memory=1, bytes=70),
        HostCall("cudaMalloc", memory=0, bytes=900, code=2),  # failed
    ]
    assert device_bytes(calls) == 150


def test_memory_that_is_freed_in_a_stream_is_held_until_the_stream_comes_there() -> None:
    def turn(stream: int) -> list[HostCall]:
        memory = HostCall("cudaMallocAsync", stream=stream, memory=stream, bytes=100)
        return [memory, launch(stream), replace(memory, function="cudaFreeAsync", bytes=0)]

    def of(*streams: int) -> list[HostCall]:
        return [call for stream in streams for call in turn(stream)]

    assert device_bytes(of(1, 1, 1)) == 100
    assert device_bytes(of(1, 2, 3)) == 300
    assert device_bytes([*of(1, 2), HostCall("cudaDeviceSynchronize"), *of(3)]) == 200
    assert device_bytes([*of(1), HostCall("cudaMalloc", memory=9, bytes=7)]) == 107
    assert device_bytes([*of(1), record(1, 5), wait(2, 5), *of(2)]) == 100


def test_what_a_graph_does_counts_each_time_that_it_is_launched() -> None:
    captured = tuple(replace(call, captured=True) for call in (copy(1), launch(2)))
    nodes = (GraphNode(0, "cudaMemcpyAsync"), GraphNode(1, "cudaLaunchKernel", before=(0,)))
    run = HostCall("cudaGraphLaunch", stream=1, executable=6, nodes=nodes)
    again = replace(run, nodes=())
    found = facts(ProgramRun("a", exit_code=0, calls=(*captured, run, again)), H200)
    assert (found["graph_launches"], found["launches"], found["copied_bytes"]) == (2, 2, 200)
    assert found["overlapped_bytes"] == 0  # the second launch waits for the first
    assert facts(ProgramRun("a", exit_code=0, calls=captured), H200)["launches"] == 0


WHY = HostCall("cudaEventRecord", code=400, error="cudaErrorInvalidResourceHandle", why="no such event")


@pytest.mark.parametrize(
    ("calls", "exit_code", "found"),
    [
        ((WHY,), 1, True),
        ((HostCall("cudaMalloc"), WHY, HostCall("cudaFree")), 1, True),  # it cleans up
        ((WHY,), 0, False),  # WG120 says of a program that went on
        ((WHY, HostCall("cudaMalloc")), 1, False),  # it went on, and ended for another reason
        ((replace(WHY, why=""),), 1, False),  # a finding says it
        ((HostCall("cudaMalloc"),), 1, False),
        ((), 1, False),
    ],
)
def test_the_call_at_whose_error_a_program_ended(
    calls: tuple[HostCall, ...], exit_code: int, found: bool
) -> None:
    assert ended_by(ProgramRun("a", exit_code=exit_code, calls=calls)) == (WHY if found else None)
    assert ended_by(ProgramRun("a", first=False, exit_code=exit_code, calls=calls)) is None


def test_bytes_that_no_kernel_reads_are_as_if_they_had_not_been_copied() -> None:
    unread, whole = replace(copy(1), copy=1), replace(copy(1), copy=2, read_bytes=100)
    half = replace(copy(1), copy=3, read_bytes=50)
    back = HostCall("cudaMemcpyAsync", stream=2, bytes=100, direction="to host", pinned=True)
    assert list(that_count([unread, whole, half, launch(1), back])) == [
        whole, replace(half, bytes=50), launch(1), back,
    ]  # fmt: skip
    # Three launches of a graph that repeats a copy: all of them were read.
    again = replace(copy(1), copy=4, read_bytes=300)
    assert list(that_count([again] * 3)) == [again] * 3


def test_copies_back_count_for_no_more_than_the_outputs_hold() -> None:
    there = replace(copy(1), bytes=1 << 20, copy=1, read_bytes=1 << 20)
    back = HostCall("cudaMemcpyAsync", stream=2, bytes=1 << 20, direction="to host", pinned=True)
    output = base64.b64encode(bytes(1 << 20)).decode()

    def copies(calls: list[HostCall]) -> int:
        run = ProgramRun("a", exit_code=0, calls=tuple(calls), outputs=(output,))
        return facts(run, H200)["copies_ns"]

    needed = copies([there, launch(1), back])
    assert copies([there, launch(1), back, back, back]) == pytest.approx(needed, abs=1)
    assert copies([there, replace(there, copy=2, read_bytes=0), launch(1), back]) == needed
    assert copies([there, replace(there, copy=2), launch(1), back]) > needed


def test_a_kernel_makes_no_engine_busier_that_makes_no_results() -> None:
    large = replace(launch(1), launch=1, result_bytes=1 << 20)
    show = replace(launch(2), launch=2, result_bytes=1)
    output = base64.b64encode(bytes(1 << 20)).decode()

    def busiest(*calls: HostCall) -> int:
        return facts(ProgramRun("a", exit_code=0, calls=calls, outputs=(output,)), H200)["busiest_ns"]

    alone = busiest(large)
    assert alone > 0 and busiest(large, show, show) == alone
    assert busiest(replace(large, result_bytes=0)) == 0
    half = replace(large, result_bytes=1 << 19)
    assert busiest(half, replace(half, launch=3), show) == pytest.approx(2 * alone, abs=1)
    # Two launches of a graph that repeats a kernel: each made half of what both have made.
    assert busiest(large, large) == pytest.approx(2 * alone, abs=1)


def test_variables_are_device_memory_and_results_of_graphs_are_counted() -> None:
    captured = replace(launch(1), captured=True, result_bytes=40)
    run = ProgramRun("a", exit_code=0, calls=(launch(0), captured), variable_bytes=100, heap_bytes=7)
    found = facts(run, H200)
    assert (found["device_bytes"], found["graph_bytes"]) == (107, 40)
    assert found["loose_launches"] == 1, "the other one stands in a graph"
    assert found["default_launches"] == 1
    waiting = HostCall("cudaMemcpy", bytes=4, direction="to host", pinned=True)
    calls = (waiting, replace(waiting, function="cudaMemcpyAsync"), replace(waiting, pinned=False, code=1))
    assert facts(replace(run, calls=calls), H200)["waiting_copies"] == 1
    assert facts(replace(run, calls=(launch(1),)), H200)["default_launches"] == 0


# --- programs that run ---------------------------------------------------------------------------------

needs_tools = pytest.mark.skipif(not CAN_RUN, reason="needs `make tools`")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_in(tmp_path_factory.mktemp("data"))


@needs_tools
def test_a_time_that_is_asked_for_early_is_none(data: Path, tmp_path: Path) -> None:
    text = PLAIN.replace("  CHECK(cudaEventSynchronize(stop));\n", "").replace(
        "CHECK(cudaEventElapsedTime(&ms, start, stop))", "cudaEventElapsedTime(&ms, start, stop)"
    )
    run = graded(BEGIN + text, data, tmp_path)
    assert (counted(run)["timed_kernels"], counted(run)["early_times"]) == (0, 1)


@needs_tools
def test_a_time_that_is_not_printed_does_not_count(data: Path, tmp_path: Path) -> None:
    run = graded(BEGIN + PLAIN.replace('"%.4f ms\\n", ms', '"77.7 ms"'), data, tmp_path)
    assert counted(run)["timed_kernels"] == 0


NOTHING = PLAIN.replace("int main(", "__global__ void nothing() {}\nint main(").replace(
    "  square<<<4, 256>>>(dx, dy, 1000);", "  nothing<<<1, 1>>>();"
).replace(
    "  CHECK(cudaMemcpy(y.data(), dy", "  square<<<4, 256>>>(dx, dy, 1000);\n  CHECK(cudaMemcpy(y.data(), dy"
)  # fmt: skip


@needs_tools
def test_the_time_of_a_kernel_whose_results_nobody_takes_does_not_count(data: Path, tmp_path: Path) -> None:
    assert counted(graded(BEGIN + NOTHING, data, tmp_path))["timed_kernels"] == 0


@needs_tools
def test_results_that_come_to_the_host_by_way_of_another_copy_count(data: Path, tmp_path: Path) -> None:
    text = PLAIN.replace(
        "  CHECK(cudaMemcpy(y.data(), dy",
        "  CHECK(cudaMemcpy(dx, dy, 4000, cudaMemcpyDeviceToDevice));\n  CHECK(cudaMemcpy(y.data(), dx",
    )
    run = graded(BEGIN + text, data, tmp_path)
    assert run.cases[0].status == "pass" and counted(run)["timed_kernels"] == 1


@needs_tools
def test_variables_of_the_device_are_device_memory(data: Path, tmp_path: Path) -> None:
    text = BEGIN.replace("y[i] = x[i] * x[i];", "y[i] = kept[i] = x[i] * x[i];").replace(
        "__global__", "__device__ float kept[5000];\n__global__"
    )
    assert counted(graded(text + PLAIN, data, tmp_path))["device_bytes"] == 8000 + 20000


@needs_tools
def test_what_kernels_of_a_graph_give_is_counted(data: Path, tmp_path: Path) -> None:
    text = PLAIN.replace(
        "  square<<<4, 256>>>(dx, dy, 1000);\n  CHECK(cudaGetLastError());\n",
        "  cudaStream_t s; cudaGraph_t g; cudaGraphExec_t work;\n"
        "  CHECK(cudaStreamCreate(&s));\n"
        "  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));\n"
        "  square<<<4, 256, 0, s>>>(dx, dy, 500);\n  CHECK(cudaStreamEndCapture(s, &g));\n"
        "  CHECK(cudaGraphInstantiate(&work, g, 0));\n  CHECK(cudaGraphLaunch(work, s));\n"
        "  CHECK(cudaStreamSynchronize(s));\n  square<<<4, 256>>>(dx + 500, dy + 500, 500);\n",
    )
    run = graded(BEGIN + text, data, tmp_path)
    assert run.cases[0].status == "pass"
    assert (counted(run)["graph_bytes"], counted(run)["graph_launches"]) == (2000, 1)
