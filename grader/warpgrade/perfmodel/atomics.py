"""How long L2 takes for a launch's atomics on global memory: in all its slices, or in the few that they meet.

From atomics on 2^0 to 2^24 words, side by side and apart, of integers and of floats, as an H200 timed them
(grader/tests/gpu/model/atomics.cu).
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..core.hardware import FLOAT, SECTOR
from ..records import Footprint, Launch
from .cache_traffic import beside, touched, wide

# A slice of L2 takes so many cycles for each line of a request and for each sector of it; then for each lane
# on a word that another lane is on too, or for each of lanes that are not side by side.
_A_LINE, _A_SECTOR, _A_TURN, _A_LANE = 0.5, 0.92, 1.45, 0.12
# A sum of floats takes so long until the next one can be added in the same sector.
_A_FLOAT = 3.48
# Neighbouring lines lie in one slice, so many; all together work as fast as so many alone.
_SLICE_LINES, _SLICES = 4.5, 75.0
# An SM sends a request after so many cycles.
_A_REQUEST = 20.0


def cycles(launch: Launch, sms: int, resident: float) -> float | None:
    """`resident`: blocks that an SM holds. None where the launch does not tell."""
    blocks = math.prod(launch.grid)
    seen = max((each.blocks for each in launch.footprints), default=0)
    led = _led(launch)
    parts = [_of_leaders(each, led) for each in launch.footprints if each.kind == "atomic"]
    if not parts:
        return None
    sent = sum(each.requests for each in parts) * blocks / seen * _A_REQUEST / sms
    shares = [(each, blocks * each.blocks / seen, resident * sms) for each in parts]
    work = sum(_of_footprint(*share) for share in shares)
    floats = launch.mix is not None and launch.mix.by_kind.get("float atomic", 0.0) > 0
    return max(sent, work, *(_of_floats(*share) for share in shares if floats))


def _led(launch: Launch) -> float:
    """Share of the atomics that one lane does for its warp.

    The compiler has them do so where all lanes add integers to the same word: it votes first.
    """
    if launch.mix is None:
        return 0.0
    executed = launch.mix.by_kind.get("atomic", 0.0)
    return min(1.0, launch.mix.by_kind.get("uniform vote", 0.0) / executed) if executed else 0.0


def _of_leaders(of: Footprint, led: float) -> Footprint:
    """With one lane in place of those that it leads."""
    if not led or of.sectors > of.requests:
        return of
    bytes_ = of.bytes * (1 - led) + of.requests * FLOAT * led
    turns = of.on_a_word * (1 - led) + of.requests * led
    return replace(of, bytes=round(bytes_), on_a_word=round(turns))


def _of_floats(of: Footprint, blocks: float, at_a_time: float) -> float:
    """One after another in each of the sectors that are wanted at a time."""
    return _A_FLOAT * of.on_a_word * blocks / of.blocks / touched(of, min(blocks, at_a_time))


def _of_footprint(of: Footprint, blocks: float, at_a_time: float) -> float:
    lanes, turns = of.bytes / FLOAT, of.on_a_word
    side_by_side = turns == of.sectors and of.bytes == of.sectors * SECTOR
    more = 0.0 if side_by_side else max(_A_TURN * (turns - of.sectors), _A_LANE * (lanes - turns))
    work = _A_LINE * of.lines + _A_SECTOR * of.sectors + more
    # Only what the blocks that run at a time want is wanted at a time.
    lines = touched(of, min(blocks, at_a_time)) * of.launch_lines / of.launch_sectors
    if beside(of) > 0.5 and not wide(of):
        lines = min(lines, max(1.0, of.reach_lines * min(1.0, at_a_time / blocks)))
    lines = min(lines, float(of.reach_lines))
    return work * blocks / of.blocks / _slices(lines)


def _slices(lines: float) -> float:
    """That work at a time: some have more lines than others."""
    groups = lines / _SLICE_LINES
    return max(1.0, groups / (1 + groups / _SLICES))
