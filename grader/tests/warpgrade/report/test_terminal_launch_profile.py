"""What the profile of one launch prints."""

from __future__ import annotations

import json

from rich.text import Text

from warpgrade.core.paths import here
from warpgrade.gpu import spec
from warpgrade.perfmodel import launch_profile
from warpgrade.perfmodel.launch_profile import LaunchProfile
from warpgrade.perfmodel.model import ModelledTime, Overlap
from warpgrade.perfmodel.resources import LATENCY
from warpgrade.records import CounterSite, Launch, Occupancy
from warpgrade.report import terminal, terminal_launch_profile
from warpgrade.tables import nsight

GPU = spec.load(here(), "h200")
SOURCE = "float a = x[i];  // [load]\n" + "y = a" * 60 + ";\n"
SITES = (
    CounterSite("k.cu", 1, "global load", 10, 320, sectors=320, ideal_sectors=40),
    CounterSite("k.cu", 2, "shared load", 10, 320, wavefronts=10, ideal_wavefronts=10),
)


def profile() -> LaunchProfile:
    counters = {nsight.GLOBAL_LOAD_SECTORS: 320, nsight.FFMA: 0}
    launch = Launch("", "k", (64, 4096, 1), (32, 1, 1), counters, SITES)
    cycles = {"L2 cache": 900.0, "shared memory": 10.0, LATENCY: 1.0}
    time = ModelledTime(1e6 / GPU.clock_hz, "L2 cache", cycles, Overlap(4, 6))
    seats = Occupancy("9.0", 4, 20, 64, "shared memory")
    return launch_profile.profile(launch, time, GPU, SOURCE, seats, 32, 45_568)


def lines(width: int) -> list[str]:
    found = terminal_launch_profile.lines(profile(), GPU, "k.cu [a] 4096", width)
    return [Text.from_markup(line).plain for line in found]


def test_it_is_read_from_the_top() -> None:
    text = "\n".join(lines(100))
    heads = ("k.cu [a] 4096: 0.0", "where the time goes", "how busy", "what the accesses", "counters")
    assert [text.index(head) for head in heads] == sorted(text.index(head) for head in heads)
    assert "64×4,096 blocks of 32 threads, 32 registers a thread, 45,568 bytes" in text
    assert "occupancy 31%: 20 of 64 warps an SM, limited by shared memory" in text
    assert "  90%  L2 cache" in text and "320  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" in text
    assert "ffma" not in text  # what does not occur is not listed


def test_nothing_limits_an_sm_that_is_full() -> None:
    full = Occupancy("9.0", 2, 64, 64, "registers")
    assert terminal.occupancy_words(full) == "100%: 64 of 64 warps an SM"


def test_an_access_shows_sums_not_averages() -> None:
    text = "\n".join(lines(100))
    assert "[load]" in text
    assert "global load: 10 requests by 320 lanes, 320 sectors; 40 would suffice" in text
    assert "shared load: 10 requests by 320 lanes, 10 wavefronts\n" in text


def test_long_lines_are_cut() -> None:
    assert max(map(len, lines(60))) <= 110  # sentences wrap in the terminal; code does not
    assert any(line.rstrip().endswith("…") for line in lines(60))


def test_it_is_json() -> None:
    data = json.loads(json.dumps(terminal_launch_profile.as_data(profile(), GPU)))
    assert data["accesses"][0]["mark"] == "load" and data["occupancy"]["limiter"] == "shared memory"
