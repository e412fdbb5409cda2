"""One kernel's check for a terminal: cases, findings, a drawing of the wrong answer, points, the next step.

Builds lines of rich's markup, wrapped to a width; cli/ prints them. Only what `disclosure` lets a
student see is shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.markup import escape

from ..core import formatting
from ..core.formatting import points
from ..core.paths import program
from ..drawing import element_map_text
from ..feedback import mistakes, playable, shared_arrays
from ..feedback.disclosure import ShownCase, hidden_cases, redact, shown_cases
from ..feedback.mistakes import Mistake, in_order
from ..feedback.performance.hot_lines import hot_lines
from ..judge.causes.wrong_answer import wrong_answer
from ..records import (
    ADDED_PARTS,
    BuildStatus,
    Judgement,
    Lab,
    LabKind,
    Part,
    Result,
    Verdict,
    Visibility,
    Wrong,
)
from .terminal import plain, problem_lines
from .terminal_findings import Called, diagnostic_lines, finding_lines, lowered, note, titled, wrapped
from .terminal_points import total_lines, waits
from .terminal_profile import TERMS, hot_rows

_TONES = {"good": "green", "bad": "red", "idle": "dim", "grader": "magenta"}
_MOST_FINDINGS = 5
_MOST_PATTERNS = 2  # of wrong numbers
_MOST_PRINTED = 20  # lines


def header(lab: Lab, file: str, width: int) -> list[str]:
    title, file = f"[bold]{lab.name}[/]  {escape(lab.title)}", escape(plain(file))
    fits = len(lab.name) + len(lab.title) + len(file) + 4 <= width
    return [f"{title}  [dim]{file}[/]"] if fits else [title, f"[dim]{file}[/]"]


# --- rows: one thing that gives points a line --------------------------------------------------


def build_row(lab: Lab, result: Result, width: int) -> list[str]:
    build = result.build
    if build is None:
        return []
    built = build.status == BuildStatus.BUILT
    if lab.kind is LabKind.ANSWERS:
        return [] if built else _row("✗", "bad", "answers", "", "cannot be marked", width, lab)
    earned = lab.build_points if built else 0.0
    resources = "" if lab.kind is LabKind.PROGRAM else f": {build.summary}"
    words = f"compiles{resources}" if built else "does not compile"
    return _row("✓" if built else "✗", "good" if built else "bad", "build", (earned, lab.build_points),
                words, width, lab)  # fmt: skip


def case_row(lab: Lab, case: ShownCase, codes: Sequence[str], width: int) -> list[str]:
    """`codes`: of the findings. They say more than the case's sentence, except if a program says why it
    ended.
    """
    sign = formatting.SIGNS[case.verdict]
    ended = lab.kind is LabKind.PROGRAM and case.verdict is Verdict.CRASH and case.sentence
    words = "" if case.verdict is Verdict.PASS else _in_brief(case, () if ended else codes)
    if lab.kind is LabKind.ANSWERS and case.verdict is not Verdict.PASS:
        words = case.sentence
    return _row(sign.glyph, sign.tone, case.name, (case.earned, case.possible), words, width, lab)


def hidden_row(lab: Lab, result: Result, width: int) -> list[str]:
    hidden = hidden_cases(lab, result)
    if not hidden.count:
        return []
    all_pass = hidden.passed == hidden.count
    name = formatting.amount(hidden.count, "hidden case")
    words = "" if all_pass else f"{hidden.passed} of {hidden.count} pass"
    verdicts = {case.verdict for case in shown_cases(lab, result)}
    refused = verdicts == {Verdict.RESOURCES}  # nothing was launched, whatever the case
    failed = formatting.SIGNS[Verdict.RESOURCES if refused else Verdict.WRONG_ANSWER]
    sign, tone = ("✓", "good") if all_pass else (failed.glyph, failed.tone)
    return _row(sign, tone, name, (hidden.earned, hidden.possible), words, width, lab)


def part_row(lab: Lab, part: Part, width: int, judgement: Judgement | None) -> list[str]:
    full = part.earned >= part.possible > 0
    tone = "good" if full else "bad" if part.earned == 0 else "idle"
    when = "once its case is right" if part.kind == "technique" else "once every case is right"
    sentence = when if waits(part, judgement) else redact(lab, part.sentence)
    worth = (part.earned, part.possible) if part.possible else "later"  # the name of a fault
    return _row("✓" if full else "·", tone, part.name, worth, sentence, width, lab)


def _with_names_together(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts; names of faults with the same sentence and no judgement become one part."""
    for sentence, alike in itertools.groupby(
        parts, lambda part: part.sentence if _is_unjudged_name(part) else None
    ):
        group = list(alike)
        if sentence is None or len(group) == 1:
            yield from group
            continue
        faults = ", ".join(part.name.removesuffix("-named") for part in group)
        yield replace(group[0], name=f"{len(group)} names", sentence=f"{sentence} ({faults})")


