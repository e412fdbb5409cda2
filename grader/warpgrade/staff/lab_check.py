"""Finds what a lab still lacks: mutants, hints, cases, visibility, pages, timings.

It reads files, and asks the lab's harness, if it is built, which arrays it makes. Whether a mutant really
fails its case is tested with the course.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..answers import questions
from ..core import toml
from ..core.errors import InstructorError
from ..core.paths import Repository, typed
from ..course import evidence, lab, question_file
from ..records import Lab, LabKind, Visibility
from ..run import datasets
from ..run.timed_launch import size_name
from ..solution import markers, planted_bugs, skeletons
from ..solution.markers import MarkedLine
from ..solution.planted_bugs import PlantedBug
from . import mutation_operators

FEWEST_MUTANTS = 10
FEWEST_NEAR_MISSES = 10  # of all questions together
_MUTANTS = "mutants.toml"
_TODO = re.compile(r"TODO\((\d+)\)")
_STEP = re.compile(r"\*\*TODO (\d+)\.")
_NAMED = re.compile(r"\bmutant=\(([^()]*)\)")  # the choice of a question
_QUOTED = re.compile(r'"([^"]*)"')
# A line that no mistake can change: comments, directives, brackets, declarations without a value, and sizes
# that the author is free to choose.
_EMPTY = re.compile(
    r"(?:(?://|#).*|[{}();\s]*|(?:\} )?else(?: \{)?|[\w:<>*&, ]+;|for \(;;\) \{|do \{|struct \w+ \{"
    r"|template <[\w ,]+>|constexpr int \w+ = \d+;)(?:\s*//.*)?"
)


@dataclass(frozen=True)
class Gap:
    """Something that a lab lacks. `file` is below the repository's root."""

    # "mutants", "near miss", "line", "hint", "case", "array", "size", "visibility", "skeleton", "syllabus",
    # "handout", "language", "timing", "fault"
    about: str
    message: str
    file: str
    line: int | None
    remedy: str  # what to type or write next
    needed: bool = True  # False: the lab works without; a translator or a GPU provides it


@dataclass(frozen=True)
class _Files:
    """The lab, and the texts that the rules read."""

    repository: Repository
    lab: Lab
    facts: str  # lab.toml
    solution: Path
    marked: str
    lines: tuple[MarkedLine, ...]
    bugs: tuple[PlantedBug, ...]

    @property
    def mutants(self) -> Path:
        return self.solution.with_name(_MUTANTS)

    def line_of(self, *path: str | int) -> int | None:
        return toml.line_of(self.facts, path)


def gaps(repository: Repository, name: str) -> tuple[Gap, ...]:
    """What the lab lacks, the necessary things first. InstructorError if its files cannot be read."""
    item = lab.named(repository, name)
    facts = (repository.labs / item.name / lab.FILE).read_text(encoding="utf-8")
    if item.kind is LabKind.ANSWERS:
        asked = questions.of_lab(
            repository, item.name
        )  # computes each answer: one without a value stops here
        solution = repository.solution(item.name) / question_file.FILE
        files = _Files(repository, item, facts, solution, "", (), ())
        found = [
            *_skeleton(files), *_near_misses(files, asked), *_question_hints(files), *_syllabus(files),
            *_pages(files),
        ]  # fmt: skip
    else:
        solution = repository.solution(item.name) / item.files[0]
        marked = _read(solution, typed(f"new {item.name}"))
        bugs = planted_bugs.load(repository, item.name)
        files = _Files(repository, item, facts, solution, marked, markers.parse(marked, str(solution)), bugs)
        found = [
            *_skeleton(files), *_mutants(files), *_lines(files), *_hints(files), *_cases(files),
            *_arrays(files), *_sizes(files), *_visibility(files), *_faults(files), *_syllabus(files),
            *_pages(files), *_timings(files),
        ]  # fmt: skip
    below = (replace(gap, file=_below(repository, gap.file)) for gap in found)
    return tuple(sorted(below, key=lambda gap: not gap.needed))


