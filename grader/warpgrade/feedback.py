"""One student's one lab, put in the order in which a person reads it.

Turns records into what the page shows; all wording is done here or in `wording`, so that the
template holds no logic but loops.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from . import disclosure, maps, wording
from .disclosure import TIMED, HiddenCases, ShownCase
from .records import (
    BuildStatus,
    CounterSite,
    Diagnostic,
    Finding,
    Lab,
    Launch,
    Occupancy,
    Part,
    Place,
    Resources,
    Result,
    SizeTime,
    Standing,
    Submission,
    Verdict,
)

CONTEXT = 3  # lines of source shown above and below
MAPS_OPEN = 1  # wrong-element maps that are not folded


@dataclass(frozen=True)
class CodeLine:
    number: int
    text: str
    marked: bool


@dataclass(frozen=True)
class Side:
    """One side of a finding with its surroundings."""

    heading: str
    place: str
    lines: tuple[CodeLine, ...]
    inlined_at: str


@dataclass(frozen=True)
class FindingCard:
    """Findings with the same code at the same lines, told once."""

    code: str
    kind: str
    severity: str
    message: str
    where_seen: str
    sides: tuple[Side, ...]
    memory: str
    strip: Markup | None
    standing: tuple[Standing, ...]
    help: str


@dataclass(frozen=True)
class WrongCard:
    """The wrong elements of one visible case."""

    case: str
    explanation: str
    facts: tuple[tuple[str, str], ...]
    picture: maps.Picture | None
    folded: bool


@dataclass(frozen=True)
class Chip:
    """One case in the verdict strip."""

    name: str
    sign: wording.Sign
    earned: float
    possible: float
    note: str


@dataclass(frozen=True)
class Comparison:
    """A number beside the reference solution's."""

    name: str
    meaning: str
    student: str
    reference: str
    ratio: float | None

    @property
    def bar(self) -> float:
        """Bar length in percent: the reference stands at 50, ten times as much at 100."""
        if self.ratio is None or self.ratio <= 0:
            return 0.0
        return max(2.0, min(100.0, 50 + 50 * math.log10(self.ratio)))


@dataclass(frozen=True)
class LineCost:
    """What one line's memory accesses cost in one launch."""

    line: int
    source: str
    kind: str
    executions: int
    cost: str
    excess: float


@dataclass(frozen=True)
class LabFeedback:
    lab: Lab
    result: Result
    next_step: str
    chips: tuple[Chip, ...]
    hidden: HiddenCases
    parts: tuple[Part, ...]
    compiler: tuple[tuple[Diagnostic, tuple[CodeLine, ...]], ...]
    findings: tuple[FindingCard, ...]
    wrong: tuple[WrongCard, ...]
    resources: tuple[Comparison, ...]
    occupancy: tuple[tuple[str, Occupancy], ...]
    counters: tuple[Comparison, ...]
    counted_on: str
    costs: tuple[LineCost, ...]
    times: tuple[SizeTime, ...]
    source: tuple[CodeLine, ...]

    @property
    def total(self) -> float | None:
        return self.result.score.total if self.result.score else None

    @property
    def possible(self) -> float:
        return self.result.score.possible if self.result.score else 100.0


def lab_feedback(lab: Lab, result: Result, meanings: dict[str, str]) -> LabFeedback:
    """Everything a student may see of one lab. `meanings` explains counters by name."""
    cases = disclosure.shown_cases(lab, result)
    findings = _finding_cards(lab, result)
    student, reference = _timed_launches(result)
    return LabFeedback(
        lab=lab,
        result=result,
        next_step=_next_step(lab, result, cases, findings),
        chips=tuple(_chip(case) for case in cases),
        hidden=disclosure.hidden_cases(lab, result),
        parts=tuple(_parts(lab, result)),
        compiler=tuple(_compiler(result)),
        findings=findings,
        wrong=tuple(_wrong_cards(lab, result, cases)),
        resources=tuple(_resources(result)),
        occupancy=tuple(_occupancy(result)),
        counters=tuple(_counters(student, reference, meanings)),
        counted_on=_label_words(student.label) if student else "",
        costs=tuple(_costs(student, result.submission)) if student else (),
        times=result.judgement.performance.sizes if result.judgement and result.judgement.performance else (),
        source=_marked_source(result, disclosure.shown_findings(lab, result)),
    )


