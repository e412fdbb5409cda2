"""How far a modelled time can be trusted: kernels like it that were predicted, then measured on a GPU."""

from __future__ import annotations

import math

from ..gpu.spec import GpuSpec
from ..records import Launch, Occupancy
from ..tables import nsight
from .counters import total
from .model import ModelledTime

_UNEQUAL = 1.1  # work of the busiest block, relative to the mean: no kernel that was compared has more
_TENSOR_CORES, _SHARED_ATOMICS = "tensor cores", "atomics in shared memory"


def typical_error(launch: Launch, time: ModelledTime, gpu: GpuSpec) -> float | None:
    """Mean relative error of the kernels that compared_with() names, as each was predicted before it was
    measured; None if there is any doubt.
    """
    return None if doubts(launch, gpu) else gpu.fitted.mean_error.get(compared_with(launch, time))


def compared_with(launch: Launch, time: ModelledTime) -> str:
    """What the measured kernels that are like this launch have in common: the resource that bounds them, or
    one whose users have larger errors than others with the same bound.
    """
    if time.cycles.get(_TENSOR_CORES):
        return _TENSOR_CORES
    counts = launch.mix is not None and launch.mix.by_kind.get("shared atomic", 0.0) >= launch.mix.warps
    return _SHARED_ATOMICS if counts else time.bound


def doubts(launch: Launch, gpu: GpuSpec) -> tuple[str, ...]:
    """What no measured kernel shares with the launch, and why its counters may not hold for all blocks."""
    found = []
    most = _busiest(launch)
    if most > _UNEQUAL:
        found.append(f"blocks do unequal work, the busiest {most:.1f} times the mean: run all (--sample 0)")
    if gpu.fitted.of != gpu.name:
        found.append(f"constants were fitted to another GPU, {gpu.fitted.of}")
    if launch.mix is None:
        return (*found, "no machine code")
    executed = {kind for kind, times in launch.mix.by_kind.items() if times > 0}
    unknown = sorted(executed - gpu.fitted.kinds)
    return (*found, *(f"no kernel with this kind of instruction was compared: {kind}" for kind in unknown))


def _busiest(launch: Launch) -> float:
    """Work of the busiest block that has run, relative to the mean; 0 if it was not counted."""
    executed = total(launch, nsight.WARP_INSTRUCTIONS)
    busiest = total(launch, nsight.BUSIEST_BLOCK_INSTRUCTIONS)
    return busiest * math.prod(launch.grid) / executed if executed else 0.0


def last_blocks(launch: Launch, gpu: GpuSpec, occupancy: Occupancy | None) -> int:
    """Blocks that have to wait for another one's place, if they are fewer than the SMs; 0 otherwise.

    Where the blocks of an SM end together, several of the last ones go to the SMs that are a little faster,
    and the launch takes up to a round longer than if they had spread.
    """
    if occupancy is None or not occupancy.blocks:
        return 0
    waiting = math.prod(launch.grid) - occupancy.blocks * gpu.sm_count
    return waiting if 0 < waiting < gpu.sm_count else 0


def sentence(launch: Launch, time: ModelledTime, gpu: GpuSpec, occupancy: Occupancy | None = None) -> str:
    """One line for each prediction."""
    error = typical_error(launch, time, gpu)
    if error is not None:
        like = compared_with(launch, time)
        which = f"use {like}" if like in (_TENSOR_CORES, _SHARED_ATOMICS) else f"are bound by {like}"
        which += ", predicted before they were measured"
        last = last_blocks(launch, gpu, occupancy)
        more = f"; more if the last {last} blocks gather on a few SMs" if last else ""
        return f"confidence: ±{error:.0%}, the mean error of kernels that {which}{more}"
    found = doubts(launch, gpu) or (f"no measured kernel is bound by {time.bound}",)
    return f"confidence: unknown; {'; '.join(found)}"
