"""The rules of style that a tool can check."""

from __future__ import annotations

import ast
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 45  # lines of a function in Python
LONGEST_CPP = 60  # in C++, where a switch with one line for each case may be long


def tracked(*patterns: str) -> list[str]:
    """Files of the repository that match, as git lists them; every file where git is absent."""
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "grader"], ["ruff", "format", "--check", "grader"], ["mypy", "grader/warpgrade"]],
    ids=["ruff-check", "ruff-format", "mypy"],
)
def test_python(command: list[str]) -> None:
    """Python is clean under the tool."""
    ran = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]


def test_no_file_escapes_the_tools(pytestconfig: pytest.Config) -> None:
    """Tools leave out folders of some names, such as build, unless told otherwise: all Python is checked, and
    all tests are collected."""
    show = [sys.executable, "-m", "ruff", "check", "--show-files", "grader"]
    checked = subprocess.run(show, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    ours = {str(ROOT / name) for name in tracked("grader/*.py")}
    assert ours and ours <= set(checked)
    left_out = pytestconfig.getini("norecursedirs")
    for name in tracked("grader/tests/**/test_*.py"):
        if "fixtures" not in Path(name).parts:
            assert not any(fnmatch(part, each) for part in Path(name).parts for each in left_out), name


def test_cpp_is_formatted() -> None:
    """C++ is formatted as clang-format would format it."""
    files = tracked("*.cpp", "*.hpp", "*.h")
    assert files
    ran = subprocess.run(
        ["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, "type: make fmt\n" + ran.stderr[-3000:]


def test_no_function_is_long() -> None:
    """A longer function has steps that deserve a name. Tests may tell a longer story."""
    files = [name for name in tracked("grader/*.py") if not name.startswith("grader/tests/")]
    assert files
    found = []
    for name in files:
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                found.append((lines, f"{name}:{node.lineno}: {node.name} has {lines} lines"))
    assert [line for lines, line in found if lines > LONGEST] == []


def test_no_cpp_function_is_long() -> None:
    """clang-format lets a function begin and end at column 0; an initial value ends in };"""
    files = [name for name in tracked("grader/*.cpp", "grader/*.hpp") if not name.startswith("grader/tests/")]
    found = []
    for name in files:
        begin, begins = 0, ""
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            if line == "}":
                found.append((number - begin + 1, f"{name}:{begin}: {begins}"))
            elif line and line[0] not in " }#/":
                begin, begins = number, line
    assert len(found) > len(files)
    assert [where for lines, where in found if lines > LONGEST_CPP] == []
