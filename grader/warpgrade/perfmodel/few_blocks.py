"""How much slower a launch is because its grid does not grow with the size.

The emulator runs a part of the size that a GPU is timed with, and the model assumes that the launch is one
of many that together fill the GPU. That holds for a grid that covers the elements: it grows with them. A grid
of fixed size does not grow, nor does one whose single block covers all elements: then most SMs have no block.
"""

from __future__ import annotations

import math

from ..course.work import AmountOfWork
from ..gpu.spec import GpuSpec
from ..records import Launch, LaunchShape
from .uneven_blocks import EVEN

FEW_BLOCKS = "the number of blocks"


def slowdown(
    shape: LaunchShape, reference: Launch, work: AmountOfWork, whole: AmountOfWork, gpu: GpuSpec
) -> float:
    """How many times as long the launch takes; 1 if it has a block for each SM, or as many as the reference.

    `work`: of the reference's launch; `whole`: of the size that a GPU is timed with. As in imbalance(), one
    block for EVEN SMs counts as enough.
    """
    grown = math.prod(reference.grid) * whole.bytes / work.bytes if work.bytes else 0.0
    wanted = min(float(gpu.sm_count), grown)
    return max(1.0, wanted / (EVEN * _blocks(shape, whole)))


def _blocks(shape: LaunchShape, whole: AmountOfWork) -> float:
    """Upper bound of the blocks at the whole size: no array has more elements than the work has bytes."""
    if shape.blocks is not None:
        return float(max(1, shape.blocks))
    return float(max(1, math.ceil(whole.bytes / max(1, shape.outputs_per_block))))
