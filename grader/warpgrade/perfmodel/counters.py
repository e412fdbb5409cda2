"""Counters of a launch, summed up."""

from __future__ import annotations

from ..records import Launch


def total(launch: Launch, *names: str) -> float:
    """The sum of these counters, by Nsight Compute's names; one that the launch lacks counts 0."""
    return float(sum(launch.counters.get(name, 0) for name in names))
