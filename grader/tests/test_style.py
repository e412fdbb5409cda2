"""The rules of style that a tool can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 45  # lines of a function in Python
LONGEST_CPP = 40  # in C++


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
    """Tools leave out folders of some names by default, such as build: here all Python is checked, and all
    tests are collected."""
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


def functions(text: str) -> Iterator[tuple[int, int, str]]:
    """First and last line of each function, and how it begins, as clang-format lays them out: those at file
    scope begin and end at column 0, those of a class at column 2. An initial value ends in };
    """
    begins = {0: (0, ""), 2: (0, "")}  # by column: the last line there that may begin something
    for number, line in enumerate(text.splitlines(), 1):
        column = len(line) - len(line.lstrip())
        in_class = re.match(r"(class|struct|union) ", begins[0][1]) is not None
        if line.strip() == "}" and (column == 0 or (column == 2 and in_class)):
            yield begins[column][0], number, begins[column][1].strip()
        elif column in begins and line.strip() and line[column] not in "}#/:":
            begins[column] = number, line


def test_no_cpp_function_is_long() -> None:
    files = [name for name in tracked("grader/*.cpp", "grader/*.hpp") if not name.startswith("grader/tests/")]
    found = [
        (last - first + 1, f"{name}:{first}: {begins}")
        for name in files
        for first, last, begins in functions((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert len(found) > len(files)
    assert [where for lines, where in found if lines > LONGEST_CPP] == []


def test_functions_of_classes_count() -> None:
    text = "int f() {\n  if (x) {\n  }\n}\n\nclass A {\n  int g() {\n    return 1;\n  }\n};\n"
    assert list(functions(text)) == [(1, 4, "int f() {"), (7, 9, "int g() {")]
