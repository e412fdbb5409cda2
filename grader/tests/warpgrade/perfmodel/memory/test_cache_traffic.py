"""What caches let through, for footprints worked out by hand: 8,192 blocks of 256 threads, of which 8 are
sampled, and arrays of 256 MiB."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel.memory.cache_traffic import Traffic, traffic
from warpgrade.records import CounterSite, Footprint, Launch
from warpgrade.tables import nsight

H200 = spec.load(Repository(Path(__file__).resolve().parents[5]), "h200")
FULL = theoretical(H200.limits, "9.0", 256, 32, 0)
BLOCKS, SEEN, ARRAY = 8192, 8, 1 << 28

# Each block loads 512 sectors of its own, whole lines by warps, each once.
STREAM = Footprint(
    kind="load", allocation=1, allocation_bytes=ARRAY, blocks=SEEN, requests=SEEN * 128,
    bytes=SEEN * 512 * 32, sectors=SEEN * 512, lines=SEEN * 128, passes=SEEN * 128, missed_sectors=SEEN * 512,
    warp_sectors=SEEN * 512, block_sectors=SEEN * 512, pair_sectors=SEEN * 512, launch_sectors=SEEN * 512,
    launch_lines=SEEN * 128, reach_lines=ARRAY // 128 * 3 // 4, block_reach_lines=SEEN * 128, on_a_word=0,
)  # fmt: skip
# The same 512 sectors in each block.
VECTOR = replace(
    STREAM, allocation=2, pair_sectors=SEEN // 2 * 512, launch_sectors=512, launch_lines=128, reach_lines=128
)
# Each lane of 16 requests a warp loads one word of a random sector.
RANDOM = replace(
    STREAM, allocation=3, bytes=SEEN * 4096 * 4, sectors=SEEN * 4096, lines=SEEN * 4096, passes=SEEN * 512,
    missed_sectors=SEEN * 4096, warp_sectors=SEEN * 4096, block_sectors=SEEN * 4096,
    pair_sectors=SEEN * 4096, launch_sectors=SEEN * 4096, launch_lines=SEEN * 4096,
    reach_lines=ARRAY // 128, block_reach_lines=SEEN * ARRAY // 128,
)  # fmt: skip
# The same in 16 KiB: 512 sectors.
TABLE = replace(
    RANDOM, allocation=4, missed_sectors=SEEN * 2700, warp_sectors=SEEN * 8 * 320, block_sectors=SEEN * 510,
    pair_sectors=SEEN // 2 * 512, launch_sectors=512, launch_lines=128, reach_lines=128,
    block_reach_lines=SEEN * 128,
)  # fmt: skip


def seen(*footprints: Footprint, alone: bool = True) -> Traffic:
    launch = Launch("", "k", (BLOCKS, 1, 1), (256, 1, 1), {}, footprints=footprints)
    found = traffic(launch, H200, FULL, alone)
    assert found is not None
    return found


def test_rows_by_chance_come_again_as_far_as_l2_cannot_hold_the_matrix() -> None:
    """Whole lines all over 64 MiB, 512 sectors a block: 8,192 blocks load 128 MiB, 1,056 at a time."""
    matrix, l2 = 1 << 26, H200.fitted.l2_kept * H200.cache
    rows = replace(STREAM, reach_lines=matrix // 128, block_reach_lines=SEEN * matrix // 128)
    rows = replace(rows, allocation_bytes=matrix)
    small = replace(rows, reach_lines=matrix // 512, block_reach_lines=SEEN * matrix // 512)
    assert seen(rows).dense_bytes == pytest.approx(matrix + matrix * (1 - l2 / matrix))
    assert seen(replace(small, allocation_bytes=matrix // 4)).dense_bytes == matrix // 4
    assert seen(STREAM).dense_bytes == BLOCKS * 512 * 32


@pytest.mark.parametrize(("wavefronts", "passes"), [(0, 0), (BLOCKS * 128, BLOCKS * 128)])  # .cg and .ca
def test_asynchronous_copies_of_16_bytes_pass_l1_by(wavefronts: int, passes: int) -> None:
    site = CounterSite("k.cu", 1, "shared asynchronous copy", BLOCKS * 128, lines=BLOCKS * 128)
    sites = (replace(site, wavefronts=wavefronts),)
    launch = Launch("", "k", (BLOCKS, 1, 1), (256, 1, 1), {}, sites, footprints=(STREAM,))
    found = traffic(launch, H200, FULL)
    assert found is not None
    assert found.passes == passes
    assert found.lines == BLOCKS * 128  # L2 delivers them all the same


def test_a_stream_comes_from_memory_once() -> None:
    found = seen(STREAM)
    assert found.requests == BLOCKS * 128
    assert found.sectors == BLOCKS * 512
    assert found.lines == BLOCKS * 128
    assert found.dense_bytes == BLOCKS * 512 * 32
    assert (found.scattered_bytes, found.missing, found.far) == (0, 1, 1)


def test_a_sample_at_the_border_of_the_grid_does_not_change_how_much_is_loaded() -> None:
    """The sampled blocks made half as many requests as the others."""
    counted = BLOCKS * 256
    launch = Launch(
        "", "k", (BLOCKS, 1, 1), (256, 1, 1), {nsight.GLOBAL_LOAD_REQUESTS: counted}, footprints=(STREAM,)
    )
    found = traffic(launch, H200, FULL)
    assert found is not None
    assert (found.requests, found.sectors, found.lines) == (counted, 4 * counted, counted)
    assert found.dense_bytes == BLOCKS * 512 * 32  # what is touched was seen
    copying = replace(launch, counters={**launch.counters, nsight.ASYNC_COPIES: 1})
    assert traffic(copying, H200, FULL) == seen(STREAM)


def test_a_vector_that_all_blocks_read_stays_in_l1() -> None:
    found = seen(STREAM, VECTOR)
    assert found.sectors == pytest.approx(BLOCKS * 512, rel=0.05)
    assert found.dense_bytes == BLOCKS * 512 * 32 + 512 * 32
    assert found.waits[1] == (1, 1)
    assert found.waits[2][0] < 0.1
    assert seen(STREAM, VECTOR, alone=False).sectors == 2 * BLOCKS * 512  # no earlier access


def test_words_anywhere_come_from_memory_again_and_again() -> None:
    """An H200 moved 64 bytes for each sector of which L2 had none, 88 to 95 % of them."""
    found = seen(RANDOM)
    assert found.sectors == pytest.approx(BLOCKS * 4096, rel=0.05)
    assert found.dense_bytes == 0
    assert found.scattered_bytes == pytest.approx(0.9 * BLOCKS * 4096 * 64, rel=0.06)
    assert found.far == pytest.approx(1)


@pytest.mark.parametrize("kind", ["load", "store"])
def test_whole_sectors_anywhere_move_64_bytes_each_as_well(kind: str) -> None:
    """An H200 read 536.9 MB for 256 MiB in pieces of 32 bytes by chance, 268.4 MB in pieces of 64."""
    found = seen(replace(RANDOM, kind=kind, bytes=SEEN * 4096 * 32))
    words = seen(replace(RANDOM, kind=kind))
    assert (found.scattered_bytes, found.dense_bytes) == (words.scattered_bytes, 0)
    once = dict.fromkeys(("sectors", "missed_sectors", "warp_sectors"), SEEN * 1024)  # 256 MiB of all blocks
    once |= dict.fromkeys(("block_sectors", "pair_sectors", "launch_sectors"), SEEN * 1024)
    pieces = seen(replace(RANDOM, kind=kind, bytes=SEEN * 1024 * 32, launch_lines=SEEN * 512, **once))
    assert (pieces.scattered_bytes, pieces.dense_bytes) == (0, ARRAY)


def test_a_small_table_stays_in_l1() -> None:
    found = seen(TABLE)
    assert found.sectors < 0.02 * BLOCKS * 4096
    assert found.scattered_bytes == 0
    assert found.passes == pytest.approx(BLOCKS * 4096 / 3.1)  # for its lines are looked up one by one


def test_words_that_neighbouring_blocks_share_are_not_taken_for_anywhere() -> None:
    """Blocks of one column of a matrix: the next ones use the other words of the same sectors."""
    column = replace(RANDOM, pair_sectors=SEEN // 2 * 4096, block_reach_lines=SEEN * 4096)
    found = seen(column)
    assert found.scattered_bytes == 0
    assert found.dense_bytes <= ARRAY


def test_what_warps_of_a_block_share_comes_once_for_all() -> None:
    shared = replace(STREAM, missed_sectors=SEEN * 4096, warp_sectors=SEEN * 4096, sectors=SEEN * 4096,
                     requests=SEEN * 1024, lines=SEEN * 1024)  # fmt: skip
    found = seen(shared)
    assert found.sectors == BLOCKS * 512
    assert found.shared
    assert not seen(STREAM).shared


def test_nothing_is_said_without_footprints() -> None:
    assert traffic(Launch("", "k", (1, 1, 1), (32, 1, 1), {}), H200, FULL) is None


# Each block writes 512 sectors of its own, one word of each: `C[8 * i] = x`.
EIGHTH = replace(
    STREAM,
    kind="store",
    allocation=5,
    bytes=SEEN * 512 * 4,
    lines=SEEN * 128,
    missed_sectors=0,
    warp_sectors=0,
)


def test_sectors_that_stores_fill_in_part_are_read_from_memory() -> None:
    whole, eighth = replace(EIGHTH, bytes=SEEN * 512 * 32), BLOCKS * 512 * 32
    assert (seen(whole).dense_bytes, seen(whole).written_bytes) == (eighth, eighth)
    assert (seen(EIGHTH).dense_bytes, seen(EIGHTH).written_bytes) == (2 * eighth, eighth)
    # Neighbouring blocks write the other words of the same sectors.
    shared = replace(EIGHTH, pair_sectors=SEEN // 2 * 512, launch_sectors=SEEN // 2 * 512)
    assert seen(shared).dense_bytes == seen(shared).written_bytes


def test_stores_go_to_l2_by_lines_and_sectors() -> None:
    found = seen(EIGHTH)
    assert (found.store_lines, found.store_passes, found.whole_sectors) == (BLOCKS * 128, BLOCKS * 128, 0)
    assert seen(replace(EIGHTH, bytes=SEEN * 512 * 32)).whole_sectors == BLOCKS * 512
    # Rows of 128 bytes from the middle of a sector: three of five sectors are whole.
    across = replace(EIGHTH, bytes=SEEN * 128 * 128, sectors=SEEN * 640)
    assert seen(across).whole_sectors == pytest.approx(BLOCKS * 128 * 3)


def test_blocks_that_meet_reach_further_than_those_of_the_sample() -> None:
    """Of four pairs, the outermost lie in the first and in the last quarter of the grid."""
    own = 0.8  # of a block's sectors; its neighbour touches the others as well
    reach = BLOCKS * 512 * 32 // 128 * own * 3 / 4
    met = replace(
        STREAM, launch_sectors=round(512 * (1 + (SEEN - 1) * own)), reach_lines=round(reach),
        block_reach_lines=SEEN * 128,
    )  # fmt: skip
    assert seen(met).dense_bytes == pytest.approx(BLOCKS * 512 * 32 * own, rel=0.01)
    within = replace(met, reach_lines=round(reach / 2))
    assert seen(within).dense_bytes == pytest.approx(BLOCKS * 512 * 32 * own / 2, rel=0.01)


@pytest.mark.parametrize(("lines", "share"), [(4, 0.25), (6, 0.68), (8, 1.0)])
def test_stores_side_by_side_go_to_l2_together_if_they_touch_few_lines(lines: int, share: float) -> None:
    """Four words of a thread, a store each. An H200 wrote a quarter of the sectors of four lines, 56 % of
    those of six and all of those of eight."""
    stores = replace(
        STREAM, kind="store", requests=SEEN * 32, sectors=SEEN * 32 * lines * 4, lines=SEEN * 32 * lines,
        joined_sectors=SEEN * 24 * lines * 4, bytes=SEEN * 32 * 128,
    )  # fmt: skip
    found, apart = seen(stores), seen(replace(stores, joined_sectors=0))
    assert found.store_lines == pytest.approx(share * apart.store_lines, rel=0.02)
    assert found.joined_sectors == pytest.approx((1 - share) * BLOCKS * 32 * lines * 4, rel=0.02)
    assert apart.joined_sectors == 0
    assert found.store_passes == apart.store_passes  # each takes its own through L1


def test_words_by_chance_near_each_other_come_from_memory_once() -> None:
    """An H200 loaded 268 MB for each word of 256 MiB, by chance within 32 KiB of its own place."""
    own = SEEN * 256
    far = replace(
        RANDOM, requests=SEEN * 8, bytes=own * 4, sectors=own, lines=own, missed_sectors=own,
        warp_sectors=own, block_sectors=own, pair_sectors=own, launch_sectors=own, launch_lines=own,
    )  # fmt: skip
    nearby = replace(far, block_reach_lines=SEEN * 256, pair_sectors=own - 200)
    found, by_chance = seen(nearby), seen(far)
    assert found.scattered_bytes == 0
    assert found.dense_bytes <= ARRAY
    assert by_chance.scattered_bytes > 0
    assert seen(replace(nearby, pair_sectors=nearby.block_sectors)).scattered_bytes > 0  # none is used again
