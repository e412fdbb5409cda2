"""The names that a handout's template may use; handouts/README.md explains them.

Code in a handout is cut from compiled files. Functions compute its numbers. Figures are drawn from sizes or
from what the emulator records. `markers.excerpt` refuses to cut a solution's own lines for students.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..answers import questions, stages
from ..core import toml
from ..core.errors import InstructorError
from ..core.messages import Messages
from ..core.paths import Repository
from ..course import arithmetic
from ..drawing import figure
from ..drawing.additions import additions
from ..drawing.pipeline import pipeline
from ..gpu import occupancy, spec
from ..gpu.spec import GpuSpec
from ..records import Case, Lab, LabKind, Occupancy, Verdict, Visibility
from ..solution import markers, planted_bugs, skeletons
from ..solution.markers import View
from ..solution.planted_bugs import PlantedBug
from . import best_possible, excerpts, failures, profiled_example, topics
from .course import Course
from .figures import ladder_chart, recorded_figures, recorded_players, roofline_chart
from .questions import QuestionSheet
from .topics import Topic

_EXAMPLE = "example"  # the student whose sheet the staff edition shows
_MARKER = re.compile(r"\s*(//[<>]|/\*>|<\*/)")
_CONTINUED = re.compile(r" +\\$", re.MULTILINE)
_CODE = {".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".hpp": "cpp", ".toml": "toml"}


@dataclass(frozen=True)
class PageContext:
    """The data that one page is made from. `words`: messages in the text's language."""

    repository: Repository
    course: Course
    words: Messages
    sheet: QuestionSheet
    lab: Lab | None
    view: View
    topics: tuple[Topic, ...] = field(default=())
    reasons: Mapping[str, str] = field(default_factory=dict)  # translated, of mutants by name
    players: dict[str, str] = field(default_factory=dict)  # pages beside this one, by their files' names


def names(context: PageContext) -> dict[str, Any]:
    """The globals of a page's template."""
    gpu = spec.load(context.repository, context.course.gpu)
    known: dict[str, Any] = {
        "course": context.course,
        "gpu": gpu,
        "sheet": context.sheet,
        "staff": context.view is View.STAFF,
        "t": context.words,
        "pick": context.sheet.pick,
        "covers": lambda *topic: topics.tag(context.topics, topic),
        "listing": functools.partial(_listing, context),
        "excerpt": functools.partial(_excerpt, context),
        "gpu_model": lambda model: spec.load(context.repository, model),
        "facts": functools.partial(_facts, context.repository),
        "numbers": arithmetic,
        "tile_traffic": arithmetic.tile_traffic,
        "residency": arithmetic.residency,
        "occupancy": _occupancy_of(context.repository, gpu),
        "limits": lambda capability: occupancy.limits_of(context.repository.gpus, capability),
        "figures": _Figures(context),
        "KB": 1024,
    }
    if context.lab:
        known["lab"] = context.lab
        known["player"] = functools.partial(_player, context, context.lab)
        known["failure"] = functools.partial(_failure, context, context.lab)
        known["profiled"] = functools.partial(profiled_example.named, context.repository, context.lab)
        known["points_table"] = functools.partial(_points, context, context.lab, gpu)
    return known


def _player(context: PageContext, item: Lab, *, case: str, id: str) -> Markup:
    """The first phase of the lab's solution, whose own lines a student does not see."""
    file = f"solutions/{item.name}/{item.files[0]}"
    marked = _read(context.repository, file)
    source = markers.cut(marked, file, View.STAFF)
    mask = markers.masked(marked, file) if context.view is View.STUDENT else ""
    made = recorded_players.of_phase(context.words, context.repository, item, source, case, id, mask)
    context.players[made.name] = made.page
    return made.figure


def _failure(context: PageContext, item: Lab, name: str) -> failures.Failure:
    seen = failures.named(context.repository, item, name)
    return replace(seen, mutant=_translated(context, seen.mutant))


def mistakes(context: PageContext) -> tuple[PlantedBug, ...]:
    """The lab's wrong variants, each with its reason in the text's language."""
    if context.lab is None or context.lab.kind is LabKind.ANSWERS:
        return ()
    found = planted_bugs.load(context.repository, context.lab.name)
    return tuple(_translated(context, each) for each in found)


@dataclass(frozen=True)
class NearMissRow:
    """A wrong answer with a feedback of its own, which is in English as the whole report."""

    question: str
    name: str
    feedback: str
    points: float


def near_misses(context: PageContext) -> tuple[NearMissRow, ...]:
    """The near misses of a lab of questions. For staff only."""
    assert context.lab is not None and context.view is View.STAFF
    if context.lab.kind is not LabKind.ANSWERS:
        return ()
    drawn = stages.drawn(questions.of_lab(context.repository, context.lab.name), context.lab, _EXAMPLE)
    return tuple(
        NearMissRow(question.name, miss.name, miss.feedback, round(question.points * miss.share, 2))
        for question in drawn
        for miss in question.near_misses
    )


def _translated(context: PageContext, mutant: PlantedBug) -> PlantedBug:
    return replace(mutant, reason=context.reasons.get(mutant.name, mutant.reason))


