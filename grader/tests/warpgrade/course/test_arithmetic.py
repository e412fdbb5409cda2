"""The lectures' own numbers (facts of the course), computed again."""

import pytest

from warpgrade.course import arithmetic
from warpgrade.course.arithmetic import RegisterTile, residency, tile_traffic

KB = 1024


@pytest.mark.parametrize(
    ("tile", "threads", "loads", "operations", "per_load", "shared"),
    [(16, 256, 512, 8192, 16, 2 * KB), (32, 1024, 2048, 65536, 32, 8 * KB)],
)
def test_one_phase_of_a_block(
    tile: int, threads: int, loads: int, operations: int, per_load: int, shared: int
) -> None:
    traffic = tile_traffic(tile)
    assert (traffic.threads, traffic.loads, traffic.operations) == (threads, loads, operations)
    assert (traffic.operations_per_load, traffic.shared_bytes) == (per_load, shared)


@pytest.mark.parametrize(
    ("tile", "sm_shared", "blocks", "pending"),
    [(16, 16 * KB, 8, 4096), (32, 16 * KB, 2, 4096), (16, 48 * KB, 24, 12 * KB), (32, 48 * KB, 6, 12 * KB)],
)
def test_shared_memory_alone(tile: int, sm_shared: int, blocks: int, pending: int) -> None:
    assert sm_shared // tile_traffic(tile).shared_bytes == blocks
    assert arithmetic.pending_loads(blocks, tile) == pending


def test_threads_allow_one_block_of_tile_32() -> None:
    held = residency(threads=1024, shared_bytes=8 * KB, sm_threads=1536, sm_shared_bytes=16 * KB)
    assert (held.blocks, held.limiter) == (1, "threads")


def test_limits_of_the_memory_lecture() -> None:
    sm = {"sm_blocks": 8, "sm_threads": 1536, "sm_shared_bytes": 16 * KB}
    assert residency(threads=256, shared_bytes=3 * KB, **sm).blocks == 5
    assert residency(threads=256, shared_bytes=2 * KB, **sm).blocks == 6
    held = residency(threads=512, shared_bytes=0, registers=11, sm_registers=16 * KB, **sm)
    assert (held.blocks, held.threads, held.limiter) == (2, 1024, "registers")


def test_registers_of_g80() -> None:
    assert arithmetic.registers_per_thread(8 * KB, 768) == 10
    assert arithmetic.registers_per_thread(16 * KB, 1536) == 10
    g80 = {"sm_blocks": 8, "sm_threads": 768, "sm_shared_bytes": 16 * KB, "sm_registers": 8 * KB}
    assert residency(threads=256, shared_bytes=0, registers=10, **g80).blocks == 3
    eleven = residency(threads=256, shared_bytes=0, registers=11, **g80)
    assert (eleven.blocks, eleven.threads, eleven.warps) == (2, 512, 16)
    assert residency(threads=64, shared_bytes=5 * KB, **g80).blocks == 3


def test_latency_needs_thirteen_warps() -> None:
    assert arithmetic.warps_to_hide(latency=200, instructions=4, cycles_each=4) == 13


def test_bandwidth_of_g80() -> None:
    peak = arithmetic.peak_gflops(sms=16, lanes=8, gigahertz=1.35)
    assert peak == pytest.approx(345.6)  # the lecture prints 346.5, a slip of the pen
    assert arithmetic.bandwidth_for(346.5) == pytest.approx(1386)
    assert arithmetic.gflops_within(86.4) == pytest.approx(21.6)
    assert arithmetic.gflops_within(86.4, operations_per_load=16) == pytest.approx(345.6)


def test_grid_of_1024_in_tiles_of_16() -> None:
    assert arithmetic.grid(1024, 1024, 16, 16) == (64, 64)
    assert arithmetic.grid(1000, 1, 32, 32) == (32, 1)


