"""One student's one lab, put in the order in which a person reads it.

Turns records into what the page shows; all wording is done here or in `wording`, so that the
template holds no logic but loops.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from . import comparisons, disclosure, maps, speedpictures, wording
from .diagnostics import LONGEST_LINE
from .disclosure import TIMED, HiddenCases, ShownCase
from .gpu import Gpu
from .records import (
    BuildStatus,
    Diagnostic,
    Finding,
    Lab,
    Launch,
    Occupancy,
    Part,
    Place,
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
    notes: tuple[comparisons.Note, ...] = ()


@dataclass(frozen=True)
class Side:
    """One side of a finding with its surroundings."""

    heading: str
    place: str
    lines: tuple[CodeLine, ...]
    inlined_at: str


@dataclass(frozen=True)
class Stand:
    """Warps that stood at the same place in the same way."""

    warps: str  # "0–7"
    lanes: str
    state: str
    place: str
    source: str


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
    standing: tuple[Stand, ...]
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
    resources: tuple[comparisons.Comparison, ...]
    occupancy: tuple[tuple[str, Occupancy], ...]
    counters: tuple[comparisons.Comparison, ...]
    counted_on: str
    compared: bool  # whether the reference's counters stand beside
    notes: tuple[str, ...]
    costs: tuple[comparisons.LineCost, ...]
    times: tuple[SizeTime, ...]
    source: tuple[CodeLine, ...]
    roofline: speedpictures.Roofline | None

    @property
    def part_rows(self) -> tuple[Part, ...]:
        """Points as the page lists them: cases that went alike share a row."""
        rows: list[Part] = []
        alike: dict[tuple[bool, str], list[Part]] = {}
        for part in self.parts:
            if part.kind == "case" and part.name != "hidden cases":
                right = part.earned >= part.possible
                alike.setdefault((right, "" if right else part.sentence), []).append(part)
        cases = [_together(right, sentence, group) for (right, sentence), group in alike.items()]
        for part in self.parts:
            if part.kind != "case" or part.name == "hidden cases":
                rows.append(part)
            else:
                rows += cases
                cases = []
        return tuple(rows)

    @property
    def dear_lines(self) -> int:
        """Lines whose memory accesses cost more than they need."""
        return sum(any(note.tone == "bad" for note in line.notes) for line in self.source)

    @property
    def total(self) -> float | None:
        return self.result.score.total if self.result.score else None

    @property
    def possible(self) -> float:
        return self.result.score.possible if self.result.score else 100.0


def lab_feedback(lab: Lab, result: Result, meanings: dict[str, str], card: Gpu | None = None) -> LabFeedback:
    """Everything a student may see of one lab. `meanings` explains counters by name."""
    cases = disclosure.shown_cases(lab, result)
    findings = _finding_cards(lab, result)
    student, reference = comparisons.compared_launches(lab, result)
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
        resources=tuple(comparisons.resources(result)),
        occupancy=tuple(comparisons.occupancies(result)),
        counters=tuple(comparisons.counters(student, reference, meanings)),
        counted_on=_label_words(student.label) if student else "",
        compared=reference is not None,
        notes=_notes(lab, result),
        costs=tuple(comparisons.costs(student, result.submission)) if student else (),
        times=result.judgement.performance.sizes if result.judgement and result.judgement.performance else (),
        source=_marked_source(result, disclosure.shown_findings(lab, result), student),
        roofline=speedpictures.roofline(lab, result, card, f"{lab.name}-roofline"),
    )


# --- what to do next ---------------------------------------------------------------------------


def next_step(lab: Lab, result: Result) -> str:
    """One sentence for a student: the first thing to do."""
    return _next_step(lab, result, disclosure.shown_cases(lab, result), _finding_cards(lab, result))


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
    for kind in ("technique", "performance", "adjustment"):
        yield from (_redacted(lab, part) for part in disclosure.parts_of(result, kind))


def _together(right: bool, sentence: str, group: Sequence[Part]) -> Part:
    words = "right, as shown above" if right else sentence
    name = group[0].name if len(group) == 1 else wording.amount(len(group), "case")
    return Part("case", name, sum(each.earned for each in group), sum(each.possible for each in group), words)


def _redacted(lab: Lab, part: Part) -> Part:
    return Part(part.kind, part.name, part.earned, part.possible, disclosure.redact(lab, part.sentence))


def _notes(lab: Lab, result: Result) -> tuple[str, ...]:
    """What was noticed on the way in and while it ran, of interest to the student."""
    of_files = result.submission.notes if result.submission else ()
    of_run = result.run.notes if result.run else ()
    return tuple(disclosure.redact(lab, note) for note in (*of_files, *of_run))


# --- source ------------------------------------------------------------------------------------


def _around(submission: Submission | None, file: str, line: int, fallback: str) -> tuple[CodeLine, ...]:
    """The student's lines around one line, or that line alone where the file is not theirs."""
    text = submission.source(wording.base_name(file)) if submission and file else None
    if text is None or not line:
        return (CodeLine(line, fallback, True),) if fallback else ()
    lines = text.split("\n")
    first, last = max(1, line - CONTEXT), min(len(lines), line + CONTEXT)
    return tuple(CodeLine(at, lines[at - 1][:LONGEST_LINE], at == line) for at in range(first, last + 1))


def _marked_source(
    result: Result, findings: tuple[Finding, ...], launch: Launch | None
) -> tuple[CodeLine, ...]:
    """The whole kernel, with findings and the cost of memory accesses at their lines."""
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
    costs = comparisons.notes_by_line(launch, file.name)
    codes: dict[int, list[comparisons.Note]] = {}
    for finding in findings:
        for side in (finding.place, finding.other):
            if side and wording.base_name(side.file) == file.name:
                codes.setdefault(side.line, []).append(comparisons.Note(finding.code, "code"))
    return tuple(
        CodeLine(at, text, at in marked, (*dict.fromkeys(codes.get(at, ())), *costs.get(at, ())))
        for at, text in enumerate(lines, start=1)
    )


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
        standing=tuple(_stands(first.standing)),
        help=first.help,
    )


def _side(place: Place, submission: Submission | None, prefix: str) -> Side:
    lines = _around(submission, place.file, place.line, place.source)
    return Side(prefix + wording.actor(place), wording.place(place), lines, place.inlined_at)


def _stands(standing: Sequence[Standing]) -> Iterator[Stand]:
    alike: dict[tuple[str, str, str, str], list[int]] = {}
    for item in standing:
        place = f"{wording.base_name(item.file)}:{item.line}"
        alike.setdefault((item.lanes, item.state, place, item.source.strip()), []).append(item.warp)
    return (Stand(wording.span(warps), *what) for what, warps in alike.items())


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
