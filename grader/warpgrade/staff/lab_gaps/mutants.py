"""Gaps in mutants.toml: too few mutants, wrong names, lines of the solution that no mutant touches."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from ...core import toml
from ...records import LabKind
from ...solution import planted_bugs
from .. import mutation_operators
from .gap import MUTANTS, Gap, LabFiles

FEWEST = 10
# A line that no mistake can change: comments, directives, brackets, declarations without a value, and sizes
# that the author is free to choose.
_EMPTY = re.compile(
    r"(?:(?://|#).*|[{}();\s]*|(?:\} )?else(?: \{)?|[\w:<>*&, ]+;|for \(;;\) \{|do \{|struct \w+ \{"
    r"|template <[\w ,]+>|constexpr int \w+ = \d+;)(?:\s*//.*)?"
)


def mutants(files: LabFiles) -> Iterator[Gap]:
    text = files.mutants.read_text(encoding="utf-8") if files.mutants.is_file() else ""
    if len(files.bugs) < FEWEST:
        message = f"a lab needs {FEWEST} mutants, and this file holds {len(files.bugs)}"
        yield Gap(
            "mutants", message, str(files.mutants), None, "write one for each mistake that students make"
        )
    for index, bug in enumerate(files.bugs):
        line = toml.line_of(text, ("mutant", index, "name"))
        times = files.marked.count(bug.find)
        if times != 1:
            where = planted_bugs.places(bug, files.marked)
            message = (
                f"the text that the mutant {bug.name!r} replaces occurs {times} times in the solution{where}"
            )
            yield Gap("mutants", message, str(files.mutants), line, "correct its `find`: it must occur once")
        if message := planted_bugs.unknown_name(bug, files.lab):
            yield Gap("mutants", message, str(files.mutants), line, "name one of its cases or techniques")


def touched(files: LabFiles) -> frozenset[int]:
    """Lines of the marked solution that some mutant changes. Text that a mutant inserts touches the line
    before it.
    """
    before = files.marked.splitlines()
    found: set[int] = set()
    for bug in files.bugs:
        after = files.marked.replace(bug.find, bug.replace).splitlines()
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        for what, first, last, _, _ in matcher.get_opcodes():
            if what != "equal":
                found.update(range(first + 1, last + 1) if last > first else (first,))
    return frozenset(found)


def lines(files: LabFiles) -> Iterator[Gap]:
    """Lines of code that students write and no mutant touches.

    Systematic mutants count, too: `mutants --auto` grades them and names each that survives.
    """
    changed = touched(files)
    if files.lab.kind is not LabKind.PROGRAM:
        changed |= {mutant.line for mutant in mutation_operators.mutants(files.marked, files.lab)}
    for line in files.lines:
        code = line.text.strip()
        if line.in_solution and not _EMPTY.fullmatch(code) and line.number not in changed:
            remedy = f"add a [[mutant]] to {MUTANTS} whose `find` is on this line"
            yield Gap("line", f"no mutant touches: {code}", str(files.solution), line.number, remedy)
