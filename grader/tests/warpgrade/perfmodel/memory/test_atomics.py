"""Atomics as an H200 timed them: 2²², one a thread, blocks of 256 (tests/gpu/model/atomics.cu)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.core.paths import here
from warpgrade.gpu import spec
from warpgrade.perfmodel.memory.atomics import cycles
from warpgrade.records import Footprint, Launch, Mix

BLOCKS, SEEN, WARPS = 16384, 8, 8
CLOCK, SMS, RESIDENT = 1.98e6, 132, 8.0  # cycles in a millisecond
FITTED = spec.load(here(), "h200").fitted
REQUESTS = SEEN * WARPS
# All lanes of each warp on one word.
ONE_WORD = Footprint(
    kind="atomic", allocation=1, allocation_bytes=1 << 22, blocks=SEEN, requests=REQUESTS,
    bytes=REQUESTS * 128, sectors=REQUESTS, lines=REQUESTS, passes=0, missed_sectors=0, warp_sectors=REQUESTS,
    block_sectors=SEEN, pair_sectors=SEEN // 2, launch_sectors=1, launch_lines=1, reach_lines=1,
    block_reach_lines=SEEN, on_a_word=REQUESTS * 32,
)  # fmt: skip
# On eight words side by side: each meets four lanes.
ONE_SECTOR = replace(ONE_WORD, on_a_word=REQUESTS * 4)
LEADERS = replace(ONE_WORD, bytes=REQUESTS * 4, on_a_word=REQUESTS)


def milliseconds(of: Footprint, **executed: float) -> float:
    by_kind = {kind.replace("_", " "): count * BLOCKS * WARPS for kind, count in executed.items()}
    mix = Mix(BLOCKS * WARPS, 0.0, 0.0, by_kind, {}, 0.0, 0.0)
    launch = Launch("", "sum", (BLOCKS, 1, 1), (256, 1, 1), {}, footprints=(of,), mix=mix)
    found = cycles(launch, SMS, RESIDENT, FITTED)
    assert found is not None
    return found / CLOCK


@pytest.mark.parametrize(
    ("of", "executed", "measured"),
    [
        pytest.param(ONE_WORD, {"atomic": 1}, 3.073, id="integers on a word that the compiler does not know"),
        pytest.param(ONE_WORD, {"atomic": 1, "uniform_vote": 1}, 0.102, id="one lane adds for its warp"),
        pytest.param(ONE_WORD, {"atomic": 1, "float_atomic": 1}, 7.369, id="floats, lane by lane"),
        pytest.param(ONE_SECTOR, {"atomic": 1, "float_atomic": 1}, 0.925, id="floats on a sector"),
        pytest.param(LEADERS, {"atomic": 1, "float_atomic": 1}, 0.236, id="the first lane of each warp"),
    ],
)
def test_one_word(of: Footprint, executed: dict[str, float], measured: float) -> None:
    """Within a tenth of what the card took."""
    assert milliseconds(of, **executed) == pytest.approx(measured, rel=0.1)


def test_floats_far_apart() -> None:
    """They cost what integers do: no two meet."""
    apart = replace(
        ONE_WORD, sectors=REQUESTS * 4, on_a_word=REQUESTS * 4, warp_sectors=REQUESTS * 4,
        block_sectors=SEEN * 32, pair_sectors=SEEN * 32, launch_sectors=SEEN * 32, launch_lines=SEEN * 8,
        reach_lines=BLOCKS * 8,
    )  # fmt: skip
    assert milliseconds(apart, atomic=1, float_atomic=1) == milliseconds(apart, atomic=1)


def test_a_vote_before_atomics_on_many_words() -> None:
    """Where lanes use different words, no lane adds for the others."""
    spread = replace(ONE_WORD, sectors=REQUESTS * 8, on_a_word=REQUESTS * 12)
    assert milliseconds(spread, atomic=1, uniform_vote=1) == milliseconds(spread, atomic=1)


def test_a_launch_without_footprints() -> None:
    """Nothing is known of its atomics."""
    assert cycles(Launch("", "sum", (1, 1, 1), (32, 1, 1), {}), SMS, RESIDENT, FITTED) is None
