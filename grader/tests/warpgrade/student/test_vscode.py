"""Tasks for VS Code: ours are written, others stay, and the matcher reads what `check --lines` prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support import sample_results
from support.fake_repository import LAB, write
from warpgrade.cli import main
from warpgrade.core.errors import UsageError
from warpgrade.core.paths import Repository, here
from warpgrade.export import sarif
from warpgrade.student import vscode


def tasks(repository: Repository) -> dict[str, Any]:
    return {task["label"]: task for task in json.loads(vscode.write(repository).read_text())["tasks"]}


def test_each_task_is_a_command(repository: Repository) -> None:
    found = tasks(repository)
    assert found and all(label.startswith(vscode.PREFIX) for label in found)
    for label, task in found.items():
        word, *arguments = task["args"]
        command = main.cli.get_command(main.cli.make_context("warpgrade", ["list"]), word)
        assert command is not None, label
        words = [each.replace("${fileDirnameBasename}", LAB).replace("${file}", "k.cu") for each in arguments]
        command.make_context(word, words)  # raises where an option is not known


def test_tasks_of_a_student_stay(repository: Repository) -> None:
    path = repository.root / vscode.FILE
    mine = {"label": "mine", "type": "shell", "command": "true"}
    write(path, json.dumps({"version": "2.0.0", "inputs": [1], "tasks": [mine]}))
    tasks(repository)
    first = path.read_text()
    assert tasks(repository)["mine"] == mine and path.read_text() == first
    assert json.loads(first)["inputs"] == [1]


@pytest.mark.parametrize("text", ["{ // a comment\n}", "[]", '{"tasks": 3}'])
def test_a_file_that_cannot_be_read_is_left_alone(repository: Repository, text: str) -> None:
    path = write(repository.root / vscode.FILE, text)
    with pytest.raises(UsageError):
        vscode.write(repository)
    assert path.read_text() == text


def test_the_matcher_reads_every_line(repository: Repository, tmp_path: Path) -> None:
    matcher = tasks(repository)[f"{vscode.PREFIX}check"]["problemMatcher"]
    student = sample_results.racy_student()
    log = sarif.data(here(), sample_results.lab(), student.results[0], tmp_path / "my kernel.cu")
    lines = list(sarif.lines(log))
    found = [re.match(matcher["pattern"]["regexp"], line) for line in lines]
    assert len(lines) > 4 and all(found)
    rows = {tuple(match.group(matcher["pattern"][name]) for name in ("file", "line", "severity", "code"))
            for match in found if match}  # fmt: skip
    kernel = str(tmp_path / "my kernel.cu")
    assert {(kernel, "12", "error", "WG201"), (kernel, "15", "note", "WG201")} <= rows, "both sides of a race"
