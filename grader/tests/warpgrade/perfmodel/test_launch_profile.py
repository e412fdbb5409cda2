"""What a profile of one launch shows: accesses by line and kind, marked lines, operations."""

from __future__ import annotations

from warpgrade.core.paths import here
from warpgrade.course import evidence
from warpgrade.gpu import spec
from warpgrade.perfmodel import launch_profile
from warpgrade.perfmodel.launch_profile import LaunchProfile, LineAccess
from warpgrade.perfmodel.model import ModelledTime, Overlap
from warpgrade.perfmodel.resources import LATENCY
from warpgrade.records import CounterSite, Launch

GPU = spec.load(here(), "h200")
SOURCE = """\
__global__ void k(float* x) {
  float a = x[threadIdx.x];  // [load]
  tile[threadIdx.x] = a;  // neither [this] nor that
}"""
SITES = (
    CounterSite("k.cu", 2, "global load", 10, 320, sectors=40, ideal_sectors=40),
    CounterSite("k.cu", 2, "global load", 10, 160, sectors=60, ideal_sectors=20),
    CounterSite("k.cu", 2, "shared load", 5, 160, wavefronts=20, ideal_wavefronts=5),
    CounterSite("k.cu", 3, "shared store", 5, 160, wavefronts=5, ideal_wavefronts=5),
    CounterSite("header.cuh", 300, "global load", 1, 32, sectors=4, ideal_sectors=4),
)
COUNTED = {"ffma": 100, "fadd": 10, "fmul": 1}


def profile() -> LaunchProfile:
    counters = {evidence.ALIASES[name]: count for name, count in COUNTED.items()}
    launch = Launch("", "k", (4, 2, 1), (32, 4, 1), counters, SITES)
    cycles = {"shared memory": 600.0, "arithmetic": 1.0, LATENCY: 500.0, "L1 cache": 0.0}
    time = ModelledTime(1e3 / GPU.clock_hz * 1000, "shared memory", cycles, Overlap(4, 6))
    return launch_profile.profile(launch, time, GPU, SOURCE, registers=20, shared_bytes=512)


def test_the_sites_of_one_line_and_kind_add_up() -> None:
    first, second, third = profile().accesses
    assert first == LineAccess(2, "float a = x[threadIdx.x];", "load", "global load", 20, 480, 100, 60, 0, 0)
    assert (second.kind, second.mark, second.wavefronts) == ("shared load", "load", 20)
    assert (third.line, third.mark) == (3, "")


def test_resources_are_busy_for_a_share_of_the_time() -> None:
    assert {name: round(share, 3) for name, share in profile().busy.items()} == {
        "shared memory": 0.6,
        LATENCY: 0.4,  # a part of a warp's time alone counts as waiting
    }


def test_a_fused_multiply_add_is_two_operations() -> None:
    assert profile().flops == 211


def test_figures_have_the_names_of_marked_lines() -> None:
    figures = launch_profile.figures(profile())
    assert (figures["blocks"], figures["threads"], figures["registers"], figures["ffma"]) == (8, 128, 20, 100)
    assert (figures["load.line"], figures["load.global_load.sectors"]) == (2, 100)
    assert figures["load.shared_load.wavefronts"] == 20
    assert "limiter" not in figures and "this.line" not in figures
