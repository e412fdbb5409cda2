"""What a module may do, by its package. Import directions: import-linter's table in pyproject.toml."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import warpgrade

PACKAGE = Path(warpgrade.__file__).parent
ROOT = PACKAGE.parents[1]
# These compute from what they are given: the same input gives the same bytes.
PURE = ("records", "judge", "perfmodel")
# These write into a scratch folder that is gone afterwards.
SCRATCH = {"build", "run", "staff", "submission"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Each module as "package/name.py", parsed."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def outside(tree: ast.Module) -> set[str]:
    """Top-level names of the other packages that it imports."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_import_directions() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr


def test_every_module_lies_in_a_package() -> None:
    alone = {name for name, _ in modules() if "/" not in name}
    assert alone == {"__init__.py", "__main__.py"}


def test_no_class_name_is_declared_twice() -> None:
    """A name says which class it is, wherever it stands: `_Name` and `Name` count as one."""
    declared: dict[str, list[str]] = {}
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                declared.setdefault(node.name.lstrip("_"), []).append(name)
    assert {name: files for name, files in declared.items() if len(files) > 1} == {}


def test_a_module_is_imported_under_its_own_name() -> None:
    renamed = [
        f"{name}: {alias.name} as {alias.asname}"
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
        if alias.asname and any((PACKAGE / folder).exists() for folder in _module_paths(name, node, alias))
    ]
    assert renamed == []


def _module_paths(name: str, node: ast.ImportFrom, alias: ast.alias) -> list[str]:
    """Where the imported name would lie if it is a module of the package."""
    base = name.split("/")[: -node.level]
    path = "/".join([*base, *(node.module or "").split("."), alias.name]).replace("//", "/")
    return [f"{path}.py", f"{path}/__init__.py"]


def test_one_package_starts_processes() -> None:
    starters = [name for name, tree in modules() if outside(tree) & {"subprocess", "multiprocessing", "pty"}]
    assert sorted(starters) == ["sandbox/dialogue.py", "sandbox/process.py"]
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not any(
            word in text for word in ("os.system(", "os.exec", "os.spawn", "os.fork(", "os.popen(")
        )


def test_one_module_parses_toml() -> None:
    assert [name for name, tree in modules() if "tomllib" in outside(tree)] == ["core/toml.py"]


def test_only_the_command_line_prints_and_exits() -> None:
    for name, tree in modules():
        called = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "print" not in called, name
        ends = name.startswith("cli/") or name == "__main__.py"
        assert ends or "sys" not in outside(tree), f"{name} could end the program"


def test_one_module_writes_what_stays() -> None:
    """Whole or not at all, and with an error that says what to do."""
    for name, tree in modules():
        written = {
            node.func.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and not (isinstance(node.func.value, ast.Name) and node.func.value.id == "store")
        }
        allowed = name == "core/store.py" or name.split("/")[0] in SCRATCH
        assert allowed or not written & {"write_text", "write_bytes"}, name


def test_pure_packages_touch_neither_files_nor_clock() -> None:
    for name, tree in modules():
        if name.split("/")[0] in PURE:
            assert not outside(tree) & {"os", "time", "random", "shutil", "tempfile"}, name
            attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            assert not attributes & {"now", "today", "utcnow"}, name
