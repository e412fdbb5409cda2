"""Reference timings of several nodes: which node stands for its type of GPU, and which differ from it.

A node is compared row by row with the median of its type. The node whose worst row is nearest to the median
stands for the type.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import store
from ..core.paths import Repository
from . import calibrate

EVEN = 0.03  # share of the median; a node that differs by more is named, as grades must not depend on nodes

_Row = tuple[str, tuple[int, ...]]  # lab and size


@dataclass(frozen=True)
class NodeComparison:
    """How far a node is from its type. `off`: the largest difference of a time from the median of its row, as
    a share; `lab`: the lab of that row.
    """

    node: str
    off: float
    lab: str = ""

    @property
    def is_even(self) -> bool:
        return abs(self.off) <= EVEN


@dataclass(frozen=True)
class GpuType:
    """`nodes`: from the nearest to the median to the farthest. The first one's timings are the type's."""

    gpu: str
    nodes: tuple[NodeComparison, ...]


def read(files: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """The timings that `calibrate --into` wrote on each node."""
    return {node: json.loads(file.read_text(encoding="utf-8")) for node, file in files.items()}


def compare(timings: Mapping[str, Mapping[str, Any]]) -> tuple[GpuType, ...]:
    """The types of GPU, by name. A row that a node lacks is not compared."""
    gpus = {node: str(data["conditions"]["gpu"]) for node, data in timings.items()}
    return tuple(
        _type(gpu, {node: _rows(timings[node]) for node in sorted(gpus) if gpus[node] == gpu})
        for gpu in sorted(set(gpus.values()))
    )


def write(repository: Repository, data: Mapping[str, Any]) -> Path:
    """Make the timings of one node those of its type: datasets/reference-timings/<gpu>.json."""
    path = calibrate.file_of(repository, str(data["conditions"]["gpu"]))
    store.write_text(path, json.dumps(data, indent=1) + "\n")
    return path


def _rows(data: Mapping[str, Any]) -> dict[_Row, float]:
    return {(row["lab"], tuple(row["size"])): float(row["milliseconds"]) for row in data["timings"]}


def _type(gpu: str, nodes: Mapping[str, Mapping[_Row, float]]) -> GpuType:
    shared = sorted(set.intersection(*(set(rows) for rows in nodes.values())))
    medians = {row: statistics.median(rows[row] for rows in nodes.values()) for row in shared}
    found = (_comparison(node, rows, medians) for node, rows in nodes.items())
    return GpuType(gpu, tuple(sorted(found, key=lambda each: (abs(each.off), each.node))))


def _comparison(node: str, rows: Mapping[_Row, float], medians: Mapping[_Row, float]) -> NodeComparison:
    off = {row: rows[row] / median - 1 for row, median in medians.items() if median > 0}
    worst = max(off, key=lambda row: abs(off[row]), default=None)
    return NodeComparison(node, off[worst], worst[0]) if worst else NodeComparison(node, 0.0)