def _read(file: Path, command: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        raise InstructorError("is missing", file=file, remedy=f"write it, or type {command}") from None


def _below(repository: Repository, file: str) -> str:
    path = Path(file)
    return path.relative_to(repository.root).as_posix() if path.is_absolute() else file


def _skeleton(files: _Files) -> Iterator[Gap]:
    for item in skeletons.all_of(files.repository.root):
        if item.lab == files.lab.name and not item.fresh:
            yield Gap(
                "skeleton", "is not cut from today's solution", str(item.path), None, typed("skeletons")
            )


# --- mutants -----------------------------------------------------------------------------------


def _mutants(files: _Files) -> Iterator[Gap]:
    text = files.mutants.read_text(encoding="utf-8") if files.mutants.is_file() else ""
    if len(files.bugs) < FEWEST_MUTANTS:
        message = f"a lab needs {FEWEST_MUTANTS} mutants, and this file holds {len(files.bugs)}"
        yield Gap(
            "mutants", message, str(files.mutants), None, "write one for each mistake that students make"
        )
    for index, bug in enumerate(files.bugs):
        line = toml.line_of(text, ("mutant", index, "name"))
        times = files.marked.count(bug.find)
        if times != 1:
            message = f"the text that the mutant {bug.name!r} replaces occurs {times} times in the solution"
            yield Gap("mutants", message, str(files.mutants), line, "correct its `find`: it must occur once")
        if message := planted_bugs.unknown_name(bug, files.lab):
            yield Gap("mutants", message, str(files.mutants), line, "name one of its cases or techniques")


def _touched(files: _Files) -> frozenset[int]:
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


def _lines(files: _Files) -> Iterator[Gap]:
    """Lines of code that students write and no mutant touches.

    Systematic mutants count, too: `mutants --auto` grades them and names each that survives.
    """
    touched = _touched(files)
    if files.lab.kind is not LabKind.PROGRAM:
        touched |= {mutant.line for mutant in mutation_operators.mutants(files.marked, files.lab)}
    for line in files.lines:
        code = line.text.strip()
        if line.in_solution and not _EMPTY.fullmatch(code) and line.number not in touched:
            remedy = f"add a [[mutant]] to {_MUTANTS} whose `find` is on this line"
            yield Gap("line", f"no mutant touches: {code}", str(files.solution), line.number, remedy)


# --- hints -------------------------------------------------------------------------------------


def _todos(files: _Files) -> dict[int, MarkedLine]:
    """The number of each TODO of the skeleton, and its line. In a lab with a fault, TODOs may stand outside
    of stubs.
    """
    shown = (line for line in files.lines if line.in_stub or _has_the_fault(files))
    return {int(n): line for line in shown for n in _TODO.findall(line.text)}


def _has_the_fault(files: _Files) -> bool:
    """Whether the skeleton is a faulty kernel. Then no mutant is needed that does a TODO wrongly: the fault
    does so.
    """
    return files.lab.kind is LabKind.DEBUG


def _hints(files: _Files) -> Iterator[Gap]:
    """Each TODO needs a hint, each hint a TODO, and each TODO a mutant in which its task is done wrongly."""
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    todos, hints = _todos(files), {hint.todo: at for at, hint in enumerate(files.lab.hints)}
    for todo, line in todos.items():
        if todo not in hints:
            remedy = f"add a [[hint]] with todo = {todo} to {lab.FILE}"
            yield Gap("hint", f"TODO({todo}) has no hint", str(files.solution), line.number, remedy)
    for todo, at in hints.items():
        place = files.line_of("hint", at)
        if todo not in todos:
            message = f"there is no TODO({todo}) for this hint"
            yield Gap("hint", message, facts, place, f"write TODO({todo}) in a stub, or remove the hint")
        elif not _has_the_fault(files) and not _is_proved(files, todos[todo].number):
            message = f"the hint for TODO({todo}) is unproved: no mutant does wrong what it asks for"
            yield Gap(
                "hint",
                message,
                facts,
                place,
                f"add a [[mutant]] to {_MUTANTS} of what stands before its stub",
            )


def _is_proved(files: _Files, todo: int) -> bool:
    """Whether a mutant touches the solution between the stub that contains this line
    and the stub before it.
    """
    touched, is_touched, in_stub = _touched(files), False, False
    for line in files.lines:
        if in_stub and not line.in_stub:
            is_touched = False
        in_stub = line.in_stub
        is_touched |= line.in_solution and line.number in touched
        if line.number == todo:
            return is_touched
    return False


def _near_misses(files: _Files, asked: questions.QuestionFile) -> Iterator[Gap]:
    """What mutants are to a kernel, near misses are to questions: the slips that feedback is for."""
    count = sum(len(row.get("near_miss", [])) for row in asked.document.data["question"])
    if count < FEWEST_NEAR_MISSES:
        message = f"a lab of questions needs {FEWEST_NEAR_MISSES} near misses, and this file holds {count}"
        remedy = "add a [[question.near_miss]] for each usual slip, as docs/questions.md describes it"
        yield Gap("near miss", message, str(files.solution), None, remedy)


def _question_hints(files: _Files) -> Iterator[Gap]:
    hints = {hint.todo for hint in files.lab.hints}
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    for number, case in enumerate(files.lab.cases, 1):
        if number not in hints:
            remedy = f"add a [[hint]] with todo = {number}"
            yield Gap("hint", f"question {number}, {case.name}, has no hint", facts, None, remedy)


# --- the syllabus ------------------------------------------------------------------------------


def _syllabus(files: _Files) -> Iterator[Gap]:
    """The lab needs a row in the syllabus, and each lab that it builds on must come before it."""
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    own = files.lab.syllabus
    if not own.week:
        remedy = "add a row, as in syllabus = { week = 3, hours = 4, needs = [] }"
        yield Gap("syllabus", "has no place in the syllabus", facts, None, remedy, needed=False)
    line = files.line_of("syllabus")
    there = files.repository.lab_names()
    for name in own.needs:
        if name not in there:
            yield Gap("syllabus", f"needs {name!r}, which is no lab", facts, line, "name a folder in labs/")
            continue
        week = lab.load(files.repository.labs / name).syllabus.week
        if week > own.week:
            message = f"needs {name!r}, which comes in week {week}, after week {own.week}"
            yield Gap("syllabus", message, facts, line, "move one of the two")


# --- cases -------------------------------------------------------------------------------------


def _cases(files: _Files) -> Iterator[Gap]:
    """Cases that no mutant fails and on which no technique is measured."""
    used = {bug.case for bug in files.bugs} | {technique.case for technique in files.lab.techniques}
    for at, case in enumerate(files.lab.cases):
        if case.name not in used:
            remedy = f"add a [[mutant]] with case = {case.name!r} that passes the others, or remove the case"
            facts = str(files.repository.labs / files.lab.name / lab.FILE)
            yield Gap(
                "case", f"no mutant needs the case {case.name}", facts, files.line_of("case", at), remedy
            )


def _arrays(files: _Files) -> Iterator[Gap]:
    """What the harness says about the declared arrays; nothing before `make tools`."""
    item = files.lab
    if not item.arrays or not files.repository.harness(item.name).exists():
        return
    try:
        folder = datasets.prepare(files.repository, item, datasets.PUBLIC_SALT)
        datasets.need_known_arrays(item, folder, files.repository)
    except InstructorError as error:
        yield Gap("array", error.message, str(error.file), error.line, error.remedy)


def _sizes(files: _Files) -> Iterator[Gap]:
    """Sizes that students know and at which times or techniques are measured."""
    if files.lab.kind is LabKind.PROGRAM:
        return
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    remedy = 'let it use a name of [drawn], as in n = "2000 + a"'
    performance = files.lab.performance
    fixed = {"sizes": performance.sizes and not performance.drawn,
             "gpu_sizes": performance.gpu_sizes and not performance.gpu_drawn}  # fmt: skip
    for key in fixed if performance.points else ():
        if fixed[key]:
            message = f"times are measured at {key} that everybody knows"
            yield Gap("size", message, facts, files.line_of("performance", key), remedy)
    for at, technique in enumerate(files.lab.techniques):
        counted = set(evidence.needed(technique)) & set(evidence.counters(files.lab))
        if counted and not files.lab.case(technique.case).drawn:
            message = f"the technique {technique.name} is measured at a size that everybody knows"
            yield Gap("size", message, facts, files.line_of("technique", at, "case"), remedy)


def _visibility(files: _Files) -> Iterator[Gap]:
    """Each visibility needs a case, and a mutant that loses points there."""
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    named = {bug.case for bug in files.bugs}
    for visibility in Visibility:
        cases = [case.name for case in files.lab.cases if case.visibility is visibility]
        if not cases:
            message, remedy = (
                f"no case is {visibility.value!r}",
                f"set visibility = {visibility.value!r} of one",
            )
        elif not named.intersection(cases):
            message = f"no mutant names a case whose visibility is {visibility.value!r}"
            remedy = f"add a [[mutant]] to {_MUTANTS} with case = {cases[0]!r}"
        else:
            continue
        yield Gap("visibility", message, facts, files.line_of("case", 0), remedy)


def _faults(files: _Files) -> Iterator[Gap]:
    """A fault that students have to name must show in a case that they can see."""
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    for at, fault in enumerate(files.lab.faults):
        if any(files.lab.case(name).visibility is Visibility.VISIBLE for name in fault.cases):
            continue
        message = f"students see no line of the fault {fault.name}: none of its cases is visible"
        remedy = f"set visibility = 'visible' of {fault.cases[0]}"
        yield Gap("fault", message, facts, files.line_of("fault", at, "cases"), remedy)


# --- pages and timings -------------------------------------------------------------------------


def _pages(files: _Files) -> Iterator[Gap]:
    folder, name = files.repository.root / "handouts", files.lab.name
    page = folder / f"{name}.md.j2"
    if not page.is_file():
        yield Gap("handout", "is missing", str(page), None, "write the handout; handouts/README.md says how")
    else:
        text = page.read_text(encoding="utf-8")
        steps = set(map(int, _STEP.findall(text)))
        for todo in sorted(set(_todos(files)) - steps):
            yield Gap(
                "handout", f"has no step for TODO({todo})", str(page), None, f"write `1. **TODO {todo}.** …`"
            )
        known = {bug.name for bug in files.bugs}
        for number, line in enumerate(text.splitlines(), 1):
            asked = {name for choice in _NAMED.findall(line) for name in _QUOTED.findall(choice)}
            for name in sorted(asked - known):
                message = f"asks about the mutant {name}, which {_MUTANTS} does not have"
                yield Gap("handout", message, str(page), number, "name one that it has")
    for language in sorted((folder / "languages").glob("*.toml")):
        translated = folder / f"{name}.{language.stem}.md.j2"
        if language.stem != "en" and not translated.is_file():
            message = f"there is no page in the language {language.stem!r}"
            remedy = "translate the page; handouts/README.md says what stands at its head"
            yield Gap("language", message, str(translated), None, remedy, needed=False)


def _timings(files: _Files) -> Iterator[Gap]:
    performance = files.lab.performance
    if not performance.points:
        return
    facts = str(files.repository.labs / files.lab.name / lab.FILE)
    if not performance.gpu_sizes:
        remedy = "add gpu_sizes to [performance]"
        yield Gap(
            "timing", "no size is timed on a GPU", facts, files.line_of("performance"), remedy, needed=False
        )
    known = set(_measured(files.repository.root / "datasets" / "reference-timings", files.lab.name))
    for size in performance.gpu_sizes:
        if size not in known:
            message = f"no reference timing for {size_name(size)}"
            line = files.line_of("performance", "gpu_sizes")
            yield Gap("timing", message, facts, line, "on a machine with a GPU: make calibrate", needed=False)


def _measured(folder: Path, name: str) -> Iterable[tuple[int, ...]]:
    for file in sorted(folder.glob("*.json")):
        rows = json.loads(file.read_text(encoding="utf-8"))["timings"]
        yield from (tuple(row["size"]) for row in rows if row["lab"] == name)
