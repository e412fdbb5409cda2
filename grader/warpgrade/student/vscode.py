"""Writes .vscode/tasks.json: a task for each command about the open kernel, and what to underline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..core.paths import Repository
from ..core.store import write_text

FILE = Path(".vscode") / "tasks.json"
PREFIX = "warpgrade: "  # of the labels of our tasks; those with other labels are a student's own
# A line of `check --lines`. "file" is relative to the folder that is open, or absolute.
PATTERN = r"^(.+):(\d+):(\d+): (error|warning|note): (.*) \[([\w-]+)\]$"
_GROUPS = ("file", "line", "column", "severity", "message", "code")
_KERNEL = ("${fileDirnameBasename}", "${file}")  # a lab's kernel lies in the folder of the lab's name
_SARIF = "${workspaceFolder}/build/check.sarif"


def write(repository: Repository) -> Path:
    """Write the tasks; the file's other tasks are kept. UsageError if the file exists
    and is not plain JSON.
    """
    path = repository.root / FILE
    found = _read(path)
    others = [task for task in found.get("tasks", []) if not str(task.get("label", "")).startswith(PREFIX)]
    write_text(
        path, json.dumps({"version": "2.0.0"} | found | {"tasks": [*others, *_tasks()]}, indent=2) + "\n"
    )
    return path


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        remedy = "remove comments and trailing commas from it, or move it away"
        raise UsageError(f"is not plain JSON: {error}", file=path, remedy=remedy) from None
    tasks = found.get("tasks", []) if isinstance(found, dict) else None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise UsageError("is no file of tasks", file=path, remedy="move it away")
    return found


def _tasks() -> list[dict[str, Any]]:
    check = _task("check", *_KERNEL, "--lines", "--sarif", _SARIF)
    return [
        check | {"problemMatcher": _matcher(), "group": {"kind": "build", "isDefault": True}},
        _task("profile", *_KERNEL),
        _task("hint", _KERNEL[0]),
        _task("pack"),
    ]


def _task(word: str, *arguments: str) -> dict[str, Any]:
    return {
        "label": f"{PREFIX}{word}",
        "type": "process",
        "command": "${workspaceFolder}/warpgrade",
        "args": [word, *arguments],
        "options": {"cwd": "${workspaceFolder}"},
        "presentation": {"clear": True},
        "problemMatcher": [],
    }


def _matcher() -> dict[str, Any]:
    pattern = {"regexp": PATTERN} | {name: number for number, name in enumerate(_GROUPS, 1)}
    location = ["autoDetect", "${workspaceFolder}"]
    return {"owner": "warpgrade", "source": "warpgrade", "fileLocation": location, "pattern": pattern}
