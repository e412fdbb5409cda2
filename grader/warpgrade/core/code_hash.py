"""A hash of the code that decides a saved result: the text of a module and of all modules that it can import.

Whatever is kept between runs is keyed by it, so a change of any module that could change the result makes
the kept result stale. Imports inside functions count.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from .paths import file_hash

_PACKAGE = Path(__file__).resolve().parents[1]


def code_hash(*modules: str) -> str:
    """sha256 over the import closure of these modules, each named as its __name__; 64 hexadecimal digits."""
    return _hash(modules, _PACKAGE)


@functools.cache
def _hash(modules: tuple[str, ...], package: Path) -> str:
    return file_hash(*closure(modules, package))


def closure(modules: tuple[str, ...], package: Path) -> list[Path]:
    """The files of these modules of the package and of all that they can import from it, sorted."""
    waiting = []
    for name in modules:
        files = _files_of(name.split(".")[1:], package)
        if len(files) <= name.count("."):  # one for each part of the name
            raise ModuleNotFoundError(f"there is no module {name}")
        waiting += files
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path, package)
    return sorted(found)


def _imported(path: Path, package: Path) -> list[Path]:
    """The package's files that the module in `path` imports, at any depth of its text."""
    here = list(path.relative_to(package).parent.parts)
    found: list[Path] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = here[: len(here) - node.level + 1]
            elif (node.module or "").split(".")[0] == package.name:
                base = []
            else:
                continue
            names = (node.module or "").split(".") if node.module else []
            base += names if node.level else names[1:]
            for alias in node.names:  # a module, or a name of the module `base`
                found += _files_of([*base, alias.name], package)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == package.name:
                    found += _files_of(alias.name.split(".")[1:], package)
    return found


def _files_of(names: list[str], package: Path) -> list[Path]:
    """Files that importing this dotted name runs: each package's __init__.py on the way, and the module's."""
    files = []
    at = package
    for name in ["", *names]:
        at = at / name
        if (at / "__init__.py").is_file():
            files.append(at / "__init__.py")
        elif at.with_suffix(".py").is_file():
            files.append(at.with_suffix(".py"))
            break
        else:
            break
    return files
