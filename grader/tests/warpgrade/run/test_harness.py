"""Reading what the harness and the emulator wrote, also when a process was killed while writing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from support import sample_results
from support.fake_repository import write
from warpgrade.build.toolkit import Toolkit
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository
from warpgrade.records import Lab, SourceFile, Submission
from warpgrade.run import harness
from warpgrade.sandbox.process import Outcome

SUBMISSION = Submission("alice", "x", "alice", (SourceFile("kernel.cu", "one\ntwo\n"),), "hash")
FINDING = {
    "label": "a", "launch": 1, "kernel": "k", "check": "race", "kind": "race-read-write", "code": "WG112",
    "severity": "error", "message": "m", "file": "/box/kernel.cu", "line": 2, "column": 5, "source": "",
    "inlined_at": "/box/kernel.cu:1", "block": [0, 0, 0], "thread": [1, 0, 0], "access": "read",
    "other": {"file": "/box/kernel.cu", "line": 1, "column": 1, "source": "", "block": [0, 0, 0],
              "thread": [2, 0, 0], "access": "write"},
    "memory": {"space": "shared", "address": "0x10", "bytes": 4, "allocation": "As", "allocation_bytes": 64,
               "distance": 0, "relation": "inside"},
    "standing": [{"warp": 0, "lanes": "0xffffffff", "file": "/box/kernel.cu", "line": 2, "source": "",
                  "state": "runs"}],
    "times": 3, "lanes": 32, "help": "h",
}  # fmt: skip


def read(work: Path, lab: Lab | None = None) -> harness.HarnessReport:
    return harness._read(Outcome(0, "", ""), work, lab or sample_results.lab(), SUBMISSION)


def test_findings_get_the_students_source(tmp_path: Path) -> None:
    write(tmp_path / "findings.jsonl", json.dumps(FINDING) + "\n")
    found = read(tmp_path).findings[0]
    assert (found.place.file, found.place.source, found.place.inlined_at) == (
        "kernel.cu",
        "two",
        "kernel.cu:1",
    )
    assert found.other is not None and found.other.source == "one" and found.other.access == "write"
    assert found.memory is not None and found.memory.allocation == "As"
    assert found.standing[0].source == "two"
    assert found.times == 3


def test_findings_of_a_second_launch_are_the_cases(tmp_path: Path) -> None:
    rows = [FINDING, FINDING | {"label": "a/again"}, FINDING | {"label": "a/reloaded"}]
    write(tmp_path / "findings.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert [finding.label for finding in read(tmp_path).findings] == ["a", "a", "a/reloaded"]


def test_a_lab_may_forgive_a_finding(tmp_path: Path) -> None:
    rows = [FINDING, FINDING | {"code": "WG135"}]
    write(tmp_path / "findings.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    lenient = replace(sample_results.lab(), forgives=("WG135",))
    assert [finding.code for finding in read(tmp_path).findings] == ["WG112", "WG135"]
    assert [finding.code for finding in read(tmp_path, lenient).findings] == ["WG112"]


def test_nulls_of_the_emulator(tmp_path: Path) -> None:
    bare = FINDING | {"other": None, "memory": None, "standing": [], "file": "", "line": 0}
    write(tmp_path / "findings.jsonl", json.dumps(bare) + "\n")
    found = read(tmp_path).findings[0]
    assert found.other is None and found.memory is None and found.place.line == 0


def test_half_a_line_is_dropped(tmp_path: Path) -> None:
    write(tmp_path / "results.jsonl", '{"record":"begin","case":"a"}\n{"record":"case","case":"a","sta')
    report = read(tmp_path)
    assert report.begun == ("a",) and report.cases == () and not report.ended


def test_no_files_at_all(tmp_path: Path) -> None:
    report = read(tmp_path)
    assert report.begun == () and report.launch_shape is None and report.environment == {}


@pytest.mark.parametrize("line", ["no json\n", '{"record":"case","case":"a","status":3}\n'])
def test_lines_of_another_shape_are_a_fault_of_ours(tmp_path: Path, line: str) -> None:
    write(tmp_path / "results.jsonl", line)
    with pytest.raises(GraderError):
        read(tmp_path)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_arrays_and_launches_of_any_rank(tmp_path: Path, rank: int) -> None:
    ones = [1] * rank
    shape = {"record": "launch_shape", "kernel": "k", "threads": ones, "outputs": [4] * rank,
             "blocks": 8 if rank == 1 else None, "shared": 64}  # fmt: skip
    wrong = {"array": "y", "shape": [9] * rank, "index": [5] * rank, "count": 1, "total": 9**rank,
             "expected": 2**63, "got": 3, "block": ones, "thread": None,
             "first": [4] * rank, "last": [7] * rank, "phase": None, "pattern": "scattered",
             "explanation": "e", "map": [".#"]}  # fmt: skip
    case = {"record": "case", "case": "a", "status": "wrong_answer", "message": "m", "wrong": wrong}
    write(tmp_path / "results.jsonl", "".join(json.dumps(row) + "\n" for row in (shape, case)))
    report = read(tmp_path)
    assert report.launch_shape is not None and report.launch_shape.kernel == "k"
    assert report.launch_shape.outputs_per_block == 4**rank and report.launch_shape.shared == 64
    found = report.cases[0].wrong
    assert found is not None and found.expected == 2**63
    assert (found.array, found.shape, found.index, found.first) == (
        "y",
        (9,) * rank,
        (5,) * rank,
        (4,) * rank,
    )


def test_shapes_of_several_kernels(tmp_path: Path) -> None:
    rows = [
        {"record": "launch_shape", "kernel": name, "threads": [threads], "outputs": [threads],
         "blocks": None, "shared": 0}
        for name, threads in (("first", 32), ("second", 64))
    ]  # fmt: skip
    write(tmp_path / "results.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    report = read(tmp_path)
    assert report.launch_shape is not None and report.launch_shape.kernel == "first"
    assert [(shape.kernel, shape.threads) for shape in report.other_shapes] == [("second", (64,))]


@pytest.mark.parametrize(("block", "sent"), [((5,), "5,0,0"), ((3, 2), "3,2,0"), ((1, 2, 4), "1,2,4")])
def test_a_block_of_any_rank_is_recorded(block: tuple[int, ...], sent: str) -> None:
    job = harness.HarnessJob(sample_results.lab(), Path("k"), Path("d"), trace=block)
    runner = harness.RunnerConfig(Repository(Path("/")), Toolkit(Path("/"), "13.0"))
    assert harness._emulator_environment(job, runner)["WARPGRADE_TRACE_BLOCK"] == sent