# --- what to do next ---------------------------------------------------------------------------


def _next_step(
    lab: Lab, result: Result, cases: tuple[ShownCase, ...], findings: tuple[FindingCard, ...]
) -> str:
    """The one thing to do first; the order is that in which faults hide one another."""
    if result.problem:
        return f"{result.problem.message}. {result.problem.remedy}".strip()
    if result.score is None or result.score.total is None:
        return "Nothing for you to do: the grader failed here, and your staff will grade this lab again."
    if result.build and result.build.status is BuildStatus.BUILD_FAILED:
        return _first_error(result)
    bad = [case for case in cases if case.verdict not in (Verdict.PASS, Verdict.SKIPPED)]
    if findings and bad:
        card = findings[0]
        place = card.sides[0].place or "the place shown below"
        return f"Begin with {card.code} at {place}: {card.help or card.message}"
    if bad:
        seen = next((case for case in bad if case.sentence), bad[0])
        return f"Look at the case {seen.name} first. {seen.sentence}".strip()
    return _beyond_shown_cases(lab, result)


def _beyond_shown_cases(lab: Lab, result: Result) -> str:
    hidden = disclosure.hidden_cases(lab, result)
    if hidden.passed < hidden.count:
        return (
            "Every case that you can see passes, some hidden one does not. Which sizes allowed in the "
            f"handout ({lab.sizes}) have you not tried?"
        )
    short = [part for part in disclosure.parts_of(result, "technique") if part.earned < part.possible]
    if short:
        return disclosure.redact(lab, short[0].sentence)
    slow = [part for part in disclosure.parts_of(result, "performance") if part.earned < part.possible]
    if slow:
        return f"All results are right. What is left is speed: {disclosure.redact(lab, slow[0].sentence)}"
    return "Full points. Nothing is left to do here."


def _first_error(result: Result) -> str:
    diagnostics = result.build.diagnostics if result.build else ()
    error = next((item for item in diagnostics if item.severity == "error"), None)
    if error is None:
        return result.build.summary if result.build else ""
    place = f"line {error.line} of {wording.base_name(error.file)}" if error.line else "your file"
    return f"It does not compile yet. Put right {place} first: {error.text}."


# --- verdicts and points -----------------------------------------------------------------------


def _chip(case: ShownCase) -> Chip:
    note = case.sentence if case.case else "only the verdict of this case is shown"
    return Chip(case.name, wording.SIGNS[case.verdict], case.earned, case.possible, note)


def _parts(lab: Lab, result: Result) -> Iterator[Part]:
    """Points by step; hidden cases as one line, name-only cases without a sentence."""
    yield from (_redacted(lab, part) for part in disclosure.parts_of(result, "build"))
    cases = disclosure.shown_cases(lab, result)
    if result.score:
        yield from (Part("case", case.name, case.earned, case.possible, case.sentence) for case in cases)
        hidden = disclosure.hidden_cases(lab, result)
        if hidden.count:
            sentence = f"{hidden.passed} of {hidden.count} pass"
            yield Part("case", "hidden cases", hidden.earned, hidden.possible, sentence)
    for kind in ("technique", "performance"):
        yield from (_redacted(lab, part) for part in disclosure.parts_of(result, kind))


def _redacted(lab: Lab, part: Part) -> Part:
    return Part(part.kind, part.name, part.earned, part.possible, disclosure.redact(lab, part.sentence))


# --- source ------------------------------------------------------------------------------------


def _around(submission: Submission | None, file: str, line: int, fallback: str) -> tuple[CodeLine, ...]:
    """The student's lines around one line, or that line alone where the file is not theirs."""
    text = submission.source(wording.base_name(file)) if submission and file else None
    if text is None or not line:
        return (CodeLine(line, fallback, True),) if fallback else ()
    lines = text.split("\n")
    first, last = max(1, line - CONTEXT), min(len(lines), line + CONTEXT)
    return tuple(CodeLine(at, lines[at - 1], at == line) for at in range(first, last + 1))


