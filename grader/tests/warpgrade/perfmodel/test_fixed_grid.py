"""A grid that the kernel's file fixes: at which sizes it runs, and what follows for the whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.course import lab as labs
from warpgrade.course import work
from warpgrade.gpu import spec
from warpgrade.perfmodel.few_blocks import FEW_BLOCKS
from warpgrade.perfmodel.fixed_grid import TimedPart, larger_sizes, time_of_part
from warpgrade.perfmodel.model import sequence_time
from warpgrade.records import Lab, Launch, LaunchShape, Size
from warpgrade.tables import nsight

ROOT = Path(__file__).resolve().parents[4]
H200 = spec.load(Repository(ROOT), "h200")
ONCE, EACH = 4_000, 3  # instructions of a block that does nothing, and for each element


@pytest.fixture(scope="module")
def item() -> Lab:
    found = next(each for each in labs.find(Repository(ROOT)) if len(each.parameter_names) == 1)
    performance = replace(found.performance, sizes=((1 << 18,),), gpu_sizes=((1 << 25,),))
    return replace(found, performance=performance, work=replace(found.work, bytes="n", rate="bytes"))


def launch(blocks: int, size: Size) -> Launch:
    instructions = blocks * ONCE + EACH * size[0]
    return Launch("a", "k", (blocks, 1, 1), (256, 1, 1), {nsight.WARP_INSTRUCTIONS: instructions})


def shape(blocks: int | None) -> LaunchShape:
    return LaunchShape((256,), (1024,), blocks=blocks)


def milliseconds(item: Lab, blocks: int, sizes: tuple[Size, ...]) -> float:
    parts = tuple(TimedPart((launch(blocks, size),), work.of(item, size)) for size in sizes)
    part, whole = (work.of(item, each[0]) for each in (item.performance.sizes, item.performance.gpu_sizes))
    return time_of_part(parts, part, whole, H200, None).milliseconds


def test_what_a_block_does_once_counts_once(item: Lab) -> None:
    size, whole = item.performance.sizes[0], item.performance.gpu_sizes[0]
    sizes = larger_sizes(item, size, shape(264), launch(4, size))
    amount = work.of(item, whole)
    direct = sequence_time((launch(264, whole),), amount, H200, None, amount).milliseconds
    assert milliseconds(item, 264, sizes) == pytest.approx(direct * size[0] / whole[0], rel=1e-6)
    assert milliseconds(item, 264, (size,)) > 1.2 * milliseconds(item, 264, sizes)


def test_sizes_double_and_give_each_block_work(item: Lab) -> None:
    size = item.performance.sizes[0]
    smaller, larger = larger_sizes(item, size, shape(264), launch(4, size))
    assert size[0] < smaller[0] and larger[0] == pytest.approx(2 * smaller[0], abs=1)
    assert smaller[0] >= 264 * 1024


@pytest.mark.parametrize("blocks", [None, 4, 1 << 20])
def test_no_larger_size_for_a_grid_that_grows_that_is_small_or_too_large(
    item: Lab, blocks: int | None
) -> None:
    size = item.performance.sizes[0]
    assert larger_sizes(item, size, shape(blocks), launch(4, size)) == ()


def test_sms_without_a_block_cost_their_share(item: Lab) -> None:
    size = item.performance.sizes[0]
    sizes = larger_sizes(item, size, shape(33), launch(4, size))
    parts = tuple(TimedPart((launch(33, each),), work.of(item, each)) for each in sizes)
    whole = work.of(item, item.performance.gpu_sizes[0])
    few = time_of_part(parts, work.of(item, size), whole, H200, None)
    assert few.bound == FEW_BLOCKS
    assert few.milliseconds > 3.5 * milliseconds(item, 132, sizes)
