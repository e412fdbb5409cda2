"""Time that L2 takes for a launch's atomics on global memory. They may use all slices of L2 or only a few.

The constants are fitted to atomics on 2^0 to 2^24 words, contiguous and strided, of integers and of floats
(grader/tests/gpu/model/atomics.cu).
"""

from __future__ import annotations

import math
from dataclasses import replace

from ...gpu.spec import Fitted
from ...records import Footprint, Launch
from ...tables.hardware import FLOAT, SECTOR
from .cache_traffic import beside, touched, wide


def cycles(launch: Launch, sms: int, resident: float, fitted: Fitted) -> float | None:
    """`resident`: blocks that an SM holds. None if the launch has no footprints of atomics."""
    blocks = math.prod(launch.grid)
    seen = max((each.blocks for each in launch.footprints), default=0)
    led = _led(launch)
    parts = [_of_leaders(each, led) for each in launch.footprints if each.kind == "atomic"]
    if not parts:
        return None
    sent = sum(each.requests for each in parts) * blocks / seen * fitted.atomic_request / sms
    shares = [(each, blocks * each.blocks / seen, resident * sms) for each in parts]
    work = sum(_of_footprint(*share, fitted) for share in shares)
    floats = launch.mix is not None and launch.mix.by_kind.get("float atomic", 0.0) > 0
    return max(sent, work, *(_of_floats(*share, fitted) for share in shares if floats))


def _led(launch: Launch) -> float:
    """Share of the atomics that one lane executes for its warp.

    ptxas aggregates integer additions of all lanes to one word: a uniform vote precedes such an atomic.
    """
    if launch.mix is None:
        return 0.0
    executed = launch.mix.by_kind.get("atomic", 0.0)
    return min(1.0, launch.mix.by_kind.get("uniform vote", 0.0) / executed) if executed else 0.0


def _of_leaders(of: Footprint, led: float) -> Footprint:
    """The footprint with one lane for each warp whose atomics are aggregated."""
    if not led or of.sectors > of.requests:
        return of
    bytes_ = of.bytes * (1 - led) + of.requests * FLOAT * led
    turns = of.on_a_word * (1 - led) + of.requests * led
    return replace(of, bytes=round(bytes_), on_a_word=round(turns))


def _of_floats(of: Footprint, blocks: float, at_a_time: float, fitted: Fitted) -> float:
    """Cycles of additions of floats, which are serial within each sector."""
    return fitted.atomic_float * of.on_a_word * blocks / of.blocks / touched(of, min(blocks, at_a_time))


def _of_footprint(of: Footprint, blocks: float, at_a_time: float, fitted: Fitted) -> float:
    lanes, turns = of.bytes / FLOAT, of.on_a_word
    side_by_side = turns == of.sectors and of.bytes == of.sectors * SECTOR
    apart = max(fitted.atomic_turn * (turns - of.sectors), fitted.atomic_lane * (lanes - turns))
    more = 0.0 if side_by_side else apart
    work = fitted.atomic_line * of.lines + fitted.atomic_sector * of.sectors + more
    # Only lines of the blocks that run at the same time are accessed at the same time.
    lines = touched(of, min(blocks, at_a_time)) * of.launch_lines / of.launch_sectors
    if beside(of) > 0.5 and not wide(of):
        lines = min(lines, max(1.0, of.reach_lines * min(1.0, at_a_time / blocks)))
    lines = min(lines, float(of.reach_lines))
    return work * blocks / of.blocks / _slices(lines, fitted)


def _slices(lines: float, fitted: Fitted) -> float:
    """Slices that work in parallel. The lines are not spread evenly over them."""
    groups = lines / fitted.slice_lines
    return max(1.0, groups / (1 + groups / fitted.slices))
