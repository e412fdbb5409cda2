"""The name of the program, which is written in one place."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

import warpgrade
from warpgrade.cli import main
from warpgrade.core.errors import ExitCode, GraderError
from warpgrade.core.paths import Repository, need, program, typed

PACKAGE = Path(warpgrade.__file__).parent


def test_it_is_called_from_where_one_is(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(repository.root)
    assert program() == "./warpgrade" and typed("list") == "type `./warpgrade list`"
    monkeypatch.chdir(repository.labs)
    assert program() == "../warpgrade"
    (repository.root / "warpgrade").write_text("#!/bin/sh\n")
    (repository.root / "warpgrade").chmod(0o755)
    monkeypatch.setenv("PATH", str(repository.root))
    assert program() == "warpgrade"


def test_no_text_names_a_command_of_ours_by_itself() -> None:
    """It would say `warpgrade doctor` to whom only ./warpgrade is found."""
    names = "|".join(main.cli.list_commands(main.cli.make_context("warpgrade", ["list"])))
    ours = re.compile(rf"(?<!-m )\bwarpgrade ({names})\b")
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        about = {ast.get_docstring(node, clean=False) for node in ast.walk(tree)
                 if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))}  # fmt: skip
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in about:
                assert not ours.search(node.value), f"{file.name}:{node.lineno}: write typed() or program()"


def test_a_missing_tool_is_missing_software(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="is missing") as caught:
        need(tmp_path / "emulator", "type `make tools`")
    assert caught.value.exit_code == ExitCode.SETUP


def test_what_is_needed_is_no_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "harness")
    with pytest.raises(GraderError, match="not a regular file") as caught:
        need(tmp_path / "harness", "type `make tools`")
    assert "make tools" in caught.value.remedy
    assert need(tmp_path, "") == tmp_path
