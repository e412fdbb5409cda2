"""How much slower a launch is because its grid does not grow with the size.

The emulator runs a part of the size that a GPU is timed with, and the model of time takes the launch as one
of many that fill the GPU. A grid that covers the elements grows with them. One that the kernel's file fixes
does not, nor does a block that covers all elements however many there are: then most SMs have no block.
"""

from __future__ import annotations

import math

from ..course.work import AmountOfWork
from ..gpu.spec import GpuSpec
from ..records import Launch, LaunchShape
from .model import EVEN

FEW_BLOCKS = "the number of blocks"


def slowdown(
    shape: LaunchShape, reference: Launch, work: AmountOfWork, whole: AmountOfWork, gpu: GpuSpec
) -> float:
    """Times that the launch takes longer; 1 where it has a block for each SM, or as many as the reference.

    `work`: of the reference's launch; `whole`: of the size that a GPU is timed with. As in imbalance(), up to
    EVEN SMs for each block count as enough.
    """
    grown = math.prod(reference.grid) * whole.bytes / work.bytes if work.bytes else 0.0
    wanted = min(float(gpu.sm_count), grown)
    return max(1.0, wanted / (EVEN * _blocks(shape, whole)))


def _blocks(shape: LaunchShape, whole: AmountOfWork) -> float:
    """Of the grid at the whole size, at most: no array has more elements than the work has bytes."""
    if shape.blocks is not None:
        return float(max(1, shape.blocks))
    return float(max(1, math.ceil(whole.bytes / max(1, shape.outputs_per_block))))