def _marked_source(result: Result, findings: tuple[Finding, ...]) -> tuple[CodeLine, ...]:
    if result.submission is None or not result.submission.files:
        return ()
    file = result.submission.files[0]
    marked = {
        side.line
        for finding in findings
        for side in (finding.place, finding.other)
        if side and wording.base_name(side.file) == file.name
    }
    marked |= {item.line for item in (result.build.diagnostics if result.build else ()) if item.line}
    lines = file.text.removesuffix("\n").split("\n")
    return tuple(CodeLine(at, text, at in marked) for at, text in enumerate(lines, start=1))


def _compiler(result: Result) -> Iterator[tuple[Diagnostic, tuple[CodeLine, ...]]]:
    for item in result.build.diagnostics if result.build else ():
        yield item, _around(result.submission, item.file, item.line or 0, item.source)


# --- findings ----------------------------------------------------------------------------------


def _finding_cards(lab: Lab, result: Result) -> tuple[FindingCard, ...]:
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in disclosure.shown_findings(lab, result):
        groups.setdefault(_same(finding), []).append(finding)
    ordered = sorted(groups.values(), key=lambda group: group[0].severity != "error")
    return tuple(
        _finding_card(lab, group, result.submission, f"{lab.name}-finding-{at}")
        for at, group in enumerate(ordered)
    )


def _same(finding: Finding) -> tuple[object, ...]:
    other = finding.other
    lines = (finding.place.line, other.line if other else 0)
    return (finding.code, finding.kind, finding.place.file, *sorted(lines))


def _finding_card(lab: Lab, group: list[Finding], submission: Submission | None, id: str) -> FindingCard:
    first = group[0]
    sides = [_side(first.place, submission, "")]
    if first.other:
        sides.append(_side(first.other, submission, "the other side: "))
    placed = first.memory if first.memory and first.memory.relation else None
    return FindingCard(
        code=first.code,
        kind=first.kind.replace("-", " "),
        severity=first.severity,
        message=disclosure.redact(lab, first.message),
        where_seen=_where_seen(group),
        sides=tuple(sides),
        memory=maps.memory_words(first.memory) if first.memory else "",
        strip=maps.allocation_strip(placed, id) if placed else None,
        standing=first.standing,
        help=first.help,
    )


def _side(place: Place, submission: Submission | None, prefix: str) -> Side:
    lines = _around(submission, place.file, place.line, place.source)
    return Side(prefix + wording.actor(place), wording.place(place), lines, place.inlined_at)


def _where_seen(group: list[Finding]) -> str:
    names = list(dict.fromkeys(_label_words(finding.label) for finding in group))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    times = sum(finding.times for finding in group)
    return f"Seen in {shown}" + (f", {times:,} times in all" if times > 1 else "")


def _label_words(label: str) -> str:
    if not label.startswith(TIMED):
        return label
    return f"the timed run of {label.split('/')[1].replace('x', ' × ')}"


# --- wrong answers -----------------------------------------------------------------------------


def _wrong_cards(lab: Lab, result: Result, cases: tuple[ShownCase, ...]) -> Iterator[WrongCard]:
    outputs = result.run.launch_shape.outputs if result.run and result.run.launch_shape else None
    number = 0
    for case in cases:
        if case.case is None or case.run is None or case.run.wrong is None:
            continue
        wrong = case.run.wrong
        size = (case.case.m, case.case.n)
        id = f"{lab.name}-map-{number}"
        picture = maps.element_map(wrong, size, outputs, id) if wrong.map else None
        facts = [
            ("wrong elements", f"{wrong.count:,} of {wrong.total:,}"),
            ("first at", f"row {wrong.row}, column {wrong.column}"),
            ("expected", wording.number(wrong.expected)),
            ("got", wording.number(wrong.got)),
        ]
        if wrong.block:
            facts.append(("computed by", _owner(wrong.block, wrong.thread)))
        if wrong.pattern:
            facts.append(("pattern", wrong.pattern.replace("-", " ")))
        yield WrongCard(case.name, wrong.explanation, tuple(facts), picture, folded=number >= MAPS_OPEN)
        number += 1


