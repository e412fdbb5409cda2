"""A class of the emulator or of the harness has a name of its own: a search for the name finds one class."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

GRADER = Path(__file__).resolve().parents[2]
ROOMS = (GRADER / "emulator", GRADER / "harness")
CLASS = re.compile(
    r"^(?: {2})?(?:struct|class|enum class) (?:alignas\(\w+\) )?(\w+)(?: final)?(?: : [^;{]*)? \{"
)
KIND = "Kind"  # an enumeration inside a class: Operand::Kind


def declared(text: str) -> set[str]:
    """Classes of namespaces, and of these classes; those of an anonymous namespace belong to one file."""
    names, is_anonymous = set(), False
    for line in text.splitlines():
        if line == "namespace {":
            is_anonymous = True
        elif line == "}  // namespace":
            is_anonymous = False
        elif not is_anonymous and (found := CLASS.match(line)):
            names.add(found[1])
    return names - {KIND}


def test_no_class_name_is_declared_twice() -> None:
    files = defaultdict(list)
    for room in ROOMS:
        for file in sorted(room.rglob("*.[ch]pp")):
            for name in declared(file.read_text(encoding="utf-8")):
                files[name].append(file.relative_to(GRADER).as_posix())
    assert len(files) > 300
    # A class whose definition is in a .cpp is forward-declared in the header: it has one definition.
    assert {name: found for name, found in files.items() if len(found) > 1} == {}


def test_anonymous_namespaces_are_left_out() -> None:
    lines = (
        "struct One {",
        "  enum class Kind : int {",
        "  struct Two {",
        "namespace {",
        "struct Three {",
        "}  // namespace",
        "class Four final : Base {",
    )
    assert declared("\n".join(lines)) == {"One", "Two", "Four"}
