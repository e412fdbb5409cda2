"""Gaps around a lab: a stale skeleton, its place in the syllabus, its handout, reference timings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...core import messages
from ...core.paths import typed
from ...course import lab
from ...handouts import translation
from ...records import Visibility
from ...run.timed_launch import size_name
from ...solution import skeletons
from .gap import MUTANTS, Gap, LabFiles
from .hints import todos

_STEP = re.compile(r"\*\*TODO (\d+)\.")
_NAMED = re.compile(r"\bmutant=\(([^()]*)\)")  # the choice of a question
_QUOTED = re.compile(r'"([^"]*)"')


def skeleton(files: LabFiles) -> Iterator[Gap]:
    for item in skeletons.all_of(files.repository.root):
        if item.lab == files.lab.name and not item.fresh:
            yield Gap(
                "skeleton", "is not cut from today's solution", str(item.path), None, typed("skeletons")
            )


def syllabus(files: LabFiles) -> Iterator[Gap]:
    """The lab needs a row in the syllabus, and each lab that it builds on must come before it."""
    own = files.lab.syllabus
    if not own.week:
        remedy = "add a row, as in syllabus = { week = 3, hours = 4, needs = [] }"
        yield Gap("syllabus", "has no place in the syllabus", files.lab_toml, None, remedy, needed=False)
    line = files.line_of("syllabus")
    there = files.repository.lab_names()
    for name in own.needs:
        if name not in there:
            yield Gap(
                "syllabus", f"needs {name!r}, which is no lab", files.lab_toml, line, "name a folder in labs/"
            )
            continue
        week = lab.load(files.repository.labs / name).syllabus.week
        if week > own.week:
            message = f"needs {name!r}, which comes in week {week}, after week {own.week}"
            yield Gap("syllabus", message, files.lab_toml, line, "move one of the two")


def pages(files: LabFiles) -> Iterator[Gap]:
    folder, name = files.repository.root / "handouts", files.lab.name
    page = folder / f"{name}.md.j2"
    if not page.is_file():
        yield Gap("handout", "is missing", str(page), None, "write the handout; handouts/README.md says how")
    else:
        text = page.read_text(encoding="utf-8")
        steps = set(map(int, _STEP.findall(text)))
        for todo in sorted(set(todos(files)) - steps):
            yield Gap(
                "handout", f"has no step for TODO({todo})", str(page), None, f"write `1. **TODO {todo}.** …`"
            )
        for number, line in enumerate(text.splitlines(), 1):
            asked = {mutant for choice in _NAMED.findall(line) for mutant in _QUOTED.findall(choice)}
            for mutant in sorted(asked):
                if why := _unasked(mutant, files):
                    message = f"asks about the mutant {mutant}, {why}"
                    yield Gap("handout", message, str(page), number, "name one whose case students see")
    for language in sorted((folder / "languages").glob("*.toml")):
        if language.stem != messages.BASE:
            yield from _translation(files, language.stem)


def _translation(files: LabFiles, code: str) -> Iterator[Gap]:
    """What the page in that language lacks. Its staff edition would show it in English."""
    root, name = files.repository.root, files.lab.name
    page = root / "handouts" / f"{name}.{code}.md.j2"
    remedy = "translate the page; handouts/README.md says what stands at its head"
    if not page.is_file():
        message = f"there is no page in the language {code!r}"
        yield Gap("language", message, str(page), None, remedy, needed=False)
        return
    known = translation.load(root, name, code).mistakes
    if missing := [bug.name for bug in files.bugs if bug.name not in known]:
        message = f"[mistakes] lacks {len(missing)} of {len(files.bugs)} mutants: {', '.join(missing)}"
        yield Gap("language", message, str(page), None, remedy, needed=False)


def _unasked(name: str, files: LabFiles) -> str:
    """Why no question can show how this mutant fails; "" if one can."""
    bug = next((bug for bug in files.bugs if bug.name == name), None)
    if bug is None:
        return f"which {MUTANTS} does not have"
    case = next((case for case in files.lab.cases if case.name == bug.case), None)
    if case is None:
        return "which fails no case"
    return f"whose case {case.name} is hidden" if case.visibility is Visibility.HIDDEN else ""


def timings(files: LabFiles) -> Iterator[Gap]:
    performance = files.lab.performance
    if not performance.points:
        return
    if not performance.gpu_sizes:
        remedy = "add gpu_sizes to [performance]"
        yield Gap(
            "timing",
            "no size is timed on a GPU",
            files.lab_toml,
            files.line_of("performance"),
            remedy,
            needed=False,
        )
    known = set(_measured(files.repository.root / "datasets" / "reference-timings", files.lab.name))
    for size in performance.gpu_sizes:
        if size not in known:
            message = f"no reference timing for {size_name(size)}"
            line = files.line_of("performance", "gpu_sizes")
            yield Gap(
                "timing",
                message,
                files.lab_toml,
                line,
                "on a machine with a GPU: make calibrate",
                needed=False,
            )


def _measured(folder: Path, name: str) -> Iterable[tuple[int, ...]]:
    for file in sorted(folder.glob("*.json")):
        rows = json.loads(file.read_text(encoding="utf-8"))["timings"]
        yield from (tuple(row["size"]) for row in rows if row["lab"] == name)