def _owner(block: tuple[int, ...], thread: tuple[int, ...] | None) -> str:
    who = f"block {wording.index(block)}"
    return f"{who}, thread {wording.index(thread)}" if thread else who


# --- resources and counters --------------------------------------------------------------------

_RESOURCES = (
    ("registers", "of each thread", "registers"),
    ("shared memory", "bytes of each block", "shared_bytes"),
    ("stack", "bytes of each thread in local memory", "stack_bytes"),
    ("spilled stores", "bytes that did not fit into registers", "spill_stores"),
    ("spilled loads", "bytes fetched back", "spill_loads"),
)


def _resources(result: Result) -> Iterator[Comparison]:
    own = result.build.resources if result.build else None
    reference = result.run.reference if result.run else None
    if own is None:
        return
    for name, meaning, attribute in _RESOURCES:
        mine, theirs = _amount(own, attribute), _amount(reference, attribute)
        if mine or theirs or attribute in ("registers", "shared_bytes"):
            yield _comparison(name, meaning, mine or 0, theirs)


def _amount(resources: Resources | None, attribute: str) -> int | None:
    return None if resources is None else int(getattr(resources, attribute))


def _occupancy(result: Result) -> Iterator[tuple[str, Occupancy]]:
    if result.judgement and result.judgement.occupancy:
        yield "yours", result.judgement.occupancy
        if result.judgement.reference_occupancy:
            yield "reference", result.judgement.reference_occupancy


def _timed_launches(result: Result) -> tuple[Launch | None, Launch | None]:
    """The student's launch of the largest timed size and the reference's beside it."""
    launches = result.run.launches if result.run else ()
    timed = [launch for launch in launches if launch.label.startswith(TIMED)]
    by_label = {launch.label: launch for launch in timed}
    mine = [launch for launch in timed if launch.label.endswith("/student")]
    if not mine:
        return None, None
    largest = max(mine, key=lambda launch: _volume(launch.label))
    return largest, by_label.get(largest.label.removesuffix("/student") + "/reference")


def _volume(label: str) -> int:
    parts = label.split("/")[1].split("x")
    return math.prod(int(part) for part in parts if part.isdigit())


def _counters(
    student: Launch | None, reference: Launch | None, meanings: dict[str, str]
) -> Iterator[Comparison]:
    if student is None:
        return
    known = [name for name in meanings if name in student.counters]
    for name in known + sorted(set(student.counters) - set(meanings)):
        mine = student.counters[name]
        theirs = reference.counters.get(name) if reference else None
        if mine or theirs:
            yield _comparison(name, meanings.get(name, ""), mine, theirs)


def _comparison(name: str, meaning: str, mine: int, theirs: int | None) -> Comparison:
    return Comparison(
        name=name,
        meaning=meaning,
        student=wording.count(mine),
        reference="–" if theirs is None else wording.count(theirs),
        ratio=mine / theirs if theirs else None,
    )


def _costs(launch: Launch, submission: Submission | None) -> Iterator[LineCost]:
    """Lines by what their accesses cost, the dearest first."""
    for site in sorted(launch.sites, key=_paid, reverse=True)[:8]:
        paid, ideal, unit = _paid(site), _ideal(site), "sectors" if site.sectors else "wavefronts"
        if not site.executions or not paid:
            continue
        cost = f"{paid / site.executions:.1f} {unit} a request, {ideal / site.executions:.1f} would do"
        source = _around(submission, site.file, site.line, "")
        text = next((line.text.strip() for line in source if line.marked), "")
        yield LineCost(site.line, text, site.kind, site.executions, cost, paid / ideal if ideal else 1.0)


def _paid(site: CounterSite) -> int:
    return site.sectors or site.wavefronts


def _ideal(site: CounterSite) -> int:
    return site.ideal_sectors if site.sectors else site.ideal_wavefronts


def verdict_counts(chips: Iterable[Chip]) -> dict[str, int]:
    """How many cases had which verdict, in words; for the summary above the strip."""
    counts: dict[str, int] = {}
    for chip in chips:
        counts[chip.sign.words] = counts.get(chip.sign.words, 0) + 1
    return counts
