"""No code of the grader names a lab: what belongs to one lab stands in its folders.

Each lab's name, kernels, arrays and parameters come from its lab.toml, so that a new lab is covered without a
line here. A line of code that is older than a lab cannot mean it: a new lab may call its kernel by a word
that the grader uses, such as `expand`.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import Lab

ROOT = Path(__file__).resolve().parents[3]
LABS = lab.find(Repository(ROOT))
FOLDERS = tuple(
    ROOT / folder
    for folder in (
        "grader/warpgrade",
        "grader/harness",
        "grader/emulator",
        "grader/confine",
        "grader/bench",
        "datasets",
        "labs/common",
    )
)
CODE = (".py", ".html.j2", ".schema.json", ".def", ".hpp", ".cpp", ".cuh", ".cu")
# Not of the grader: what labs with the same problem share, and labs that `warpgrade new` writes.
OF_LABS = {ROOT / "labs" / "common" / "host", ROOT / "grader" / "warpgrade" / "staff" / "new_lab_files"}
QUOTES = "[\"'`]"


@functools.cache
def code() -> tuple[tuple[str, str], ...]:
    """Path and text of each file of code."""
    paths = (path for folder in FOLDERS for path in sorted(folder.rglob("*")))
    return tuple(
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in paths
        if path.name.endswith(CODE) and not OF_LABS.intersection(path.parents)
    )


def named(pattern: str, but: tuple[str, ...] = (), word: str = "") -> list[str]:
    """Places of the pattern, as path:line. `but`: beginnings and endings of paths that are left out.

    `word` is in all that the pattern matches; it is searched for first, as that is faster.
    """
    found = []
    for path, text in code():
        if path.startswith(but) or path.endswith(but) or word not in text:
            continue
        found += [
            f"{path}:{text.count(chr(10), 0, match.start()) + 1}" for match in re.finditer(pattern, text)
        ]
    return found


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout


@functools.cache
def _begun(item: Lab) -> float:
    """When the lab was first committed; now, if it was not."""
    times = _git("log", "--diff-filter=A", "--format=%ct", "--", f"labs/{item.name}/lab.toml").split()
    return min(map(float, times), default=time.time())


def _is_older(place: str, item: Lab) -> bool:
    """Whether the line was written before the lab. Without a history nothing is older."""
    path, _, line = place.rpartition(":")
    written = re.search(r"^committer-time (\d+)$", _git("blame", "-p", f"-L{line},{line}", path), re.M)
    return written is not None and float(written[1]) < _begun(item)


def naming(item: Lab, pattern: str, but: tuple[str, ...] = (), word: str = "") -> list[str]:
    """As named(), without lines that are older than the lab."""
    return [place for place in named(pattern, but, word) if not _is_older(place, item)]


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_lab_is_named(item: Lab) -> None:
    assert naming(item, rf"{QUOTES}(?:labs/)?{re.escape(item.name)}\b", word=item.name) == []


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_kernel_is_named(item: Lab) -> None:
    """Nowhere: neither in code nor in a comment, and no function has the name of a lab's kernel."""
    for kernel in item.kernels:
        assert naming(item, rf"\b{kernel}\b", word=kernel) == [], kernel


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_array_is_named(item: Lab) -> None:
    """A name of one letter means other things, too: two arrays of the lab in one line mean its arrays."""
    names = [re.escape(array.name) for array in item.arrays]
    for name in (array.name for array in item.arrays if len(array.name) > 1):
        assert naming(item, rf"{QUOTES}{re.escape(name)}{QUOTES}", word=name) == [], name
    any_of = "|".join(names)
    assert naming(item, rf"{QUOTES}({any_of}){QUOTES}[^\n]*{QUOTES}(?!\1)(?:{any_of}){QUOTES}") == []
    # Benchmarks have arrays of their own; PTX calls the operands of a matrix instruction A, B and C.
    in_prose = rf"\b({any_of})(?:, | or | and )(?!\1)(?:{any_of})\b"
    assert naming(item, in_prose, but=(".cu", "grader/emulator/")) == []


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_no_parameters_are_named(item: Lab) -> None:
    """All of a lab's parameters in a row, and each as an attribute or a key of a case.

    Whole words such as rows and columns also mean the sides of a picture or a block: in a row, only names of
    one letter mean parameters.
    """
    in_a_row = r"\W{1,3}".join(item.parameter_names)
    if len(item.parameters) > 1 and max(map(len, item.parameter_names)) == 1:
        # PTX names the sides of a matrix instruction m, n and k.
        assert naming(item, rf"\b{in_a_row}\b", but=(".cu", "grader/emulator/")) == []
    holders = "(?:case|problem|sizes?|parameters?)"
    for name in item.parameter_names:
        assert naming(item, rf"\b{holders}\.{name}\b", word=f".{name}") == [], name
        assert naming(item, rf"\b{holders}\[{QUOTES}{name}{QUOTES}\]", word=name) == [], name


def test_only_a_line_that_is_younger_than_the_lab_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = r"\bclass GraderError\b"
    is_known = _git("rev-parse", "HEAD") != ""
    assert naming(replace(LABS[0], name="not-committed-yet"), pattern) == ([] if is_known else named(pattern))
    monkeypatch.setattr(sys.modules[__name__], "_begun", lambda item: 0.0)
    assert naming(LABS[0], pattern) == named(pattern) != []