def _is_unjudged_name(part: Part) -> bool:
    """Whether the part is the name of a fault, which `check` does not judge."""
    return part.kind == "fault" and not part.possible


def _row(
    sign: str, tone: str, name: str, worth: tuple[float, float] | str, words: str, width: int, lab: Lab
) -> list[str]:
    """`✓ 16x16x16-integers 4/4 words`, with the words wrapped in their own column."""
    column = max(map(len, _row_names(lab)))
    earned = worth if isinstance(worth, str) else f"{points(worth[0])}/{points(worth[1])}"
    start = f"{name:<{column}}  {earned:>8}  "
    lines = wrapped(plain(words), width, 2 + len(start)) or [""]
    first = f"[{_TONES[tone]}]{sign}[/] {escape(start)}{escape(lines[0])}".rstrip()
    return [first, *(" " * (2 + len(start)) + escape(line) for line in lines[1:])]


def _row_names(lab: Lab) -> Iterator[str]:
    """What a lab gives points for: the column of names is as wide as the longest."""
    yield "performance"
    yield from (case.name for case in lab.cases)
    hidden = sum(case.visibility is Visibility.HIDDEN for case in lab.cases)
    yield formatting.amount(hidden, "hidden case") if hidden else ""
    yield from (technique.name for technique in lab.techniques)
    for fault in lab.faults:
        yield f"{fault.name}-named"
        yield from (f"{fault.name}-repaired",) if fault.repaired else ()


def _in_brief(case: ShownCase, codes: Sequence[str]) -> str:
    """The verdict in a few words; the explanation is printed below the rows."""
    words = formatting.SIGNS[case.verdict].words
    if case.case is None or case.verdict is Verdict.GRADER_ERROR:
        return words
    if codes:
        return f"{words}: {', '.join(codes)}"
    wrong = case.run.wrong if case.run else None
    if case.verdict is Verdict.WRONG_ANSWER and wrong:
        many = "all" if wrong.count == wrong.total else f"{wrong.count:,} of"
        return f"{words}: {many} {formatting.amount(wrong.total, 'element')}"
    if case.verdict is Verdict.RESOURCES:
        return words  # the sentence is the same for all: see _refusals()
    return f"{words}: {case.sentence}" if case.sentence else words


# --- everything of a result --------------------------------------------------------------------


def result_lines(lab: Lab, result: Result, width: int = 80) -> Iterator[str]:
    """The complete result, for commands that print nothing while the submission runs."""
    yield from build_row(lab, result, width)
    if result.build is not None and result.build.status == BuildStatus.BUILT:
        for case in shown_cases(lab, result):
            yield from case_row(lab, case, codes_of(result, case.name), width)
    yield from closing_lines(lab, result, width)


def codes_of(result: Result, case: str) -> tuple[str, ...]:
    cases = result.judgement.cases if result.judgement else ()
    return next((item.codes for item in cases if item.name == case), ())


def closing_lines(lab: Lab, result: Result, width: int, file: str = "", subject: str = "") -> Iterator[str]:
    """Everything after the rows of the visible cases. `file`: the kernel's path as the student would type it.
    `subject`: lab and file for the commands to type next, empty for none.
    """
    called = _names(lab, file)
    built = result.build is not None and result.build.status == BuildStatus.BUILT
    if built:
        yield from hidden_row(lab, result, width)
        for part in _with_names_together(_parts(result)):
            if part.kind in ("technique", "fault", "performance"):
                yield from part_row(lab, part, width, result.judgement)
            elif part.kind in ADDED_PARTS:
                sign = "good" if part.earned > 0 else "bad"
                yield from _row(
                    "±", sign, part.name, formatting.signed(part.earned), part.sentence, width, lab
                )
        yield from _hot_lines(result, width)
    if result.problem:
        yield ""
        yield from problem_lines(result.problem, width)
    if lab.kind is LabKind.ANSWERS:
        yield from _remarks(result, width)
    if built:
        yield from _refusals(lab, result, width)
    yield from diagnostic_lines(result, width, called)
    if built:
        yield from _findings(lab, result, width, called, subject)
    if result.run and result.run.printed:
        yield from ("", _printed_title(lab, result.run.printed))
        lines = result.run.printed.splitlines()
        yield from (f"  {escape(plain(line))}" for line in lines[:_MOST_PRINTED])
        if len(lines) > _MOST_PRINTED:
            yield f"  [dim]… and {len(lines) - _MOST_PRINTED} more lines[/]"
    yield ""
    yield from total_lines(lab, result, width)


def _printed_title(lab: Lab, printed: str) -> str:
    if lab.kind is not LabKind.PROGRAM:
        return "[bold]your kernel printed[/]"
    left_out = "  [dim](…: a number; times differ from run to run)[/]" if "…" in printed else ""
    return f"[bold]your program printed[/]{left_out}"


