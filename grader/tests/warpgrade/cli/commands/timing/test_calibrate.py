"""calibrate as it is typed, on nodes that are imitated."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.fake_repository import write
from warpgrade.cli import main
from warpgrade.core.paths import Repository
from warpgrade.grading.cluster.node_jobs import NodeFiles
from warpgrade.grading.executors.slurm import SlurmExecutor


def calibrate(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, troubles: dict[str, str], **times: float
) -> Result:
    """With a node for each time, in milliseconds of one row."""

    def on_gpu_nodes(_: SlurmExecutor, words: Sequence[str], folder: Path) -> NodeFiles:
        assert words[0] == "calibrate" and words[-1] == "--into"
        files = {}
        for node, time in times.items():
            rows = [{"lab": "first", "size": [64], "milliseconds": time}]
            data = {"conditions": {"gpu": "NVIDIA H200"}, "timings": rows}
            files[node] = write(folder / f"{node}.json", json.dumps(data))
        return NodeFiles(files, troubles)

    monkeypatch.setattr(SlurmExecutor, "on_gpu_nodes", on_gpu_nodes)
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))
    result = CliRunner().invoke(main.cli, ["calibrate", "--executor", "slurm"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_nodes_that_are_alike(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    result = calibrate(repository, monkeypatch, {}, n1=1.0, n2=1.01, n3=0.99)
    assert result.exit_code == 0, result.output
    written = repository.root / "datasets/reference-timings/h200.json"
    assert json.loads(written.read_text(encoding="utf-8"))["timings"][0]["milliseconds"] == 1.0
    assert "differs" not in result.output and "h200.json: the timings of n1" in result.output


def test_a_slow_node_and_one_without_timings(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    result = calibrate(repository, monkeypatch, {"n4": "its job ended"}, n1=1.0, n2=1.0, n3=1.2)
    assert result.exit_code == 4
    assert "+20.0% in first" in result.output and "--exclude=n3" in result.output
    assert "n4: not measured: its job ended" in result.output


def test_the_only_node_has_nothing_to_be_compared_with(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = calibrate(repository, monkeypatch, {}, n1=1.0)
    assert result.exit_code == 0 and "nothing to compare" in result.output
