"""Gaps in hints: TODOs and questions without one, hints that no mutant proves; and too few near misses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...answers.questions import QuestionFile
from ...course import lab
from ...records import LabKind
from ...solution.markers import MarkedLine
from .gap import MUTANTS, Gap, LabFiles
from .mutants import touched

FEWEST_NEAR_MISSES = 10  # of all questions together
_TODO = re.compile(r"TODO\((\d+)\)")


def todos(files: LabFiles) -> dict[int, MarkedLine]:
    """The number of each TODO of the skeleton, and its line. In a lab with a fault, TODOs may stand outside
    of stubs.
    """
    shown = (line for line in files.lines if line.in_stub or _has_the_fault(files))
    return {int(n): line for line in shown for n in _TODO.findall(line.text)}


def _has_the_fault(files: LabFiles) -> bool:
    """Whether the skeleton is a faulty kernel. Then no mutant is needed that does a TODO wrongly: the fault
    does so.
    """
    return files.lab.kind is LabKind.DEBUG


def hints(files: LabFiles) -> Iterator[Gap]:
    """Each TODO needs a hint, each hint a TODO, and each TODO a mutant in which its task is done wrongly."""
    tasks, given = todos(files), {hint.todo: at for at, hint in enumerate(files.lab.hints)}
    for todo, line in tasks.items():
        if todo not in given:
            remedy = f"add a [[hint]] with todo = {todo} to {lab.FILE}"
            yield Gap("hint", f"TODO({todo}) has no hint", str(files.solution), line.number, remedy)
    for todo, at in given.items():
        place = files.line_of("hint", at)
        if todo not in tasks:
            message = f"there is no TODO({todo}) for this hint"
            remedy = f"write TODO({todo}) in a stub, or remove the hint"
            yield Gap("hint", message, files.lab_toml, place, remedy)
        elif not _has_the_fault(files) and not _is_proved(files, tasks[todo].number):
            message = f"the hint for TODO({todo}) is unproved: no mutant does wrong what it asks for"
            remedy = f"add a [[mutant]] to {MUTANTS} of what stands before its stub"
            yield Gap("hint", message, files.lab_toml, place, remedy)


def _is_proved(files: LabFiles, todo: int) -> bool:
    """Whether a mutant touches the solution between the stub that contains this line
    and the stub before it.
    """
    lines, is_touched, in_stub = touched(files), False, False
    for line in files.lines:
        if in_stub and not line.in_stub:
            is_touched = False
        in_stub = line.in_stub
        is_touched |= line.in_solution and line.number in lines
        if line.number == todo:
            return is_touched
    return False


def near_misses(files: LabFiles, asked: QuestionFile) -> Iterator[Gap]:
    """What mutants are to a kernel, near misses are to questions: the slips that feedback is for."""
    count = sum(len(row.get("near_miss", [])) for row in asked.document.data["question"])
    if count < FEWEST_NEAR_MISSES:
        message = f"a lab of questions needs {FEWEST_NEAR_MISSES} near misses, and this file holds {count}"
        remedy = "add a [[question.near_miss]] for each usual slip, as docs/questions.md describes it"
        yield Gap("near miss", message, str(files.solution), None, remedy)


def question_hints(files: LabFiles) -> Iterator[Gap]:
    hints = {hint.todo for hint in files.lab.hints}
    for number, case in enumerate(files.lab.cases, 1):
        if number not in hints:
            remedy = f"add a [[hint]] with todo = {number}"
            yield Gap("hint", f"question {number}, {case.name}, has no hint", files.lab_toml, None, remedy)
