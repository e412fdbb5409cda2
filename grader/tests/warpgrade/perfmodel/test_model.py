"""The model of time on the counters that an H200 showed for the lectures' kernels (N = 1000 or 1024)."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from warpgrade.core.paths import Repository
from warpgrade.course.work import AmountOfWork
from warpgrade.gpu import spec
from warpgrade.gpu.occupancy import theoretical
from warpgrade.perfmodel import advice, model, resources, uneven_blocks
from warpgrade.records import CounterSite, Footprint, Launch, Mix
from warpgrade.tables import nsight

ROOT = Path(__file__).resolve().parents[4]
CARDS = sorted(path.stem for path in (ROOT / "grader" / "gpus").glob("*.toml"))
H200 = spec.load(Repository(ROOT), "h200")
LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SHARED_LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
SHARED_STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
FFMA = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"


def product(m: int, n: int, k: int) -> AmountOfWork:
    return AmountOfWork(2.0 * m * n * k, 4.0 * (m * k + k * n + m * n), 2.0 * m * n * k)


def launch(**counters: int) -> Launch:
    names = {"loads": LOADS, "requests": REQUESTS, "shared": SHARED_LOADS, "stores": SHARED_STORES}
    names |= {"ffma": FFMA, "instructions": INSTRUCTIONS}
    return Launch("a", "k", (63, 63, 1), (16, 16, 1), {names[key]: value for key, value in counters.items()})


BASIC = launch(loads=125_500_000, requests=63_000_000, ffma=1_000_000_000, instructions=145_344_276)
TILED = launch(
    loads=16_777_216,
    requests=4_194_304,
    shared=50_375_250,
    stores=4_445_701,
    ffma=1_073_741_824,
    instructions=106_266_624,
)
REGISTER = launch(
    loads=6_000_000,
    requests=1_520_000,
    shared=16_518_476,
    stores=2_631_861,
    ffma=1_056_964_608,
    instructions=53_348_288,
)


@pytest.mark.parametrize(
    ("measured_us", "kernel", "size", "threads", "registers", "bound"),
    [
        (346, BASIC, (1000, 1000, 1000), 256, 32, "L1 cache"),
        (280, TILED, (1024, 1024, 1024), 256, 32, "shared memory"),
        (107, REGISTER, (1000, 1000, 1000), 128, 96, "shared memory"),
    ],
    ids=["basic", "tiled", "register-tiled"],
)
def test_within_a_third_of_the_card(
    measured_us: float, kernel: Launch, size: tuple[int, int, int], threads: int, registers: int, bound: str
) -> None:
    occupancy = theoretical(H200.limits, "9.0", threads, registers, 2048)
    found = model.launch_time(kernel, product(*size), H200, occupancy)
    assert found.milliseconds * 1000 == pytest.approx(measured_us, rel=0.35)
    assert found.bound == bound


@pytest.mark.parametrize("card", [card for card in CARDS if card != "compute_capability"])
def test_every_card_of_the_repository_can_be_modelled(card: str) -> None:
    """Old ones have no caches."""
    found = model.launch_time(TILED, product(1024, 1024, 1024), spec.load(Repository(ROOT), card), None)
    assert found.milliseconds > 0 and found.cycles[found.bound] > 0


def test_more_work_takes_longer() -> None:
    twice = launch(shared=100_750_500, ffma=1_073_741_824)
    size = product(1024, 1024, 1024)
    assert (
        model.launch_time(twice, size, H200, None).milliseconds
        > model.launch_time(TILED, size, H200, None).milliseconds
    )


def test_no_launch_is_faster_than_its_matrices_travel() -> None:
    found = model.time_of(launch(), product(1024, 1024, 1024).bytes, H200, None)
    assert found.bound == "device memory"
    assert found.milliseconds == pytest.approx(3 * 1024 * 1024 * 4 / 4.8e12 * 1e3 / 0.92)


def test_no_modelled_product_is_below_the_roof_of_arithmetic() -> None:
    size = product(1024, 1024, 1024)
    found = model.launch_time(
        launch(ffma=1000), size, H200, None
    )  # impossibly fast: it cannot have done its work
    assert found.milliseconds == pytest.approx(model.floor(size, H200))
    assert model.floor(size, H200) == pytest.approx(2e3 * 1024**3 / (2 * 128 * 132 * 1.98e9))


def test_a_small_product_stands_for_a_part_of_the_one_that_a_gpu_is_timed_with() -> None:
    small, whole = product(256, 256, 128), product(2048, 2048, 2048)
    assert model.part_of(small, small) == small.bytes
    assert model.part_of(small, whole) == pytest.approx(whole.bytes / 1024)
    counted = launch(loads=1_000_000, requests=250_000, ffma=8_388_608, instructions=900_000)
    alone, part = (model.launch_time(counted, small, H200, None, each) for each in (small, whole))
    assert part.cycles["device memory"] < alone.cycles["device memory"] / 5
    assert part.cycles["L1 cache"] == alone.cycles["L1 cache"]


def test_a_part_of_work_that_is_counted_in_bytes_is_its_own_bytes() -> None:
    small, whole = (AmountOfWork(0.0, 8.0 * n, 8.0 * n) for n in (1 << 20, 1 << 28))
    assert model.part_of(small, whole) == small.bytes
    assert model.floor(whole, H200) == pytest.approx(1e3 * whole.bytes / H200.memory_bytes_per_second)


def test_the_floor_of_work_on_tensor_cores_is_theirs() -> None:
    lanes = AmountOfWork(2.0**40, 1.0, 2.0**40)
    assert model.floor(replace(lanes, tensor_cores=True), H200) == pytest.approx(
        model.floor(lanes, H200) / 16
    )


def test_a_sequence_takes_as_long_as_its_launches() -> None:
    """Two passes over the same data: each moves its share of the traffic."""
    work = AmountOfWork(0.0, 4.0 * 2**30, 4.0 * 2**30)
    large, small = launch(loads=3_000_000, instructions=10**9), launch(loads=1_000_000, instructions=10**6)
    assert model.shares((large, small)) == [0.75, 0.25] and model.shares((launch(), launch())) == [0.5, 0.5]
    alone = [model.time_of(each, part, H200, None) for each, part in ((large, 3.0 * 2**30), (small, 2.0**30))]
    found = model.sequence_time((large, small), work, H200, None)
    assert found.milliseconds == pytest.approx(sum(each.milliseconds for each in alone))
    assert found.bound == alone[0].bound
    assert model.sequence_time((large,), work, H200, None) == model.launch_time(large, work, H200, None)


# Kernels measured on an H200, with the emulator's counters for the same launches (docs/performance-model.md).
MEASURED = json.loads(Path(__file__).with_name("measurements.json").read_text(encoding="utf-8"))
PRODUCTS = [row for row in MEASURED if row["product"]]


def modelled(row: dict[str, Any]) -> float:
    sites = tuple(
        CounterSite("k.cu", 1, kind, executions, 0, sectors, ideal_sectors, wavefronts, ideal_wavefronts)
        for kind, executions, sectors, ideal_sectors, wavefronts, ideal_wavefronts in row["sites"]
    )
    counted = Launch(row["kernel"], row["kernel"], (1, 1, 1), (row["threads"], 1, 1), row["counters"], sites)
    occupancy = theoretical(H200.limits, "9.0", row["threads"], row["registers"], row["shared_bytes"])
    return model.time_of(counted, row["bytes_once"], H200, occupancy).milliseconds


@pytest.mark.parametrize("row", PRODUCTS, ids=lambda row: row["kernel"])
def test_within_a_quarter_of_each_measured_product(row: dict[str, Any]) -> None:
    assert modelled(row) == pytest.approx(row["milliseconds"], rel=0.25)


def test_mean_error_of_measured_products() -> None:
    errors = [abs(modelled(row) / row["milliseconds"] - 1) for row in PRODUCTS]
    assert sum(errors) / len(errors) < 0.10


def test_order_of_measured_products_that_differ_by_a_quarter() -> None:
    for one, other in itertools.combinations(PRODUCTS, 2):
        if one["milliseconds"] > 1.25 * other["milliseconds"]:
            assert modelled(one) > modelled(other), (one["kernel"], other["kernel"])
        if other["milliseconds"] > 1.25 * one["milliseconds"]:
            assert modelled(other) > modelled(one), (one["kernel"], other["kernel"])


def test_a_basic_kernel_is_slower_than_shared_tiles_as_on_the_card() -> None:
    basic, tiled = (next(row for row in PRODUCTS if row["kernel"] == name) for name in ("lab01", "lab02"))
    ratio = modelled(tiled) / modelled(basic)
    assert ratio == pytest.approx(tiled["milliseconds"] / basic["milliseconds"], rel=0.15)


def atomics(sectors: int, lines: int, turns: int, words: int, distance: int = 1) -> Launch:
    """2^21 warps whose lanes add to so many words, evenly; `turns` are those of a request on its words."""
    blocks, seen = 1 << 18, 8
    meant = max(1, words * distance // 32)  # lines
    of_block = min(words, 256 if words > 32 else words)
    footprint = Footprint(
        kind="atomic", allocation=1, allocation_bytes=1 << 28, blocks=seen, requests=seen * 8,
        bytes=seen * 1024, sectors=seen * 8 * sectors, lines=seen * 8 * lines, passes=0, missed_sectors=0,
        warp_sectors=seen * 8 * sectors, block_sectors=seen * of_block,
        pair_sectors=seen * of_block if words > 512 else seen // 2 * of_block,
        launch_sectors=min(4 * meant, seen * of_block), launch_lines=min(meant, seen * of_block),
        reach_lines=meant, block_reach_lines=seen * meant, on_a_word=seen * 8 * turns,
    )  # fmt: skip
    return Launch("a", "k", (blocks, 1, 1), (256, 1, 1), {}, footprints=(footprint,))


@pytest.mark.parametrize(
    ("found", "measured"),
    [
        (atomics(1, 1, 32, 1), 49.21), (atomics(1, 1, 16, 2), 25.21), (atomics(1, 1, 5, 8), 7.15),
        (atomics(8, 2, 8, 64), 12.46), (atomics(32, 8, 32, 256), 21.45), (atomics(32, 26, 32, 1 << 10), 6.24),
        (atomics(32, 31, 32, 1 << 12), 2.115), (atomics(32, 32, 32, 1 << 16), 0.718),
        (atomics(32, 32, 32, 1 << 20), 0.644), (atomics(32, 32, 32, 64, 32), 4.213),
        (atomics(4, 1, 4, 1 << 26), 0.185),
    ],
    ids=["one word", "2 words", "8", "64", "256", "1,024", "4,096", "65,536", "a million",
         "64 in lines of their own", "side by side"],
)  # fmt: skip
def test_atomics_wait_for_those_on_the_same_words_and_lines(found: Launch, measured: float) -> None:
    """As an H200 timed them, every lane of 2^26 once."""
    time = model.time_of(found, 0.0, H200, theoretical(H200.limits, "9.0", 256, 16, 0))
    assert time.bound == "L2 cache"
    assert time.milliseconds == pytest.approx(measured, rel=0.25)


@pytest.mark.parametrize(
    ("blocks", "measured_ms"), [(262_144, 0.1642), (1_048_576, 0.6388), (4_194_304, 2.5351)]
)
def test_empty_blocks_take_as_long_as_they_took_to_start_on_an_h200(blocks: int, measured_ms: float) -> None:
    empty = Launch("a", "k", (blocks, 1, 1), (256, 1, 1), {})
    time = model.time_of(empty, 0.0, H200, None, alone=True)
    assert time.milliseconds == pytest.approx(measured_ms, rel=0.1)
    assert time.bound == resources.BLOCKS
    found = advice.best(empty, time, None)
    assert "twice the work a thread" in found.sentence and found.factor > 1.5
    small = Launch("a", "k", (blocks, 1, 1), (32, 1, 1), {})
    assert "blocks of 256 threads" in advice.best(small, time, None).sentence


@pytest.mark.parametrize(
    ("kind", "multiply_adds"), [("mma 16x8x16", 2048), ("mma 16x8x8", 1024), ("other", 0)]
)
def test_products_on_tensor_cores_take_their_rate(kind: str, multiply_adds: int) -> None:
    """As many as keep the tensor cores busy for a millisecond at the rate of mma.sync, by the data sheet."""
    products = H200.sm_count * H200.mma_lanes * H200.clock_hz * 1e-3 / (multiply_adds or 2048)
    mixed = Mix(132.0 * 64, products, 0.0, {kind: products}, {}, 50_000.0, 0.0)
    found = Launch("a", "k", (1056, 1, 1), (256, 1, 1), {INSTRUCTIONS: int(products)}, mix=mixed)
    time = model.time_of(found, 0.0, H200, theoretical(H200.limits, H200.compute_capability, 256, 32, 0))
    assert (time.bound == "tensor cores") == bool(multiply_adds)
    if multiply_adds:
        assert time.milliseconds == pytest.approx(1.0, rel=0.15)
    else:
        assert time.cycles["tensor cores"] == 0


@pytest.mark.parametrize(("sectors", "cycles"), [(4, 8.0), (26, 85.0)])
def test_stores_to_local_memory_go_on_to_l2(sectors: int, cycles: float) -> None:
    """An H200 took 8 cycles of an SM where all lanes have one place of an array, 85 for places by chance."""
    stores = 132 * 64_000
    site = CounterSite("k.cu", 1, "local store", stores, sectors=sectors * stores, ideal_sectors=4 * stores)
    mixed = Mix(132.0 * 64, stores, 0.0, {"local store": stores}, {}, 50_000.0, 0.0)
    found = Launch("a", "k", (1056, 1, 1), (256, 1, 1), {INSTRUCTIONS: stores}, (site,), mix=mixed)
    time = model.time_of(found, 0.0, H200, theoretical(H200.limits, H200.compute_capability, 256, 32, 0))
    assert time.bound == "L2 cache"
    assert time.cycles["L2 cache"] / 64_000 == pytest.approx(cycles, rel=0.12)


@pytest.mark.parametrize("blocks", [1, 4, 60, 132])
def test_fewer_blocks_than_sms_take_as_long_as_one(blocks: int) -> None:
    """Each waits on an SM of its own: the number of idle ones does not matter."""
    warps = 8.0 * blocks
    mixed = Mix(warps, 1000 * warps, 0.0, {}, {}, 50_000.0, 0.0)
    few = Launch("a", "k", (blocks, 1, 1), (256, 1, 1), {INSTRUCTIONS: int(1000 * warps)}, mix=mixed)
    time = model.time_of(
        few, 0.0, H200, theoretical(H200.limits, H200.compute_capability, 256, 32, 0), alone=True
    )
    overhead = H200.launch_seconds * 1e3
    assert (time.milliseconds - overhead) * 1e-3 * H200.clock_hz == pytest.approx(51_500, rel=0.05)


@pytest.mark.parametrize(
    ("busiest", "atomics", "its", "times"),
    [
        (100, 0, 0, 1.0),  # the average
        (400, 0, 0, 1.0),
        (800, 0, 0, 2.0),
        (63 * 63 * 100, 0, 0, 132 / 4),  # one block does everything, on one of 132 SMs
        (63 * 63 * 100, 63 * 63, 1, 132 / 4),  # a ticket for each block makes no difference
        (63 * 63 * 100, 2 * 63 * 63, 2, 132 / 4),  # nor do two
        (63 * 63 * 100, 5000, 5000, 132 / 4),  # nor many in the one block alone
        (63 * 63 * 100, 5000 + 63 * 63, 5000, 1.0),  # as where blocks take their work from a queue
    ],
)
def test_a_block_that_does_the_work_of_many_leaves_other_sms_idle(
    busiest: int, atomics: int, its: int, times: float
) -> None:
    counters = {
        INSTRUCTIONS: 63 * 63 * 100,
        nsight.BUSIEST_BLOCK_INSTRUCTIONS: busiest,
        nsight.GLOBAL_ATOMICS: atomics,
        nsight.BUSIEST_BLOCK_ATOMICS: its,
    }
    assert uneven_blocks.imbalance(replace(BASIC, counters=counters), H200) == times
    assert uneven_blocks.imbalance(BASIC, H200) == 1.0  # not counted, as in Nsight Compute's figures
