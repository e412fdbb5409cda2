"""A kernel's resources and counters compared with the reference solution's, and the cost of each line."""

import enum
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..core import formatting
from ..course import work
from ..gpu.occupancy import theoretical
from ..gpu.spec import GpuSpec
from ..records import (
    PROGRAM_FACTS,
    CounterSite,
    Lab,
    Launch,
    Occupancy,
    Resources,
    Result,
    Size,
    Submission,
    Visibility,
)
from .disclosure import TIMED


class Whose(enum.StrEnum):
    """Whose kernel a number belongs to. The values are the words that pages show."""

    YOURS = "yours"
    REFERENCE = "reference"


@dataclass(frozen=True)
class Comparison:
    """A number and the reference solution's."""

    name: str
    meaning: str
    student: str
    reference: str
    ratio: float | None

    @property
    def bar(self) -> float:
        """Length of the bar in percent: the reference stands at 50, ten times as much at 100."""
        if self.ratio is None or self.ratio <= 0:
            return 0.0
        return max(2.0, min(100.0, 50 + 50 * math.log10(self.ratio)))


@dataclass(frozen=True)
class Note:
    """A note at a line of source. `tone`: bad where the line costs more than it needs."""

    text: str
    tone: str


@dataclass(frozen=True)
class LineCost:
    """What one line's memory accesses cost in one launch."""

    line: int
    source: str
    kind: str
    executions: int
    cost: str


_EXPENSIVE = 1.25  # a line is marked if its cost exceeds the ideal cost by this factor

_RESOURCES = (
    ("registers", "of each thread", "registers"),
    ("shared memory", "bytes of each block", "shared_bytes"),
    ("stack", "bytes of each thread in local memory", "stack_bytes"),
    ("spilled stores", "bytes that did not fit into registers", "spill_stores"),
    ("spilled loads", "bytes fetched back", "spill_loads"),
)
_ALWAYS = ("registers", "shared_bytes")  # shown also where they are 0


def resources(result: Result) -> Iterator[Comparison]:
    own = result.build.resources if result.build else None
    reference = result.run.reference if result.run else None
    if own is None:
        return
    for name, meaning, attribute in _RESOURCES:
        mine, theirs = _amount(own, attribute), _amount(reference, attribute)
        if mine or theirs or attribute in _ALWAYS:
            yield _comparison(name, meaning, mine or 0, theirs)
    for kernel, each in (result.build.other_resources if result.build else {}).items():
        for name, meaning, attribute in _RESOURCES:
            mine = _amount(each, attribute)
            if mine or attribute in _ALWAYS:
                yield _comparison(f"{name} of {kernel}", meaning, mine or 0, None)


def _amount(resources: Resources | None, attribute: str) -> int | None:
    return None if resources is None else int(getattr(resources, attribute))


def occupancies(result: Result, gpu: GpuSpec | None) -> Iterator[tuple[Whose | str, Occupancy]]:
    """Occupancy of the lab's first kernel and the reference solution's, then of further kernels, by name."""
    if result.judgement and result.judgement.occupancy:
        yield Whose.YOURS, result.judgement.occupancy
        if result.judgement.reference_occupancy:
            yield Whose.REFERENCE, result.judgement.reference_occupancy
    for kernel, each in (result.build.other_resources if result.build else {}).items():
        shape = result.run.shape_of(kernel) if result.run else None
        if gpu is not None and shape is not None and shape.threads_per_block > 0 and each.registers > 0:
            shared = each.shared_bytes + shape.shared
            yield (
                kernel,
                theoretical(
                    gpu.limits, gpu.compute_capability, shape.threads_per_block, each.registers, shared
                ),
            )


def compared_launches(lab: Lab, result: Result) -> tuple[Launch | None, Launch | None]:
    """The student's launch of the largest timed size, and the reference's.

    A kernel that is not right is not timed: then its launch of the largest visible case, without a
    reference.
    """
    launches = result.run.launches if result.run else ()
    by_label = {launch.label: launch for launch in reversed(launches)}  # the first with each label
    mine = [
        launch for launch in launches if launch.label.startswith(TIMED) and launch.label.endswith("/student")
    ]
    if not mine:
        visible = [
            case for case in lab.cases if case.visibility is Visibility.VISIBLE and case.name in by_label
        ]
        largest_case = max(visible, key=lambda case: work.of(lab, case.size).counted, default=None)
        return (by_label[largest_case.name] if largest_case else None), None
    largest = max(mine, key=lambda launch: work.of(lab, _size(launch.label)).counted)
    return largest, by_label.get(largest.label.removesuffix("/student") + "/reference")


def _size(label: str) -> Size:
    """(256, 128) of the label time/256x128/student."""
    return tuple(map(int, label.split("/")[1].split("x")))


def counters(
    student: Launch | None,
    reference: Launch | None,
    meanings: dict[str, str],
    shown: Callable[[float], str] = formatting.count,
) -> Iterator[Comparison]:
    if student is None:
        return
    meanings = PROGRAM_FACTS | meanings
    known = [name for name in meanings if name in student.counters]
    for name in known + sorted(set(student.counters) - set(meanings)):
        mine = student.counters[name]
        theirs = reference.counters.get(name) if reference else None
        if mine or theirs:
            yield _comparison(name, meanings.get(name, ""), mine, theirs, shown)


def _comparison(
    name: str, meaning: str, mine: int, theirs: int | None, shown: Callable[[float], str] = formatting.count
) -> Comparison:
    return Comparison(
        name=name,
        meaning=meaning,
        student=shown(mine),
        reference="–" if theirs is None else shown(theirs),
        ratio=mine / theirs if theirs else None,
    )


def costs(launch: Launch, submission: Submission | None) -> Iterator[LineCost]:
    """Lines by the cost of their accesses, the most expensive first."""
    for site in sorted(launch.sites, key=_paid, reverse=True)[:8]:
        paid, ideal, unit = _paid(site), _ideal(site), "sectors" if site.sectors else "wavefronts"
        if not site.executions or not paid:
            continue
        cost = f"{paid / site.executions:.1f} {unit} a request, {ideal / site.executions:.1f} would suffice"
        yield LineCost(site.line, _line_of(submission, site), site.kind, site.executions, cost)


def notes_by_line(launch: Launch | None, file: str) -> dict[int, tuple[Note, ...]]:
    """Line of `file` → notes: what its loads and stores cost, and the least that would suffice."""
    found: dict[int, list[Note]] = {}
    for site in launch.sites if launch else ():
        if formatting.base_name(site.file) == file and site.executions and _paid(site):
            unit = "sectors" if site.sectors else "wavefronts"
            paid, ideal = _paid(site) / site.executions, _ideal(site) / site.executions
            expensive = _ideal(site) > 0 and paid > _EXPENSIVE * ideal
            words = f"{site.kind}: {paid:.1f} {unit}" + (f", {ideal:.1f} would suffice" if expensive else "")
            found.setdefault(site.line, []).append(Note(words, "bad" if expensive else "idle"))
    return {line: tuple(dict.fromkeys(notes)) for line, notes in found.items()}


def _paid(site: CounterSite) -> int:
    return site.sectors or site.wavefronts


def _ideal(site: CounterSite) -> int:
    return site.ideal_sectors if site.sectors else site.ideal_wavefronts


def _line_of(submission: Submission | None, site: CounterSite) -> str:
    text = submission.source(formatting.base_name(site.file)) if submission else None
    lines = text.split("\n") if text else []
    return lines[site.line - 1].strip() if 0 < site.line <= len(lines) else ""
