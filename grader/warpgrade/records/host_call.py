"""What a program did, as the back end of the emulator saw it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# Facts about a case of a program lab that techniques may name, and what they count.
PROGRAM_FACTS = {
    "failures": "places in the program whose call was made to fail, in three turns of a loop",
    "unnoticed": "of these, those where the program went on as if nothing had happened",
    "leaks": "allocations, streams and events that were left",
    "timed_kernels": "times of kernels with results, between two events, asked for when known, and printed",
    "untimed_bytes": "bytes of results that kernels made outside of these times",
    "early_times": "times that were asked for before they were known",
    "unfinished": "pieces of work that the program had not waited for when it ended",
    "launches": "kernel launches",
    "blocks": "blocks of all launches",
    "streams": "streams other than the default stream, and chains of nodes of graphs, in which kernels ran",
    "overlapped_bytes": "bytes that count, copied while a kernel of another stream could run",
    "copied_bytes": "bytes copied between host and device, both directions together",
    "read_bytes": "bytes copied to the device that a kernel read before others came there",
    "device_bytes": "bytes of device memory held where it was most, with variables and what kernels allocate",
    "graph_launches": "launches of graphs",
    "loose_launches": "kernel launches outside of graphs",
    "default_launches": "of these, those in the default stream, which others wait for",
    "waiting_copies": "copies for which the program waits: not Async ones, or of memory that is not pinned",
    "graph_bytes": "bytes of results that kernels of graphs wrote, and copies or the host took",
    "modelled_ns": "nanoseconds from the first copy or kernel to the last, modelled from the order of calls",
    "busiest_ns": "nanoseconds that the busiest of copies in, kernels that make results and copies out takes",
    "serial_ns": "nanoseconds of all copies and kernels one after the other, modelled",
    "copies_ns": "nanoseconds of the largest copies one after the other, of as many bytes as the arrays have",
}
FACTS_OF_TIME = (  # those that need the counters of launches
    "modelled_ns", "busiest_ns", "serial_ns", "copies_ns",
)  # fmt: skip
FACTS_OF_FAILURES = ("failures", "unnoticed")  # those that need a run for each call that can fail


@dataclass(frozen=True)
class GraphNode:
    """A node that a launch of a graph runs. `call`: the number, among the run's calls, of the one that says
    what it does; -1: none."""

    call: int = -1
    does: str = ""  # the function that does the same in a stream; "": nothing, but for keeping an order
    event: int = 0  # that it records or waits for
    before: tuple[int, ...] = ()  # places in the launch's list, each less than its own


@dataclass(frozen=True)
class HostCall:
    """A call of the runtime. `caller`: its return address in the program."""

    function: str
    caller: int = 0
    thread: int = 0  # of the program; `other`: the one that pthread_create makes, or pthread_join waits for
    code: int = 0
    error: str = ""  # the code's name: "cudaErrorInvalidValue"
    why: str = ""  # it failed, in words; empty where a finding or an earlier error says it
    stream: int = 0  # handle; 0: the default stream
    non_blocking: bool = False  # of the stream that was made: it and the default stream do not wait
    event: int = 0
    other: int = 0  # the second event of cudaEventElapsedTime
    bytes: int = 0
    direction: str = ""  # of a copy between the sides: "to device", "to host"
    pinned: bool = False  # whether the host's side of a copy is pinned
    copy: int = 0  # number of a copy; launches of a graph repeat it
    read_bytes: int = 0  # of what a copy brought to the device, those that a kernel read, in all launches
    launch: int = 0  # number of a launch; launches of a graph repeat it
    result_bytes: int = 0  # of what a launch wrote, those that copies or the host took, in all launches
    milliseconds: float = 0.0
    memory: int = 0  # address of device memory that was allocated or freed
    kernel: str = ""  # of a launch: its symbol
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    executable: int = 0  # handle of a graph that is launched
    nodes: tuple[GraphNode, ...] = ()  # of that graph, where they have changed since its last launch
    captured: bool = False  # put into a graph: not done yet
    can_fail: bool = False  # whether a program must look at its error


@dataclass(frozen=True)
class ProgramRun:
    """One run of the program. If not `first`, it is compared with the last run in which no call failed."""

    label: str
    first: bool = True
    not_begun: bool = False  # as other runs did not end
    lost: bool = False  # the program killed the process that served it
    too_much: str = ""  # "files" or "memory", where its processes took more of it than they may
    failed: HostCall | None = None  # the call that failed
    again: bool = False  # at a place in the program that had been called before
    worked: bool = False  # it was made all the same: nothing but what it returned told of the failure
    exit_code: int = -1  # -1 where a signal ended it
    signal: int = 0
    timed_out: bool = False
    calls: tuple[HostCall, ...] = ()
    more_calls: bool = False  # the program made more calls than are listed
    untried: int = 0  # places whose calls were not made to fail, as the program has too many
    variable_bytes: int = 0  # of device memory, of the program's __device__ variables
    heap_bytes: int = 0  # of device memory that kernels held, where they held most
    from_device: bool = False  # every output is what the program copied from the device
    # What the outputs become on a twin of the device, in base 64: of other inputs that the program never saw.
    of_twin: tuple[str, ...] = ()
    # The part of each input that the twin has found among what the program sent, from 0 to 1.
    followed: tuple[float, ...] = ()
    rearranged: bool = (
        False  # inputs that the program rearranged before, where the output is no more than that
    )
    printed: str = ""
    errors: str = ""  # the beginning of its standard error
    # Of the first run: the contents of the output files, in base 64; an empty one was not written.
    outputs: tuple[str, ...] = ()
    same_output: bool = False
    same_calls: bool = False  # as many at each place; of questions whether work is done, any number
    # Spelled as the emulator writes them; of launches, one of each kernel and shape with its counters.
    launches: tuple[dict[str, Any], ...] = field(default=(), metadata={"saved": False})
    counters: dict[str, int] = field(default_factory=dict, metadata={"saved": False})  # of all launches
    findings: tuple[dict[str, Any], ...] = field(default=(), metadata={"saved": False})