class _Figures:
    """The drawing functions, each with the page's messages as its first argument."""

    def __init__(self, context: PageContext) -> None:
        drawings = (
            figure.tile_phases,
            figure.block_cover,
            figure.register_tile,
            figure.banks,
            additions,
            pipeline,
        )
        for drawing in drawings:
            setattr(self, drawing.__name__, functools.partial(drawing, context.words))
        for recorded in (recorded_figures.elements, recorded_figures.bank_use, recorded_figures.timeline):
            setattr(self, recorded.__name__, functools.partial(recorded, context.words, context.repository))
        charts = (
            roofline_chart.roofline,
            roofline_chart.reached,
            roofline_chart.ladder,
            ladder_chart.implementations,
        )
        for chart in charts:
            setattr(self, chart.__name__, functools.partial(chart, context.words, context.repository))


# --- code --------------------------------------------------------------------------------------


def _excerpt(context: PageContext, tag: str, file: str = "") -> str:
    """excerpt("tag") cuts the lab's kernel; excerpt("tag", "labs/common/x.cuh") any other file."""
    if not file:
        if context.lab is None:
            raise ValueError("an excerpt needs a file on a page that belongs to no lab")
        file = f"solutions/{context.lab.name}/{context.lab.files[0]}"
    return fenced(file, markers.excerpt(_read(context.repository, file), file, tag, View.STUDENT))


def _listing(context: PageContext, file: str) -> str:
    return fenced(file, markers.cut(_read(context.repository, file), file, View.STUDENT))


def solution(context: PageContext) -> str:
    """The whole solution without markers, each file under its name if there are several. For staff only."""
    assert context.lab is not None and context.view is View.STAFF
    lab, folder = context.lab, f"solutions/{context.lab.name}"
    if lab.kind is LabKind.ANSWERS:
        return fenced(f"{folder}/{lab.files[0]}", stages.key_sheet(context.repository, lab, _EXAMPLE))
    names = [name for name in lab.files if (context.repository.solution(lab.name) / name).is_file()]
    files = {name: f"{folder}/{name}" for name in names}
    listings = {
        name: fenced(file, markers.cut(_read(context.repository, file), file, View.STAFF))
        for name, file in files.items()
    }
    if len(listings) == 1:
        return listings[names[0]]
    return "\n".join(f"**`{name}`**\n\n{listing}" for name, listing in listings.items())


@dataclass(frozen=True)
class FaultRow:
    """The key to a planted fault: a line of the file as students get it."""

    name: str
    place: str
    code: str
    verdict: str


def faults(context: PageContext) -> tuple[FaultRow, ...]:
    """The key to the lab's planted faults; the solution's listings show them repaired. For staff only."""
    assert context.lab is not None and context.view is View.STAFF
    lab, rows = context.lab, []
    for fault in lab.faults:
        answers, file = (f"solutions/{lab.name}/{name}" for name in (fault.answers, fault.file))
        _, key = toml.parsed(_read(context.repository, answers).encode())
        line, verdict = key[fault.name]["line"], key[fault.name]["verdict"]
        given = skeletons.student_text(_read(context.repository, file), file, lab.name).splitlines()
        rows.append(FaultRow(fault.name, f"{fault.file}:{line}", given[line - 1].strip(), verdict))
    return tuple(rows)


@dataclass(frozen=True)
class Bug:
    """A wrong variant: `code` lists the definitions that the mistake is in, `right` the solution's lines that
    it replaces, `player` shows its race, if that is the mistake.
    """

    mutant: PlantedBug
    code: str
    right: str
    player: Markup


def bugs(context: PageContext, count: int) -> tuple[Bug, ...]:
    """`count` wrong variants of the lab's solution, chosen by the sheet's seed. For staff only."""
    assert context.lab is not None and context.view is View.STAFF
    if context.lab.kind is LabKind.ANSWERS:
        return ()
    left = list(mistakes(context))
    found = []
    for number in range(min(count, len(left))):
        first = number * len(left) // count  # neighbours in mutants.toml are similar: start far apart
        mutant = context.sheet.pick(f"bug|{number}", left[first:] + left[:first])
        left.remove(mutant)
        found.append(_bug(context, mutant))
    return tuple(found)


def _bug(context: PageContext, mutant: PlantedBug) -> Bug:
    assert context.lab is not None
    file = f"solutions/{context.lab.name}/{context.lab.files[0]}"
    marked = _read(context.repository, file)
    wrong = markers.cut(planted_bugs.applied(mutant, marked, file), file, View.STAFF)
    code = excerpts.changed(wrong, markers.cut(marked, file, View.STAFF))
    right = [line for line in mutant.find.splitlines() if line.strip() and not _MARKER.match(line)]
    return Bug(
        mutant,
        fenced(file, code),
        fenced(file, textwrap.dedent("\n".join(right)) + "\n"),
        _race(context, context.lab, mutant, wrong),
    )


