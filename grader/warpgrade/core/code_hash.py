"""A hash of the code that decides a saved result: the text of a module and of all modules that it can import.

Whatever is kept between runs is keyed by it, so a change of any module that could change the result makes
the kept result stale. Imports inside functions count, and all modules of a package that looks for its own.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from .paths import file_hash

_PACKAGE = Path(__file__).resolve().parents[1]
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(?:\(([^)]*)\)|(.+))|import[ \t]+(.+))", re.MULTILINE
)


def code_hash(*modules: str) -> str:
    """sha256 over the import closure of these modules, each named as its __name__; 64 hexadecimal digits."""
    return _hash(modules, _PACKAGE)


@functools.cache
def _hash(modules: tuple[str, ...], package: Path) -> str:
    return file_hash(*closure(modules, package))


def closure(modules: tuple[str, ...], package: Path) -> list[Path]:
    """The files of these modules of the package and of all that they can import from it, sorted."""
    waiting: list[Path] = []
    for name in modules:
        files = _files_of(tuple(name.split(".")[1:]), package)
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


@functools.cache  # the closures of several modules share most files
def _imported(path: Path, package: Path) -> tuple[Path, ...]:
    """The package's files that the module in `path` imports, at any depth of its text."""
    here = path.relative_to(package).parent.parts
    text = path.read_text(encoding="utf-8")
    found: list[Path] = []
    for level, module, names in imports(text):
        parts = tuple(module.split(".")) if module else ()
        if parts == ("pkgutil",) and path.name == "__init__.py":  # a package that looks for its own modules
            found += [*path.parent.glob("*.py"), *path.parent.glob("*/__init__.py")]
        if level:
            base = here[: len(here) - level + 1] + parts
        elif parts[0] == package.name:
            base = parts[1:]
        else:
            continue
        found += _files_of(base, package)
        for name in names:  # a module, or a name of the module `base`
            found += _files_of((*base, name), package)
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=1024)
def imports(text: str) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """The import statements of a module: the number of leading dots, the module, the names imported from it.

    Found by a regular expression, as `check` asks at each start: ast takes 20 times as long. It relies on the
    formatter: each import has a line of its own. A docstring's line that reads as an import counts too.
    """
    found: list[tuple[int, str, tuple[str, ...]]] = []
    for dots, module, several, one, plain in _IMPORT.findall(text):
        if plain:
            found += [(0, name, ()) for name in _names(plain)]
        else:
            found.append((len(dots), module, tuple(_names(several or one))))
    return tuple(found)


def _names(listed: str) -> list[str]:
    """The names of "a, b as c  # why", over any number of lines."""
    names = re.sub("#.*", "", listed).split(",")
    return [name.split()[0] for name in names if name.strip()]


@functools.cache  # modules import the same ones again and again
def _files_of(names: tuple[str, ...], package: Path) -> tuple[Path, ...]:
    """Files that importing this dotted name runs: each package's __init__.py on the way, and the module's."""
    before = _files_of(names[:-1], package) if names else ()
    if len(before) < len(names):
        return before  # a module is on the way, or nothing
    at = package.joinpath(*names)
    for file in (at / "__init__.py", at.with_suffix(".py")):
        if file.is_file():
            return (*before, file)
    return before
