"""What lanes do one after the other: matches by values, constants at unlike places."""

from __future__ import annotations

import pytest

from warpgrade.perfmodel.memory.lane_turns import lane_turns, turn_cycles
from warpgrade.records import CounterSite, Launch

TIMES = 100


def launch(*sites: CounterSite) -> Launch:
    return Launch("", "k", (1, 1, 1), (32, 1, 1), {}, sites)


def site(kind: str, line: int, values: float) -> CounterSite:
    return CounterSite("k.cu", 1, kind, TIMES, sectors=round(values * TIMES), ptx_line=line)


def test_a_match_takes_longer_for_more_values() -> None:
    """An H200 took 32.1 cycles for four values, 257 for 32."""
    found = lane_turns(launch(site("match", 1, 4), site("match", 2, 32)))
    assert found[1] == pytest.approx(32.1, rel=0.02)
    assert found[2] == pytest.approx(257, rel=0.02)


def test_constants_that_all_lanes_read_take_no_turns() -> None:
    found = launch(site("const load", 1, 1), site("const load", 2, 8), site("global load", 3, 16))
    assert set(lane_turns(found)) == {2}
    assert turn_cycles(found) == pytest.approx(64.2 * TIMES, rel=0.01)
