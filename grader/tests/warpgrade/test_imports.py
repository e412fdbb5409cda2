"""The pipeline goes one way: a module imports only what stands before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import warpgrade

PACKAGE = Path(warpgrade.__file__).parent
# Each row may import from rows above it. Modules within a row do not know one another.
ORDER = (
    ("records", "conversion", "toml_lines", "metrics", "stopwatch", "progress", "declarations"),
    ("prelude", "errors", "ptx", "diagnostics", "process_tree", "linetable", "wrongwords"),
    ("sass", "datapipe", "strays", "raceturns"),
    (
        "house",
        "numbers",
        "prose",
        "people",
        "gradescope_export",
        "policy",
        "driver",
        "walls",
        "packed",
    ),
    ("sandbox", "lab", "archive", "occupancy", "excerpts", "workplace", "cards"),
    ("submission", "toolkit", "datasets", "store", "gpu"),
    ("mix", "traffic", "skeletons", "frontend"),
    ("atomics",),
    ("build", "harness", "model", "techniques", "sources", "conditions"),
    ("sanitizer",),
    ("remedies",),
    ("run", "verdict", "score"),
    ("reference",),
    ("workshop",),
    ("batch", "results", "regrade"),
    ("mutation",),
    ("fates",),
)
STAGES = ("lab", "submission", "build", "run", "verdict", "score", "report")
PURE = ("records", "verdict", "score", "techniques", "model", "traffic", "atomics", "datapipe", "occupancy")


def files(module: str) -> list[Path]:
    """Of a module its file, of a folder of them all files: what is in a folder counts as one module."""
    return sorted((PACKAGE / module).glob("*.py")) or [PACKAGE / f"{module}.py"]


def nodes(module: str) -> Iterator[ast.AST]:
    for file in files(module):
        yield from ast.walk(ast.parse(file.read_text(encoding="utf-8")))


def imports(module: str) -> set[str]:
    """Modules of this package that it imports, at any depth of the file."""
    upwards = 2 if (PACKAGE / module).is_dir() else 1
    found: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.ImportFrom) and node.level == upwards:
            found |= {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
        if (
            isinstance(node, ast.ImportFrom)
            and node.level == 0
            and (node.module or "").startswith("warpgrade")
        ):
            found.add((node.module or "").partition(".")[2] or "warpgrade")
    return found


def outside(module: str) -> set[str]:
    """What it imports from elsewhere, by top-level name."""
    names: set[str] = set()
    for node in nodes(module):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def all_modules() -> list[str]:
    alone = {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")}
    return sorted(alone | {path.parent.name for path in PACKAGE.glob("*/__init__.py")})


def test_only_what_stands_before() -> None:
    before: set[str] = set()
    for row in ORDER:
        for module in row:
            late = imports(module) - before
            assert not late, f"{module} imports {late}, which does not stand before it"
        before |= set(row)


def test_nothing_goes_in_a_circle() -> None:
    left = {module: imports(module) & set(all_modules()) for module in all_modules()}
    while left:
        free = [module for module, needs in left.items() if not needs & left.keys()]
        assert free, f"a circle among {sorted(left)}"
        for module in free:
            del left[module]


def test_stages_stand_in_the_order_of_the_pipeline() -> None:
    for index, stage in enumerate(STAGES):
        assert not imports(stage) & set(STAGES[index + 1 :]), stage
        assert not imports(stage) & {"cli", "batch", "workshop"}, stage


def test_one_module_starts_processes() -> None:
    starters = [
        module for module in all_modules() if outside(module) & {"subprocess", "multiprocessing", "pty"}
    ]
    assert starters == ["sandbox"]
    for module in all_modules():
        text = "".join(file.read_text(encoding="utf-8") for file in files(module))
        assert not any(
            word in text for word in ("os.system(", "os.exec", "os.spawn", "os.fork(", "os.popen(")
        )


def test_only_the_command_line_prints_and_exits() -> None:
    for module in all_modules():
        called = {
            node.func.id
            for node in nodes(module)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "print" not in called, module
        ends = module in ("cli", "console")
        assert ends or "sys" not in outside(module), f"{module} could end the program"


# Into a folder of its own that is gone afterwards; lab.py's mark may be missing.
IN_PASSING = {"archive", "attacks", "build", "datasets", "forgery", "frontend", "recording", "sources"}


def test_one_module_writes_what_stays() -> None:
    """Whole or not at all, and with an error that says what to do."""
    for module in all_modules():
        written = {
            node.func.attr
            for node in nodes(module)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and not (isinstance(node.func.value, ast.Name) and node.func.value.id == "store")
        }
        assert module in {"store"} | IN_PASSING or not written & {"write_text", "write_bytes"}, module


def test_pure_modules_touch_neither_files_nor_clock() -> None:
    for module in PURE:
        assert not outside(module) & {"os", "time", "datetime", "random", "shutil", "tempfile"}, module
