"""The lines that the modelled time goes to."""

from __future__ import annotations

from dataclasses import replace

from warpgrade.perfmodel import line_shares
from warpgrade.perfmodel.model import ModelledTime, Overlap
from warpgrade.perfmodel.resources import LATENCY
from warpgrade.records import CounterSite, Launch


def site(line: int, kind: str, **counts: int) -> CounterSite:
    return CounterSite("kernel.cu", line, kind=kind, **counts)


def launch(*sites: CounterSite) -> Launch:
    return Launch("time/1/student", 1, "k", (1, 1, 1), (32, 1, 1), sites=sites)


def time(**cycles: float) -> ModelledTime:
    known = {name.replace("_", " "): value for name, value in cycles.items()}
    return ModelledTime(1.0, "x", known, Overlap(4, 6))


SITES = (
    site(7, "global load", executions=10, sectors=40, lines=10),
    site(7, "global load", executions=10, sectors=40, lines=10),
    site(9, "shared load", executions=100, wavefronts=300),
    site(10, "shared store", executions=100, wavefronts=100),
)


def test_a_resource_s_share_goes_to_the_lines_that_use_it() -> None:
    found = line_shares.shares(launch(*SITES), time(shared_memory=100.0, device_memory=1.0))
    assert [(row.line, row.share, row.resource) for row in found] == [
        (9, 0.75, "shared memory"), (10, 0.25, "shared memory"),
    ]  # fmt: skip


def test_sites_of_one_line_add_up() -> None:
    found = line_shares.shares(launch(*SITES), time(device_memory=10.0, **{LATENCY.replace(" ", "_"): 0.0}))
    assert [(row.line, row.share) for row in found] == [(7, 1.0)]


def test_l2_s_time_for_atomics_goes_to_the_lines_of_atomics() -> None:
    sites = (
        site(3, "global load", executions=10, sectors=900, lines=10),
        site(5, "global atomic", executions=10, sectors=10, lines=10),
    )
    found = line_shares.shares(launch(*sites), replace(time(L2_cache=10.0), atomics=8.0))
    assert [(row.line, row.share) for row in found] == [(5, 0.8), (3, 0.2)]


def test_what_no_access_causes_is_of_no_line() -> None:
    found = line_shares.shares(launch(*SITES), time(arithmetic=10.0, shared_memory=10.0))
    assert sum(row.share for row in found) == 0.5
