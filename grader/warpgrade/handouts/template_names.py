"""The names that a handout may use; handouts/README.md explains them.

Code in a handout is cut from compiled files, numbers come from functions, figures from sizes or from
the emulator. In a student's copy nothing of a solution can be cut: `excerpts` refuses.
"""

from __future__ import annotations

import functools
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core import formatting
from ..core.errors import InstructorError
from ..core.messages import Messages
from ..core.paths import Repository
from ..course import arithmetic, markers
from ..course.markers import View
from ..drawing import figure
from ..gpu import occupancy, spec
from ..gpu.spec import GpuSpec
from ..records import Lab, Occupancy, Visibility
from . import failures, ladder_chart, planted_bugs, recorded_figures, roofline_chart, topics
from .course import Course
from .planted_bugs import PlantedBug
from .questions import QuestionSheet
from .topics import Topic

_MARKER = re.compile(r"\s*(//[<>]|/\*>|<\*/)")
_CODE = {".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".hpp": "cpp", ".toml": "toml"}


@dataclass(frozen=True)
class PageContext:
    """What the making of one page needs. `words`: of the text's language."""

    repository: Repository
    course: Course
    words: Messages
    sheet: QuestionSheet
    lab: Lab | None
    view: View
    topics: tuple[Topic, ...] = field(default=())
    reasons: Mapping[str, str] = field(default_factory=dict)  # of mutants by name, in the text's language


def names(context: PageContext) -> dict[str, Any]:
    """The globals of a page's template."""
    card = spec.load(context.repository, context.course.gpu)
    known: dict[str, Any] = {
        "course": context.course,
        "gpu": card,
        "sheet": context.sheet,
        "staff": context.view is View.STAFF,
        "say": context.words,
        "pick": context.sheet.pick,
        "covers": lambda *topic: topics.tag(context.topics, topic),
        "listing": functools.partial(_listing, context),
        "excerpt": functools.partial(_excerpt, context),
        "card": lambda model: spec.load(context.repository, model),
        "facts": functools.partial(_facts, context.repository),
        "numbers": arithmetic,
        "tile_traffic": arithmetic.tile_traffic,
        "residency": arithmetic.residency,
        "occupancy": _occupancy_of(context.repository, card),
        "limits": lambda capability: occupancy.limits_of(context.repository.gpus, capability),
        "figures": _Figures(context),
        "KB": 1024,
    }
    if context.lab:
        known["lab"] = context.lab
        known["failure"] = functools.partial(_failure, context, context.lab)
        known["points_table"] = functools.partial(points_table, context.lab, context.words)
    return known


def _failure(context: PageContext, item: Lab, name: str) -> failures.Failure:
    seen = failures.named(context.repository, item, name)
    return replace(seen, mutant=_told(context, seen.mutant))


def mistakes(context: PageContext) -> tuple[PlantedBug, ...]:
    """The lab's wrong variants, each with its reason in the text's language."""
    return (
        tuple(_told(context, each) for each in planted_bugs.load(context.repository, context.lab))
        if context.lab
        else ()
    )


def _told(context: PageContext, mutant: PlantedBug) -> PlantedBug:
    return replace(mutant, reason=context.reasons.get(mutant.name, mutant.reason))


class _Figures:
    """Every drawing there is, with the page's language already told."""

    def __init__(self, context: PageContext) -> None:
        for drawing in (figure.tile_phases, figure.block_cover, figure.register_tile, figure.banks):
            setattr(self, drawing.__name__, functools.partial(drawing, context.words))
        for recorded in (recorded_figures.elements, recorded_figures.bank_use, recorded_figures.timeline):
            setattr(self, recorded.__name__, functools.partial(recorded, context.words, context.repository))
        for chart in (roofline_chart.roofline, roofline_chart.ladder, ladder_chart.rungs):
            setattr(self, chart.__name__, functools.partial(chart, context.words, context.repository))


# --- code --------------------------------------------------------------------------------------


def _excerpt(context: PageContext, tag: str, file: str = "") -> str:
    """excerpt("tag") cuts the lab's kernel; excerpt("tag", "labs/common/x.cuh") any other file."""
    if not file:
        if context.lab is None:
            raise ValueError("a page that is no lab's names the file of an excerpt")
        file = f"solutions/{context.lab.name}/{context.lab.files[0]}"
    return fenced(file, markers.excerpt(_read(context.repository, file), file, tag, View.STUDENT))


def _listing(context: PageContext, file: str) -> str:
    return fenced(file, markers.cut(_read(context.repository, file), file, View.STUDENT))


def solution(context: PageContext) -> str:
    """The whole solution without markers; for staff only."""
    assert context.lab is not None and context.view is View.STAFF
    file = f"solutions/{context.lab.name}/{context.lab.files[0]}"
    return fenced(file, markers.cut(_read(context.repository, file), file, View.STAFF))


@dataclass(frozen=True)
class Bug:
    """A wrong variant as a listing, the lines that are wrong, and the right ones."""

    mutant: PlantedBug
    code: str
    right: str


def bugs(context: PageContext, many: int) -> tuple[Bug, ...]:
    """So many wrong variants of the lab's solution, chosen by the sheet's seed; for staff only."""
    assert context.lab is not None and context.view is View.STAFF
    left = list(mistakes(context))
    found = []
    for number in range(min(many, len(left))):
        first = number * len(left) // many  # unlike mistakes stand apart in the file
        mutant = context.sheet.pick(f"bug|{number}", left[first:] + left[:first])
        left.remove(mutant)
        found.append(_bug(context, mutant))
    return tuple(found)


def _bug(context: PageContext, mutant: PlantedBug) -> Bug:
    assert context.lab is not None
    file = f"solutions/{context.lab.name}/{context.lab.files[0]}"
    marked = _read(context.repository, file)
    wrong = markers.cut(planted_bugs.applied(mutant, marked, file), file, View.STAFF)
    code = wrong[wrong.index("#include") :]
    right = [line for line in mutant.find.splitlines() if line.strip() and not _MARKER.match(line)]
    return Bug(mutant, fenced(file, code), fenced(file, textwrap.dedent("\n".join(right)) + "\n"))


def fenced(name: str, code: str) -> str:
    return f"```{_CODE.get(Path(name).suffix, 'text')}\n{code}```\n"


def _read(repository: Repository, name: str) -> str:
    path = (repository.root / name).resolve()
    if not path.is_relative_to(repository.root.resolve()) or not path.is_file():
        raise InstructorError(
            "is not a file of the course", file=name, remedy="an excerpt's file is named from the root"
        )
    return path.read_text(encoding="utf-8")


# --- numbers -----------------------------------------------------------------------------------


def _occupancy_of(repository: Repository, card: GpuSpec) -> Callable[..., Occupancy]:
    def of(threads: int, registers: int, shared_bytes: int, capability: str = "") -> Occupancy:
        capability = capability or card.compute_capability
        limits = occupancy.limits_of(repository.gpus, capability)
        return occupancy.theoretical(limits, capability, threads, registers, shared_bytes)

    return of


def _facts(repository: Repository, model: str) -> dict[str, Any]:
    """Everything in grader/gpus/<model>.toml, also what the model of time does not use."""
    spec.load(repository, model)
    return tomllib.loads((repository.gpus / f"{model}.toml").read_text(encoding="utf-8"))


# --- points ------------------------------------------------------------------------------------


def points_table(lab: Lab, words: Messages) -> str:
    """What a lab's points are given for, as a Markdown table; hidden cases as one line."""
    rows = list(_point_rows(lab, words))
    body = "".join(f"| {name} | {formatting.points(value)} | {why} |\n" for name, value, why in rows)
    total = formatting.points(lab.possible_points)
    head = f"| {words('points.for')} | {words('points.points')} | |\n|---|--:|---|\n"
    return f"{head}{body}| **{words('points.together')}** | **{total}** | |\n"


def _point_rows(lab: Lab, words: Messages) -> Iterable[tuple[str, float, str]]:
    yield words("points.build"), lab.build_points, words("points.build-how")
    for case in lab.cases:
        if case.visibility is not Visibility.HIDDEN:
            how = words(f"points.{case.values}")
            if case.visibility is not Visibility.VISIBLE:
                how += "; " + words("points.name-only")
            yield words("points.case", name=case.name), case.points, how
    hidden = [case.points for case in lab.cases if case.visibility is Visibility.HIDDEN]
    if hidden:
        name = words("points.hidden-one") if len(hidden) == 1 else words("points.hidden", count=len(hidden))
        yield name, sum(hidden), words("points.hidden-how")
    for each in lab.techniques:
        yield words("points.technique", name=each.name), each.points, words(f"points.{each.evidence}")
    if lab.performance.points:
        how = words("points.performance-how", share=f"{100 * lab.performance.full:.0f}")
        yield words("points.performance"), lab.performance.points, how