def _hot_lines(result: Result, width: int) -> Iterator[str]:
    """The lines that the time goes to, if points for speed are missing."""
    short = any(part.kind == "performance" and part.earned < part.possible for part in _parts(result))
    found = hot_lines(result) if short else ()
    if not found:
        return
    yield ""
    yield "[bold]the time goes here[/] [dim](share of the modelled time)[/]"
    yield from hot_rows(found, width)
    verdict = result.judgement.performance if result.judgement else None
    if verdict and verdict.remedy in TERMS:
        yield f"  [dim]{escape(TERMS[verdict.remedy])}[/]"


def _parts(result: Result) -> tuple[Part, ...]:
    return result.score.parts if result.score else ()


def _remarks(result: Result, width: int) -> Iterator[str]:
    """Remarks on keys of a file of answers that belong to no question."""
    for words in result.run.notes if result.run else ():
        yield ""
        yield from titled("warning", "", lowered(words), width)


def _names(lab: Lab, file: str) -> Called:
    """A function that turns file names of the submission into the student's names: the first file has the
    path that the student typed.
    """
    folder, main = file.rpartition("/")[0], lab.files[0]

    def called(name: str) -> str:
        base = formatting.base_name(name)
        if not file or base not in lab.files:
            return base
        return file if base == main else "/".join(filter(None, (folder, base)))

    return called


# --- findings ----------------------------------------------------------------------------------


def _findings(lab: Lab, result: Result, width: int, called: Called, subject: str) -> Iterator[str]:
    """Each kind of finding once a line, each pattern of wrong numbers once, in the order of mistakes.py."""
    groups: dict[tuple[object, ...], list[Mistake]] = {}
    for each in in_order(lab, result):
        groups.setdefault(_alike(each), []).append(each)
    numbers, played = 0, playable.findings(lab, result)
    helped: set[str] = set()
    shown = list(groups.values())[:_MOST_FINDINGS]
    for group in shown:
        found = [each.finding for each in group if each.finding]
        if found:
            yield ""
            yield from finding_lines(found, width, called, helped)
            number = playable.number(played, found) if subject else 0
            if number:  # in one line, to be copied
                command = f"{program()} {playable.command(subject, number)}"
                yield f"  [blue]=[/] [bold]play[/]: {escape(command)}"
        elif group[0].case and numbers < _MOST_PATTERNS:
            numbers += 1
            yield from _wrong_answer(group[0].case, result, width)
    more = sum(1 for group in list(groups.values())[_MOST_FINDINGS:] if group[0].finding)
    if more:
        yield f"\n[dim]… and {more} more findings; correct the first one and check again[/]"


def _alike(each: Mistake) -> tuple[object, ...]:
    if each.finding is None:
        return (each.wrong.pattern if each.wrong else "",)
    other = each.finding.other.line if each.finding.other else 0
    return (each.finding.code, *sorted((each.finding.place.line, other)))


def _refusals(lab: Lab, result: Result, width: int) -> Iterator[str]:
    """Why nothing was launched. The reason is the same for all cases, so it is printed once."""
    cases = [case for case in shown_cases(lab, result) if case.verdict is Verdict.RESOURCES]
    for sentence in dict.fromkeys(case.sentence for case in cases if case.sentence):
        yield ""
        yield from titled("error", "", lowered(sentence), width)
    wanted = result.build.resources.shared_bytes if result.build and result.build.resources else 0
    if cases and wanted > lab.limits.shared_bytes:
        words = shared_arrays.advice(result.submission, lab.limits.shared_bytes)
        yield from note("help", words, width) if words else ()


# --- the wrong answer --------------------------------------------------------------------------


def _wrong_answer(case: ShownCase, result: Result, width: int) -> Iterator[str]:
    wrong = case.run.wrong if case.run else None
    if wrong is None:
        return
    shape = wrong_answer.covering(wrong, result.run.shapes if result.run else ())
    outputs = shape.outputs if shape else None
    yield ""
    yield from titled("wrong answer", "", f"{case.name}: {wrong.explanation}", width)
    lines = element_map_text.drawn(wrong, outputs)
    yield from (f"    {line}" for line in lines)
    if lines:
        legend = element_map_text.legend(wrong, outputs)
        yield from (f"  [dim]{escape(line)}[/]" for line in wrapped(legend, width, 2))
    yield from _owner_note(wrong, width)
    for doubt in mistakes.doubts(wrong, result):
        yield from note("help", doubt.words, width)


def _owner_note(wrong: Wrong, width: int) -> Iterator[str]:
    if wrong.block is not None and wrong.thread is not None:
        who = formatting.thread_of_block(wrong.thread, wrong.block)
        yield from note(formatting.owned(wrong), f"{who}, for {formatting.element(wrong)}", width)