def _race(context: PageContext, item: Lab, mutant: PlantedBug, wrong: str) -> Markup:
    if mutant.verdict != Verdict.RACE or item.kind not in (LabKind.KERNELS, LabKind.DEBUG):
        return Markup("")
    id = f"race-{mutant.name}"
    made = recorded_players.of_race(context.words, context.repository, item, wrong, mutant.case, id)
    if made is None:
        return Markup("")
    context.players[made.name] = made.page
    return made.figure


def fenced(name: str, code: str) -> str:
    """A block of code. Where a macro goes on in the next line, its `\\` stands right behind the code: aligned
    at the formatter's width it would not fit on paper.
    """
    code = _CONTINUED.sub(r" \\", code)
    return f"```{_CODE.get(Path(name).suffix, 'text')}\n{code}```\n"


def _read(repository: Repository, name: str) -> str:
    path = (repository.root / name).resolve()
    if not path.is_relative_to(repository.root.resolve()) or not path.is_file():
        raise InstructorError(
            "is not a file of the course", file=name, remedy="write the path from the repository's root"
        )
    return path.read_text(encoding="utf-8")


# --- numbers -----------------------------------------------------------------------------------


def _occupancy_of(repository: Repository, gpu: GpuSpec) -> Callable[..., Occupancy]:
    def of(threads: int, registers: int, shared_bytes: int, capability: str = "") -> Occupancy:
        capability = capability or gpu.compute_capability
        limits = occupancy.limits_of(repository.gpus, capability)
        return occupancy.theoretical(limits, capability, threads, registers, shared_bytes)

    return of


def _facts(repository: Repository, model: str) -> dict[str, Any]:
    """All keys of grader/gpus/<model>.toml, also those that GpuSpec leaves out."""
    spec.load(repository, model)
    _, facts = toml.parsed((repository.gpus / f"{model}.toml").read_bytes())
    return facts


# --- points ------------------------------------------------------------------------------------


def points(words: Messages, value: float) -> str:
    """12.5 → "12.5" in English, "12,5" in German."""
    return words.number(value, digits=2)


def _points(context: PageContext, lab: Lab, gpu: GpuSpec) -> str:
    """The table of points, and how fast the lab's kernels can be at best."""
    table = points_table(lab, context.words)
    if lab.kind is LabKind.ANSWERS:
        return table
    times = roofline_chart.measured(context.repository, gpu)
    return f"{table}\n{best_possible.sentences(lab, context.words, gpu, times)}\n"


def points_table(lab: Lab, words: Messages) -> str:
    """A Markdown table of what a lab gives points for. Hidden cases share one row."""
    rows = list(_point_rows(lab, words))
    body = "".join(f"| {name} | {points(words, value)} | {why} |\n" for name, value, why in rows)
    total = points(words, lab.possible_points)
    head = f"| {words('points.for')} | {words('points.points')} | |\n|---|--:|---|\n"
    head = f"Table: {words('points.caption')}\n\n{head}"
    return f"{head}{body}| **{words('points.together')}** | **{total}** | |\n"


def _how(words: Messages, case: Case) -> str:
    """How the results of a case are compared, where its values have words for that, and what students see."""
    keys = [f"points.{case.values}"] if f"points.{case.values}" in words.strings else []
    if case.visibility is not Visibility.VISIBLE:
        keys.append("points.name-only")
    return "; ".join(map(words, keys))


def _shown_cases(lab: Lab, words: Messages) -> Iterable[tuple[str, float, str]]:
    """Cases that give as many points for the same share a row."""
    alike: dict[tuple[float, str], list[str]] = {}
    for case in lab.cases:
        if case.visibility is not Visibility.HIDDEN:
            alike.setdefault((case.points, _how(words, case)), []).append(f"`{case.name}`")
    for (value, how), names in alike.items():
        if len(names) == 1:
            yield words("points.case", names=names[0]), value, how
            continue
        each = words("points.each", points=points(words, value))
        together = "; ".join(filter(None, (each, how)))
        yield words("points.cases", names=", ".join(names)), value * len(names), together


def _point_rows(lab: Lab, words: Messages) -> Iterable[tuple[str, float, str]]:
    if lab.kind is LabKind.ANSWERS:
        for case in lab.cases:
            yield words("points.question", name=case.name), case.points, words("points.question-how")
        return
    yield words("points.build"), lab.build_points, words("points.build-how")
    yield from _shown_cases(lab, words)
    hidden = [case.points for case in lab.cases if case.visibility is Visibility.HIDDEN]
    if hidden:
        name = words("points.hidden-one") if len(hidden) == 1 else words("points.hidden", count=len(hidden))
        yield name, sum(hidden), words("points.hidden-how")
    for each in lab.techniques:
        yield words("points.technique", name=each.name), each.points, each.goal
    for fault in lab.faults:
        yield (
            words("points.fault-named", name=fault.name),
            fault.named,
            words("points.fault-named-how", file=fault.answers),
        )
        if fault.repaired:
            how = words("points.fault-repaired-how", file=fault.file)
            yield words("points.fault-repaired", name=fault.name), fault.repaired, how
    if lab.performance.points:
        how = words("points.performance-how", share=f"{100 * lab.performance.full:.0f}")
        yield words("points.performance"), lab.performance.points, how
