"""Slurm's commands, imitated by scripts: what is asked for, what an answer means, what an error means."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.core.errors import GraderError
from warpgrade.grading.cluster import slurm
from warpgrade.grading.cluster.slurm import Queued, SlurmRefused


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("sbatch", "squeue", "scancel"):
        command(tmp_path, name, "exit 1")
    return tmp_path


def command(folder: Path, name: str, script: str) -> None:
    write(folder / name, f"#!/bin/sh\n{script}\n").chmod(0o755)


def test_submit(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SBATCH_PARTITION", "elsewhere")
    monkeypatch.setenv("SLURM_CONF", "/somewhere")
    command(
        tools,
        "sbatch",
        f'printf "%s\\n" "$@" "$SBATCH_PARTITION" "$SLURM_CONF" > {tools}/asked; echo "17;cluster"',
    )
    assert slurm.submit(["--array=0-3", "--wrap=a b"]) == "17"
    assert (tools / "asked").read_text().splitlines() == [
        "--parsable",
        "--array=0-3",
        "--wrap=a b",
        "",
        "/somewhere",
    ]
    command(tools, "sbatch", "echo 'sbatch: error: no such partition' >&2; exit 1")
    with pytest.raises(SlurmRefused, match="no such partition"):
        slurm.submit([])


def test_queue(tools: Path) -> None:
    rows = (
        "12|0|a.1|R|None",
        "12|1|a.1|PD|Resources",
        "12|2|a.1|PD|BeginTime",
        "13|0|a.2|RH|x",
        "14|N/A|b|R|None",
    )
    rows += ("12|3|a.1|CG|None", "12|4|a.1|PD|launch failed requeued held")
    rows += ("15|0|a.3|PD|ReqNodeNotAvail, UnavailableNodes:n1",)
    command(tools, "squeue", "cat <<'END'\n" + "\n".join(rows) + "\nEND")
    assert slurm.queue() == (
        Queued("12", 0, "a.1", True, False),
        Queued("12", 1, "a.1", False, False),
        Queued("12", 2, "a.1", False, True),
        Queued("13", 0, "a.2", False, True),
        Queued("12", 3, "a.1", True, False),
        Queued("12", 4, "a.1", False, True),
        Queued("15", 0, "a.3", False, False, has_no_node=True),
    )
    command(tools, "squeue", "")
    assert slurm.queue() == (), "nothing is queued"
    command(tools, "squeue", "echo 12; exit 1")
    assert slurm.queue() is None, "unknown, not gone"


def test_cancel(tools: Path) -> None:
    assert slurm.cancel([]), "nothing to do"
    assert not slurm.cancel(["12"])
    command(tools, "scancel", f'echo "$@" > {tools}/asked')
    assert slurm.cancel(["12", "13_4"]) and (tools / "asked").read_text() == "12 13_4\n"


def test_a_missing_command(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tools))
    slurm.need_commands()
    (tools / "squeue").unlink()
    with pytest.raises(GraderError, match="squeue is missing"):
        slurm.need_commands()


def test_nodes_that_are_up_and_have_a_gpu(tools: Path) -> None:
    rows = (
        "n3|gpu:h200:4|mix",
        "n1|gpu:1(S:0)|idle~",
        "n1|gpu:1(S:0)|idle~",
        "n2|(null)|idle",
        "n4|gpu:1|down*",
    )
    command(tools, "sinfo", f"echo \"$@\" > {tools}/asked\ncat <<'END'\n" + "\n".join(rows) + "\nEND")
    assert slurm.gpu_nodes("big") == ("n1", "n3")
    assert "--partition=big" in (tools / "asked").read_text()
    slurm.gpu_nodes("")
    assert "--partition" not in (tools / "asked").read_text()
    command(tools, "sinfo", "echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(GraderError, match="Unable to contact"):
        slurm.gpu_nodes("")
