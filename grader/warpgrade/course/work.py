"""The work of a case or of a timed size: [work] of lab.toml, evaluated for its parameters."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from ..records import Lab, Size, Work
from .expressions import parse

FLOPS = "flops"


@dataclass(frozen=True)
class AmountOfWork:
    """What a case or a timed size computes and moves at least."""

    flops: float  # operations
    bytes: float  # least device memory traffic
    counted: float  # the one of them that the lab's rate counts
    tensor_cores: bool = False  # the operations are theirs


def of(lab: Lab, size: Size) -> AmountOfWork:
    """The work of that size, given in the order of the lab's parameters."""
    return _of(lab.work, lab.parameter_names, size)


@functools.lru_cache(maxsize=4096)
def _of(work: Work, names: tuple[str, ...], size: Size) -> AmountOfWork:
    values = dict(zip(names, size, strict=True))
    operations, traffic = (float(parse(text).value(values)) for text in (work.flops, work.bytes))
    counted = operations if work.rate == FLOPS else traffic
    return AmountOfWork(operations, traffic, counted, work.tensor_cores)


def largest(lab: Lab, sizes: Sequence[Size]) -> Size:
    """The size with the most work, the first of several."""
    return max(sizes, key=lambda size: of(lab, size).counted)


def whole(lab: Lab) -> Size:
    """The largest size that a GPU is timed with. Modelled times are those of a part of it."""
    return largest(lab, lab.performance.gpu_sizes or lab.performance.sizes)


def rate(lab: Lab, size: Size, milliseconds: float) -> float:
    """GFLOP/s or GB/s, whichever the lab shows; 0 where there is no time."""
    return of(lab, size).counted / (milliseconds * 1e6) if milliseconds > 0 else 0.0


def unit(lab: Lab) -> str:
    return "GFLOP/s" if lab.work.rate == FLOPS else "GB/s"
