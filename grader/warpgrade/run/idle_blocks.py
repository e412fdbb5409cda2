"""Launches most of whose blocks have no work."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..perfmodel.counters import total
from ..records import HostCall, Launch, ProgramRun
from ..tables import nsight
from ..tables.hardware import WARP
from .emulator_rows import launch_of

KIND = "idle-blocks"
HELP = (
    "A grid counts blocks, not threads: (n + THREADS - 1) / THREADS blocks of THREADS threads have one for "
    "each of n elements."
)
_BUSY = 0.25  # share of warps that access memory; below it, most blocks have no work
_FEWEST = 32  # blocks: a small grid costs nothing
_ACCESSES = (
    nsight.GLOBAL_LOAD_REQUESTS, nsight.GLOBAL_STORE_REQUESTS, nsight.GLOBAL_ATOMICS, nsight.ASYNC_COPIES,
    nsight.SHARED_LOAD_INSTRUCTIONS, nsight.SHARED_STORE_INSTRUCTIONS, nsight.SHARED_ATOMICS,
)  # fmt: skip


def found(run: ProgramRun) -> Iterator[tuple[HostCall, str]]:
    """The call of each such launch, once, with a sentence that describes it. A launch that an error has
    ended says nothing: its threads have done less than they would.
    """
    ended = {row.get("launch") for row in run.findings if row.get("severity") == "error"}
    for launch in map(launch_of, run.launches):
        if launch.launch in ended:
            continue
        idle = _idle_share(launch)
        blocks, threads = math.prod(launch.grid), math.prod(launch.block)
        call = next((call for call in run.calls if _is_of(call, launch)), None)
        if call is not None and idle >= 1 - _BUSY and blocks >= _FEWEST:
            share = f"{math.floor(100 * idle)} %"
            launched = f"{blocks:,} blocks of {threads:,} threads are launched"
            yield call, f"{launched}, and at least {share} of their threads do nothing but return"


def _is_of(call: HostCall, launch: Launch) -> bool:
    shape = (launch.kernel, launch.grid, launch.block)
    return call.code == 0 and (call.kernel, call.grid, call.block) == shape


def _idle_share(launch: Launch) -> float:
    """A lower bound of the share of warps that access no memory: each access is counted for one warp."""
    warps = math.prod(launch.grid) * math.ceil(math.prod(launch.block) / WARP)
    return 1 - min(1.0, total(launch, *_ACCESSES) / warps) if warps else 0.0