def test_phases_round_up() -> None:
    assert [arithmetic.phases(k, 16) for k in (1, 15, 16, 17, 32)] == [1, 1, 1, 2, 2]


def test_register_tile_of_the_vendor() -> None:
    tile = RegisterTile(outputs=(4, 4), lanes=(8, 4), warps=(2, 2), k_tile=16)
    assert (tile.columns, tile.rows, tile.threads, tile.outputs_per_thread) == (64, 32, 128, 16)
    assert tile.loads == 16 * 96
    assert tile.operations == 2 * 16 * 64 * 32
    assert tile.shared_reads_per_multiply_add == 0.5


def test_register_tile_needs_a_whole_warp() -> None:
    with pytest.raises(ValueError, match="not one warp"):
        RegisterTile(outputs=(4, 4), lanes=(8, 8), warps=(2, 2), k_tile=16)


def test_a_tile_is_at_least_one_wide() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        tile_traffic(0)


def test_threads_in_flight_of_the_first_gpus() -> None:
    assert arithmetic.threads_in_flight(16, 768) == 12288
    assert arithmetic.threads_in_flight(30, 1024) == 30720
    assert [tile_traffic(tile).warps for tile in (16, 32)] == [8, 32]
    assert 3 * tile_traffic(16).warps == 24


def test_a_warp_on_eight_lanes_takes_four_cycles() -> None:
    assert arithmetic.warp_cycles(8) == 4
    assert arithmetic.warp_cycles(128) == 1


def test_speeds_of_the_memory_lecture() -> None:
    assert arithmetic.gflops(2 * 1024**3, 6700) == pytest.approx(0.3205, abs=1e-4)
    assert arithmetic.gflops(2 * 1024**3, 5.275) == pytest.approx(407.1, abs=0.05)


def test_threads_without_an_element() -> None:
    assert arithmetic.idle_threads(20, 28, 8, 8) == 4 * 3 * 64 - 560
    assert arithmetic.idle_threads(32, 32, 16, 16) == 0


def test_banks_and_paddings() -> None:
    assert arithmetic.bank_passes(range(32)) == 1
    assert arithmetic.bank_passes([0] * 32) == 1  # one word serves all
    assert arithmetic.bank_passes(range(0, 64, 2)) == 2
    assert arithmetic.bank_passes([]) == 0
    strides = {0: 1, 1: 1, 2: 2, 6: 2, 8: 8, 32: 32, 33: 1, 64: 32}
    assert {stride: arithmetic.stride_passes(stride) for stride in strides} == strides
    assert arithmetic.paddings_without_conflict(8, 128, 8) == [4]


def test_small_numbers() -> None:
    assert [arithmetic.squares_for(count) for count in (0, 1, 2, 4, 132)] == [0, 1, 2, 2, 12]
    assert [arithmetic.largest_square_block(threads) for threads in (512, 1024)] == [22, 32]
    assert arithmetic.registers_limit(65536, 160) == 384
    assert arithmetic.divergent_passes([0, 1] * 16) == 2


def test_a_pipeline_is_as_fast_as_its_slowest_stage() -> None:
    stages = (3.0, 2.0, 4.0)
    assert arithmetic.pipeline_time(1, stages, 2) == sum(stages)
    assert arithmetic.pipeline_time(10, stages, 2) == sum(stages) + 9 * 4
    assert (
        arithmetic.pipeline_time(10, (1.0, 5.0, 1.0), 1) == 10 * 6 + 1
    )  # the next copy in waits for the kernel
    assert arithmetic.pipeline(2, stages, 1)[1] == [5.0, 9.0, 11.0]
    assert arithmetic.pipeline_time(0, stages, 2) == 0


@pytest.mark.parametrize(("old", "compare", "after"), [(5, 5, 9), (5, 4, 5), (9, 9, 9)])
def test_compare_and_swap(old: int, compare: int, after: int) -> None:
    assert arithmetic.compare_and_swap(old, compare, 9) == (old, after)
