"""A change of any module that a saved result can depend on changes the key, and no other change does."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warpgrade
from warpgrade.core.code_hash import closure, code_hash, imports
from warpgrade.core.paths import file_hash
from warpgrade.grading.session import JUDGING_STAGES, SAVED_STAGES

PACKAGE = Path(warpgrade.__file__).parent


def names(files: list[Path], package: Path = PACKAGE) -> set[str]:
    return {file.relative_to(package).as_posix() for file in files}


def test_every_module_that_a_stage_can_import_changes_the_key(tmp_path: Path) -> None:
    package = tmp_path / "warpgrade"
    shutil.copytree(
        PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "explanations", "templates")
    )
    deciding = names(closure(SAVED_STAGES, package), package)
    before = file_hash(*closure(SAVED_STAGES, package))
    assert before == code_hash(*SAVED_STAGES)
    for file in package.rglob("*.py"):
        text = file.read_text()
        file.write_text(text + "# changed\n")
        changed = file_hash(*closure(SAVED_STAGES, package)) != before
        file.write_text(text)
        assert changed == (file.relative_to(package).as_posix() in deciding), file


def test_imports_are_those_that_the_parser_finds() -> None:
    for file in PACKAGE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        wanted: set[tuple[int, str, tuple[str, ...]]] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                wanted.add((node.level, node.module or "", tuple(each.name for each in node.names)))
            elif isinstance(node, ast.Import):
                wanted |= {(0, each.name, ()) for each in node.names}
        assert wanted <= set(imports(text)), file


def test_what_the_stages_load_is_in_their_closure() -> None:
    """The interpreter's own word for what an import loads."""
    script = f"import importlib, sys\nfor name in {SAVED_STAGES!r}: importlib.import_module(name)\n"
    script += (
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'warpgrade'), sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = names([Path(line) for line in ran.stdout.split()])
    assert len(loaded) > 30
    assert loaded <= names(closure(SAVED_STAGES, PACKAGE))


def test_modules_whose_results_are_saved_in_a_run_are_in_the_closure() -> None:
    """Each of these was once left out of a list kept by hand."""
    found = names(closure(SAVED_STAGES, PACKAGE))
    for name in ("perfmodel/memory/cache_traffic.py", "build/emu.py", "sandbox/usage.py",
                 "run/compute_sanitizer.py", "run/datasets.py"):  # fmt: skip
        assert not (PACKAGE / name).exists() or name in found, name


def test_a_better_sentence_needs_no_new_run() -> None:
    """No module that judges a saved run decides what is saved; each counts for the grader's own hash."""
    saved = names(closure(SAVED_STAGES, PACKAGE))
    judging = names(closure(JUDGING_STAGES, PACKAGE))
    judge = {name for name in names(list((PACKAGE / "judge").glob("*.py"))) if name != "judge/__init__.py"}
    assert len(judge) > 5 and not judge & saved
    assert judge - judging == {
        "judge/late_policy.py",
        "judge/reviews.py",
    }  # applied to students, not to a result


def test_an_import_inside_a_function_counts(tmp_path: Path) -> None:
    package = tmp_path / "course"
    for name, text in (
        ("__init__.py", ""),
        ("a.py", "def f():\n    from .deep import b\n    return b\n"),
        ("deep/__init__.py", ""),
        ("deep/b.py", "from course.deep.c import value\n"),
        ("deep/c.py", "value = 1\n"),
        ("other.py", ""),
    ):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    expected = {"__init__.py", "a.py", "deep/__init__.py", "deep/b.py", "deep/c.py"}
    assert names(closure(("course.a",), package), package) == expected


@pytest.mark.parametrize(
    "look",
    [
        "import pkgutil\nnames = list(pkgutil.iter_modules(__path__))\n",
        "from pkgutil import walk_packages as walk\nnames = list(walk(__path__, 'many.'))\n",
    ],
)
def test_a_package_that_looks_for_its_modules_imports_them(tmp_path: Path, look: str) -> None:
    package = tmp_path / "course"
    for name, text in (
        ("__init__.py", ""),
        ("a.py", "from .many import names\n"),
        ("many/__init__.py", look),
        ("many/first.py", "from .. import other\n"),
        ("many/second/__init__.py", ""),
        ("other.py", ""),
    ):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    assert names(closure(("course.a",), package), package) == {
        "__init__.py", "a.py", "many/__init__.py", "many/first.py", "many/second/__init__.py", "other.py"
    }  # fmt: skip


def test_an_unknown_module_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        closure(("warpgrade.run.gone",), PACKAGE)
