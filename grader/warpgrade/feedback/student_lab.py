"""The page about one lab of one student, in reading order.

Turns records into what the page shows. All wording is done here or in core/formatting.py, so that the
template holds no logic but loops.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..core import formatting
from ..course import draws
from ..drawing import element_map
from ..gpu.spec import GpuSpec
from ..judge.causes.wrong_answer import wrong_answer
from ..records import (
    ADDED_PARTS,
    BuildStatus,
    Diagnostic,
    Lab,
    LabKind,
    Launch,
    Occupancy,
    Part,
    Remark,
    Result,
    SizeTime,
    Verdict,
)
from . import annotated_source, comparisons, disclosure, mistakes
from .annotated_source import CodeLine
from .disclosure import HiddenCases, ShownCase
from .findings import FindingCard, finding_cards, label_words
from .performance import bandwidth, roofline, timed_sizes
from .performance.hot_lines import HotLine, hot_lines

_ANSWERS = {Verdict.PASS: "right", Verdict.SKIPPED: "no answer"}  # words of verdicts on answers
MAPS_OPEN = 1  # wrong-element maps that are not folded


@dataclass(frozen=True)
class WrongCard:
    """The wrong elements of one visible case."""

    case: str
    explanation: str
    facts: tuple[tuple[str, str], ...]
    picture: element_map.Picture | None
    folded: bool


@dataclass(frozen=True)
class Chip:
    """One case in the verdict strip."""

    name: str
    sign: formatting.Sign
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
    occupancy: tuple[tuple[comparisons.Whose | str, Occupancy], ...]
    counters: tuple[comparisons.Comparison, ...]
    counted_on: str
    compared: bool  # whether the reference's counters are compared
    notes: tuple[str, ...]
    costs: tuple[comparisons.LineCost, ...]
    times: tuple[tuple[str, SizeTime], ...]  # with the size in words
    hot: tuple[HotLine, ...]
    source: tuple[CodeLine, ...]
    roofline: roofline.Roofline | None
    bandwidth: bandwidth.Bandwidth | None
    remarks: tuple[tuple[Remark, tuple[CodeLine, ...]], ...]

    @property
    def part_rows(self) -> tuple[Part, ...]:
        """Points as the page lists them: cases with the same outcome share a row."""
        rows: list[Part] = []
        alike: dict[tuple[bool, str], list[Part]] = {}
        for part in self.parts:
            if part.kind == "case" and part.name != "hidden cases":
                right = part.earned >= part.possible
                alike.setdefault((right, "" if right else part.sentence), []).append(part)
        noun = "question" if self.lab.kind is LabKind.ANSWERS else "case"
        cases = [_together(right, sentence, group, noun) for (right, sentence), group in alike.items()]
        for part in self.parts:
            if part.kind != "case" or part.name == "hidden cases":
                rows.append(part)
            else:
                rows += cases
                cases = []
        return tuple(rows)

    @property
    def expensive_lines(self) -> int:
        """Lines whose memory accesses cost more than they need."""
        return sum(any(note.tone == "bad" for note in line.notes) for line in self.source)

    @property
    def total(self) -> float | None:
        return self.result.score.total if self.result.score else None

    @property
    def possible(self) -> float:
        return self.result.score.possible if self.result.score else 100.0


def lab_feedback(
    lab: Lab, result: Result, meanings: dict[str, str], gpu: GpuSpec | None = None
) -> LabFeedback:
    """Everything a student may see of one lab. `meanings` explains counters by name."""
    cases = disclosure.shown_cases(lab, result)
    findings = finding_cards(lab, result)
    student, reference = comparisons.compared_launches(lab, result)
    performance = result.judgement.performance if result.judgement else None
    return LabFeedback(
        lab=lab,
        result=result,
        next_step=_next_step(lab, result, cases, findings),
        chips=tuple(_chip(lab, case) for case in cases),
        hidden=disclosure.hidden_cases(lab, result),
        parts=tuple(_parts(lab, result)),
        compiler=tuple(_compiler(result)),
        findings=findings,
        wrong=tuple(_wrong_cards(lab, result, cases)),
        resources=tuple(comparisons.resources(result)),
        occupancy=tuple(comparisons.occupancies(result, gpu)),
        counters=tuple(comparisons.counters(student, reference, meanings, _counts(lab, student))),
        counted_on=label_words(lab, student.label) if student else "",
        compared=reference is not None,
        notes=_notes(lab, result),
        costs=tuple(comparisons.costs(student, result.submission)) if student else (),
        times=timed_sizes.named(lab, performance) if performance else (),
        hot=hot_lines(result),
        source=annotated_source.marked_source(result, disclosure.shown_findings(lab, result), student),
        roofline=roofline.roofline(lab, result, gpu, f"{lab.name}-roofline"),
        bandwidth=bandwidth.bandwidth(lab, result, gpu, f"{lab.name}-bandwidth"),
        remarks=tuple(_remarks(result)),
    )


# --- what to do next ---------------------------------------------------------------------------


def next_step(lab: Lab, result: Result) -> str:
    """One sentence for a student: the first thing to do."""
    return _next_step(lab, result, disclosure.shown_cases(lab, result), finding_cards(lab, result))


def _next_step(
    lab: Lab, result: Result, cases: tuple[ShownCase, ...], findings: tuple[FindingCard, ...]
) -> str:
    """The first thing to do. The order is that in which faults hide one another."""
    if result.problem:
        return formatting.sentences(result.problem.message, result.problem.remedy)
    if result.score is None or result.score.total is None:
        return "Nothing for you to do: the grader failed here, and your staff will grade this lab again."
    if result.build and result.build.status is BuildStatus.BUILD_FAILED:
        return _first_error(lab, result)
    if lab.kind is LabKind.ANSWERS:
        return _next_question(lab, result, cases)
    bad = [case for case in cases if case.verdict not in (Verdict.PASS, Verdict.SKIPPED)]
    leading = next(iter(mistakes.in_order(lab, result)), None)
    if findings and bad and leading and leading.finding:
        first = next(card for card in findings if card.code == leading.finding.code)
        place = first.sides[0].place or "the place shown below"
        return f"Begin with {first.code} at {place}: {first.help or first.message}"
    if bad:
        named = leading.case if leading else None
        seen = named or next((case for case in bad if case.sentence), bad[0])
        return f"Look at the case {seen.name} first. {seen.sentence}".strip()
    return _beyond_shown_cases(lab, result)


def _next_question(lab: Lab, result: Result, questions: tuple[ShownCase, ...]) -> str:
    wrong = next((each for each in questions if each.verdict is Verdict.WRONG_ANSWER), None)
    if wrong:
        return f"Look at the question {wrong.name} first. {wrong.sentence}".strip()
    missing = next((each for each in questions if each.verdict is Verdict.SKIPPED), None)
    return f"Answer the question {missing.name}." if missing else _all_judged_right(lab, result)


def _beyond_shown_cases(lab: Lab, result: Result) -> str:
    hidden = disclosure.hidden_cases(lab, result)
    if hidden.passed < hidden.count:
        return (
            "Every case that you can see passes, some hidden one does not. Which sizes allowed in the "
            f"handout ({lab.sizes}) have you not tried?"
        )
    short = [part for part in disclosure.parts_of(result, "technique") if part.earned < part.possible]
    if short:
        goal = next((each.goal for each in lab.techniques if each.name == short[0].name and each.goal), "")
        aim = f"what is left is {short[0].name}: {goal}" if goal else ""
        return formatting.sentences(aim, disclosure.redact(lab, short[0].sentence))
    faulty = [part for part in disclosure.parts_of(result, "fault") if part.earned < part.possible]
    if faulty:
        return f"All cases are right. What is left is {faulty[0].name}: {faulty[0].sentence}"
    slow = [part for part in disclosure.parts_of(result, "performance") if part.earned < part.possible]
    if slow:
        return f"All results are right. What is left is speed: {disclosure.redact(lab, slow[0].sentence)}"
    return _all_judged_right(lab, result)


def _all_judged_right(lab: Lab, result: Result) -> str:
    """Where nothing is left that the machine found: whether that is all points, else what is missing."""
    score = result.score
    if score is None or score.total is None or score.total >= score.possible:
        return "Full points. Nothing is left to do here."
    parts = tuple(_parts(lab, result))
    short = next((part for part in parts if part.earned < part.possible and part.possible), None)
    if short:
        return formatting.sentences(f"What is left is {short.name}: {short.sentence or 'not all points'}")
    taken = [part for part in parts if part.kind in ADDED_PARTS and part.earned < 0]
    costs = [
        f"{formatting.points(-part.earned)} points were taken: {part.sentence or part.name}" for part in taken
    ]
    return formatting.sentences("; ".join(("nothing is left to do here: all parts are right", *costs)))


def _first_error(lab: Lab, result: Result) -> str:
    diagnostics = result.build.diagnostics if result.build else ()
    error = next((item for item in diagnostics if item.severity == "error"), None)
    if error is None:
        return result.build.summary if result.build else ""
    if lab.kind is LabKind.ANSWERS:
        return formatting.sentences(f"Your answers cannot be marked yet: {error.text}")
    place = f"line {error.line} of {formatting.base_name(error.file)}" if error.line else "your file"
    return f"It does not compile yet. Put right {place} first: {error.text}."


# --- by hand -----------------------------------------------------------------------------------


def _remarks(result: Result) -> Iterator[tuple[Remark, tuple[CodeLine, ...]]]:
    """What people wrote, those about lines in the order of the lines, with the lines around."""
    submission = result.submission
    first = submission.files[0].name if submission and submission.files else ""
    for remark in sorted(result.remarks, key=lambda each: (each.line is None, each.file, each.line or 0)):
        yield remark, annotated_source.around(submission, remark.file or first, remark.line or 0, "")


# --- verdicts and points -----------------------------------------------------------------------


_VERDICT_ONLY = "only the verdict is shown"


def _chip(lab: Lab, case: ShownCase) -> Chip:
    note = case.sentence if case.case else _VERDICT_ONLY
    sign = formatting.SIGNS[case.verdict]
    if lab.kind is LabKind.ANSWERS and case.verdict in _ANSWERS:
        sign = replace(sign, words=_ANSWERS[case.verdict])
    return Chip(case.name, sign, case.earned, case.possible, note)


def _counts(lab: Lab, launch: Launch | None) -> Callable[[float], str]:
    """How counters are written: where one of them may be a drawn number of elements, rounded."""
    secret = launch is not None and launch.label.startswith(disclosure.TIMED) and draws.are_secret(lab)
    return formatting.rounded if secret else formatting.count


def _parts(lab: Lab, result: Result) -> Iterator[Part]:
    """Points by step; hidden cases as one line."""
    yield from (_redacted(lab, part) for part in disclosure.parts_of(result, "build"))
    cases = disclosure.shown_cases(lab, result)
    if result.score:
        for case in cases:
            said = case.sentence if case.case or case.verdict is Verdict.SKIPPED else _VERDICT_ONLY
            yield Part("case", case.name, case.earned, case.possible, said)
        hidden = disclosure.hidden_cases(lab, result)
        if hidden.count:
            sentence = f"{hidden.passed} of {hidden.count} pass"
            yield Part("case", "hidden cases", hidden.earned, hidden.possible, sentence)
    for kind in ("technique", "fault", "performance", *ADDED_PARTS):
        yield from (_redacted(lab, part) for part in disclosure.parts_of(result, kind))


def _together(right: bool, sentence: str, group: Sequence[Part], noun: str) -> Part:
    words = "right, as shown above" if right else sentence
    name = group[0].name if len(group) == 1 else formatting.amount(len(group), noun)
    return Part("case", name, sum(each.earned for each in group), sum(each.possible for each in group), words)


def _redacted(lab: Lab, part: Part) -> Part:
    return Part(part.kind, part.name, part.earned, part.possible, disclosure.redact(lab, part.sentence))


def _notes(lab: Lab, result: Result) -> tuple[str, ...]:
    """Notes about admission and the run that concern the student."""
    of_files = result.submission.notes if result.submission else ()
    of_run = result.run.notes if result.run else ()
    return tuple(disclosure.redact(lab, note) for note in (*of_files, *of_run))


def _compiler(result: Result) -> Iterator[tuple[Diagnostic, tuple[CodeLine, ...]]]:
    for item in result.build.diagnostics if result.build else ():
        yield item, annotated_source.around(result.submission, item.file, item.line or 0, item.source)


# --- wrong answers -----------------------------------------------------------------------------


def _wrong_cards(lab: Lab, result: Result, cases: tuple[ShownCase, ...]) -> Iterator[WrongCard]:
    shapes = result.run.shapes if result.run else ()
    number = 0
    for case in cases:
        if case.case is None or case.run is None or case.run.wrong is None:
            continue
        wrong = case.run.wrong
        shape = wrong_answer.covering(wrong, shapes)
        id = f"{lab.name}-map-{number}"
        picture = element_map.element_map(wrong, shape.outputs if shape else None, id) if wrong.map else None
        facts = [
            ("wrong elements", f"{wrong.count:,} of {wrong.total:,}"),
            ("first at", formatting.first_position(wrong)),
            ("expected", formatting.number(wrong.expected)),
            ("got", formatting.number(wrong.got)),
        ]
        if wrong.block:
            facts.append((formatting.owned(wrong), _owner(wrong.block, wrong.thread)))
        if wrong.pattern:
            facts.append(("pattern", wrong.pattern.replace("-", " ")))
        facts += [("look at", doubt.words) for doubt in mistakes.doubts(wrong, result)]
        yield WrongCard(case.name, wrong.explanation, tuple(facts), picture, folded=number >= MAPS_OPEN)
        number += 1


def _owner(block: tuple[int, ...], thread: tuple[int, ...] | None) -> str:
    who = f"block {formatting.index(block)}"
    return f"{who}, thread {formatting.index(thread)}" if thread else who
