"""No code of the grader names a lab: what belongs to one lab stands in its folders.

Each lab's name, kernels, arrays and parameters come from its lab.toml, so that a new lab is covered without a
line here.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import Lab

ROOT = Path(__file__).resolve().parents[3]
LABS = lab.find(Repository(ROOT))
FOLDERS = tuple(
    ROOT / folder
    for folder in ("grader/warpgrade", "grader/harness", "grader/bench", "datasets", "labs/common")
)
CODE = (".py", ".html.j2", ".schema.json", ".hpp", ".cpp", ".cuh", ".cu")
# Not of the grader: what labs with the same problem share, and labs that `warpgrade new` writes.
OF_LABS = {ROOT / "labs" / "common" / "host", ROOT / "grader" / "warpgrade" / "staff" / "new_lab_files"}
CPP = (".hpp", ".cpp", ".cuh", ".cu")
QUOTES = "[\"'`]"


def code() -> Iterator[tuple[str, str]]:
    """Path and text of each file of code."""
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*")):
            if path.name.endswith(CODE) and not OF_LABS.intersection(path.parents):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def named(pattern: str, but: str = "") -> list[str]:
    """Places of the pattern, as path:line. `but`: the ending of files that are left out."""
    found = []
    for path, text in code():
        if but and path.endswith(but):
            continue
        found += [
            f"{path}:{text.count(chr(10), 0, match.start()) + 1}" for match in re.finditer(pattern, text)
        ]
    return found


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_lab_is_named(item: Lab) -> None:
    assert named(rf"{QUOTES}(?:labs/)?{re.escape(item.name)}\b") == []


def named_in_code(kernel: str) -> list[str]:
    """Places where a Python file has the name as an identifier of its own or as a whole string.

    A kernel may have a word of prose as its name, such as functions: docstrings and comments may use it.
    """
    found = []
    for path, text in code():
        if path.endswith(CPP):
            bare = re.sub(r"//[^\n]*", "", text)
            places = (match.start() for match in re.finditer(rf"(?<![\w.]){kernel}\b(?!\()", bare))
            found += [f"{path}:{bare.count(chr(10), 0, at) + 1}" for at in places]
        if not path.endswith(".py"):
            continue
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        neighbours = [tokens[0], *tokens[:-1]], tokens, [*tokens[1:], tokens[-1]]
        for before, token, after in zip(*neighbours, strict=True):
            is_name = token.string == kernel and before.string != "." and after.string != "("
            is_string = token.type == tokenize.STRING and token.string.strip("\"'") == kernel
            if is_name or is_string:
                found.append(f"{path}:{token.start[0]}")
    return found


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_kernel_is_named(item: Lab) -> None:
    for kernel in item.kernels:
        places = named(rf"(?<![\w.]){kernel}\b(?!\()")
        if "_" not in kernel:
            prose = tuple(f"{suffix}:" for suffix in (".py", *CPP))
            places = [place for place in places if not any(each in place for each in prose)]
            places += named_in_code(kernel)
        assert places == [], kernel


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_array_is_named(item: Lab) -> None:
    """A name of one letter means other things, too: two arrays of the lab in one line mean its arrays."""
    names = [re.escape(array.name) for array in item.arrays]
    for name in (name for name in names if len(name) > 1):
        assert named(rf"{QUOTES}{name}{QUOTES}") == [], name
    any_of = "|".join(names)
    assert named(rf"{QUOTES}({any_of}){QUOTES}[^\n]*{QUOTES}(?!\1)(?:{any_of}){QUOTES}") == []
    # Kernels of the benchmarks have arrays of their own.
    assert named(rf"\b({any_of})(?:, | or | and )(?!\1)(?:{any_of})\b", but=".cu") == []


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_parameters_are_named(item: Lab) -> None:
    """All of a lab's parameters in a row, and each as an attribute or a key of a case.

    Whole words such as rows and columns also mean the sides of a picture or a block: in a row, only names of
    one letter mean parameters.
    """
    in_a_row = r"\W{1,3}".join(item.parameter_names)
    if len(item.parameters) > 1 and max(map(len, item.parameter_names)) == 1:
        assert named(rf"\b{in_a_row}\b", but=".cu") == []
    holders = "(?:case|problem|sizes?|parameters?)"
    for name in item.parameter_names:
        assert named(rf"\b{holders}\.{name}\b") == [], name
        assert named(rf"\b{holders}\[{QUOTES}{name}{QUOTES}\]") == [], name
