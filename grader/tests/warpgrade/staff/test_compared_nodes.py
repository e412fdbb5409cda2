"""Timings of several nodes: who stands for a type of GPU, and who is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from warpgrade.core.paths import Repository
from warpgrade.staff import compared_nodes


def timings(gpu: str, **milliseconds: float) -> dict[str, Any]:
    rows = [{"lab": lab, "size": [64, 64], "milliseconds": time} for lab, time in milliseconds.items()]
    return {"conditions": {"gpu": gpu}, "timings": rows}


def test_the_node_in_the_middle_stands_for_its_type() -> None:
    found = compared_nodes.compare(
        {
            "n1": timings("NVIDIA H200", first=1.01, second=2.0),
            "n2": timings("NVIDIA H200", first=1.0, second=2.01),
            "n3": timings("NVIDIA H200", first=0.99, second=2.2),
            "n4": timings("NVIDIA H100", first=1.5),
        }
    )
    assert [each.gpu for each in found] == ["NVIDIA H100", "NVIDIA H200"]
    h100, h200 = found
    assert [(node.node, node.is_even) for node in h100.nodes] == [("n4", True)]
    assert [node.node for node in h200.nodes] == ["n2", "n1", "n3"]
    assert [node.is_even for node in h200.nodes] == [True, True, False]
    assert h200.nodes[2].lab == "second" and h200.nodes[2].off == pytest.approx(2.2 / 2.01 - 1)


def test_rows_that_one_node_lacks_are_left_out() -> None:
    (found,) = compared_nodes.compare(
        {"n1": timings("NVIDIA H200", first=1.0, second=9.0), "n2": timings("NVIDIA H200", first=1.0)}
    )
    assert [(node.off, node.is_even) for node in found.nodes] == [(0.0, True)] * 2


def test_they_are_written_by_the_name_of_the_gpu(repository: Repository, tmp_path: Path) -> None:
    file = tmp_path / "n1.json"
    file.write_text(json.dumps(timings("NVIDIA H200", first=1.0)), encoding="utf-8")
    path = compared_nodes.write(repository, compared_nodes.read({"n1": file})["n1"])
    assert path == repository.root / "datasets/reference-timings/h200.json"
    assert json.loads(path.read_text(encoding="utf-8"))["timings"][0]["milliseconds"] == 1.0
