"""One kernel's check as a terminal shows it: cases, findings, the wrong answer drawn, points, what next.

Builds lines of rich's markup, wrapped to a width; cli.py prints them. Only what `disclosure` lets a
student see is shown.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.markup import escape

from . import textmap, wording, wrongwords
from .disclosure import ShownCase, hidden_cases, redact, shown_cases, shown_findings
from .records import BuildStatus, Diagnostic, Finding, Lab, Part, Place, Result, Standing, Verdict, Wrong
from .terminal import plain, points, problem_lines

_TONES = {"good": "green", "bad": "red", "idle": "dim", "ours": "magenta"}
_MOST_FINDINGS = 5
_MOST_DIAGNOSTICS = 6
_MOST_STANDING = 4
_MOST_PRINTED = 20  # lines
_TABS = 4


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
    earned = lab.build_points if built else 0.0
    words = f"compiles: {build.summary}" if built else "does not compile"
    return _row("✓" if built else "✗", "good" if built else "bad", "build", (earned, lab.build_points),
                words, width, lab)  # fmt: skip


def case_row(lab: Lab, case: ShownCase, codes: Sequence[str], width: int) -> list[str]:
    sign = wording.SIGNS[case.verdict]
    words = "" if case.verdict is Verdict.PASS else _in_brief(case, codes)
    return _row(sign.glyph, sign.tone, case.name, (case.earned, case.possible), words, width, lab)


def hidden_row(lab: Lab, result: Result, width: int) -> list[str]:
    hidden = hidden_cases(lab, result)
    if not hidden.count:
        return []
    all_pass = hidden.passed == hidden.count
    name = wording.amount(hidden.count, "hidden case")
    words = "" if all_pass else f"{hidden.passed} of {hidden.count} pass"
    return _row("✓" if all_pass else "≠", "good" if all_pass else "bad", name,
                (hidden.earned, hidden.possible), words, width, lab)  # fmt: skip


def part_row(lab: Lab, part: Part, width: int) -> list[str]:
    full = part.earned >= part.possible
    tone = "good" if full else "bad" if part.earned == 0 else "idle"
    waits = "once its case is right" if part.kind == "technique" else "once every case is right"
    sentence = waits if _waits(part) else redact(lab, part.sentence)
    return _row("✓" if full else "·", tone, part.name, (part.earned, part.possible), sentence, width, lab)


def _row(
    sign: str, tone: str, name: str, worth: tuple[float, float] | str, words: str, width: int, lab: Lab
) -> list[str]:
    """`✓ 16x16x16-integers   4/4   words`, the words wrapped below themselves."""
    column = max(len("performance"), *(len(case.name) for case in lab.cases))
    earned = worth if isinstance(worth, str) else f"{points(worth[0])}/{points(worth[1])}"
    start = f"{name:<{column}}  {earned:>8}  "
    wrapped = _wrapped(plain(words), width, 2 + len(start)) or [""]
    first = f"[{_TONES[tone]}]{sign}[/] {escape(start)}{escape(wrapped[0])}".rstrip()
    return [first, *(" " * (2 + len(start)) + escape(line) for line in wrapped[1:])]


def _in_brief(case: ShownCase, codes: Sequence[str]) -> str:
    """A few words; what they mean stands below."""
    words = wording.SIGNS[case.verdict].words
    if case.case is None or case.verdict is Verdict.GRADER_ERROR:
        return words
    if codes:
        return f"{words}: {', '.join(codes)}"
    wrong = case.run.wrong if case.run else None
    if case.verdict is Verdict.WRONG_ANSWER and wrong:
        many = "all" if wrong.count == wrong.total else f"{wrong.count:,} of"
        return f"{words}: {many} {wording.amount(wrong.total, 'element')}"
    if case.verdict is Verdict.RESOURCES:
        return words  # the sentence is the same for all: see _refusals()
    return f"{words}: {case.sentence}" if case.sentence else words


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    return textwrap.wrap(text, max(24, width - indent), break_on_hyphens=False)


# --- everything of a result --------------------------------------------------------------------


def result_lines(lab: Lab, result: Result, width: int = 80) -> Iterator[str]:
    """All of it: for where nothing was shown while it ran."""
    yield from build_row(lab, result, width)
    if result.build is not None and result.build.status == BuildStatus.BUILT:
        for case in shown_cases(lab, result):
            yield from case_row(lab, case, codes_of(result, case.name), width)
    yield from closing_lines(lab, result, width)


def codes_of(result: Result, case: str) -> tuple[str, ...]:
    cases = result.judgement.cases if result.judgement else ()
    return next((item.codes for item in cases if item.name == case), ())


def closing_lines(lab: Lab, result: Result, width: int) -> Iterator[str]:
    """What comes after the visible cases."""
    built = result.build is not None and result.build.status == BuildStatus.BUILT
    if built:
        yield from hidden_row(lab, result, width)
        for part in result.score.parts if result.score else ():
            if part.kind in ("technique", "performance"):
                yield from part_row(lab, part, width)
            elif part.kind == "adjustment":
                sign = "good" if part.earned > 0 else "bad"
                yield from _row("±", sign, part.name, wording.signed(part.earned), part.sentence, width, lab)
    if result.problem:
        yield ""
        yield from problem_lines(result.problem)
    yield from diagnostic_lines(result, width)
    if built:
        yield from _refusals(lab, result, width)
        yield from _findings(lab, result, width)
    if result.run and result.run.printed:
        yield from ("", "[bold]your kernel printed[/]")
        lines = result.run.printed.splitlines()
        yield from (f"  {escape(plain(line))}" for line in lines[:_MOST_PRINTED])
        if len(lines) > _MOST_PRINTED:
            yield f"  [dim]… and {len(lines) - _MOST_PRINTED} more lines[/]"
    yield ""
    yield from total_lines(result, width)


# --- source, as a compiler shows it ------------------------------------------------------------


@dataclass(frozen=True)
class _Spot:
    """A line of the student's file, the part of it that is meant, and what happens there."""

    place: str
    line: int
    source: str
    column: int  # counted from 1, 0 where unknown
    length: int
    words: str


def _spot_lines(spots: Sequence[_Spot], width: int) -> Iterator[str]:
    digits = max(3, *(len(str(spot.line)) for spot in spots))
    margin = " " * digits
    for at, spot in enumerate(spots):
        corner = "┌" if at == 0 else "├"
        yield f"{margin} [blue]{corner}─[/] [cyan]{escape(spot.place)}[/]"
        source, column = _clipped(spot, width - digits - 3)
        if source.strip():
            yield f"[blue]{spot.line:>{digits}} │[/] {escape(source)}"
            if column:
                yield f"{margin} [blue]│[/] {' ' * (column - 1)}[bold red]{'^' * max(1, spot.length)}[/]"
        if spot.words:
            yield f"{margin} [blue]│[/] {escape(spot.words)}"
    yield f"{margin} [blue]└─[/]"


def _clipped(spot: _Spot, width: int) -> tuple[str, int]:
    """The line without tabs and no longer than the screen, and the column that is meant in it."""
    before = plain(spot.source[: max(0, spot.column - 1)].expandtabs(_TABS), keep_end=True)
    text = plain(spot.source.expandtabs(_TABS))
    column = len(before) + 1 if spot.column else 0
    if len(text) <= width:
        return text, column
    start = max(0, min(column - width // 2, len(text) - width))
    text = text[start : start + width]
    text = ("…" + text[1:]) if start else text
    text = (text[:-1] + "…") if start + width < len(plain(spot.source.expandtabs(_TABS))) else text
    return text, max(0, column - start) if column else 0


# --- the compiler's words ----------------------------------------------------------------------


def diagnostic_lines(result: Result, width: int) -> Iterator[str]:
    messages = result.build.diagnostics if result.build else ()
    errors = [message for message in messages if message.severity == "error"]
    messages = tuple(errors) or messages  # warnings beside an error mostly follow from it
    if result.build and result.build.status == BuildStatus.BUILD_FAILED and not messages:
        yield from ("", escape(plain(result.build.summary)))
    for message in messages[:_MOST_DIAGNOSTICS]:
        yield from ("", *_titled(message.severity, "", message.text, width))
        if message.line:
            column, length = _named_in(message)
            place = f"{wording.base_name(message.file)}:{message.line}"
            spot = _Spot(place, message.line, message.source, column, length, "")
            yield from _spot_lines([spot], width)
        if message.text.startswith("expected a"):
            yield from _note(
                "help", "It is missed here; often it belongs to the end of the line before.", width
            )
    if len(messages) > _MOST_DIAGNOSTICS:
        yield f"[dim]… and {len(messages) - _MOST_DIAGNOSTICS} more messages; the first one counts most[/]"


def _named_in(message: Diagnostic) -> tuple[int, int]:
    """Column and length of the identifier that the compiler quotes, (0, 0) where it is not in the line."""
    quoted = re.search(r'"(\w+)"', message.text)
    found = re.search(rf"\b{re.escape(quoted[1])}\b", message.source) if quoted else None
    return (found.start() + 1, found.end() - found.start()) if found else (0, 0)


def _titled(severity: str, code: str, text: str, width: int) -> list[str]:
    title = f"{severity}[{code}]" if code else severity
    colour = "red" if severity == "error" else "yellow" if severity == "warning" else "blue"
    wrapped = textwrap.wrap(plain(text), max(30, width - 2), initial_indent=" " * (len(title) + 2),
                            break_on_hyphens=False) or [""]  # fmt: skip
    first = f"[bold {colour}]{escape(title)}[/][bold]: {escape(wrapped[0].lstrip())}[/]"
    return [first, *(f"  [bold]{escape(line)}[/]" for line in wrapped[1:])]


# --- findings ----------------------------------------------------------------------------------


def _findings(lab: Lab, result: Result, width: int) -> Iterator[str]:
    """Each kind at each line once: errors, then wrong numbers, then warnings."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in shown_findings(lab, result):
        other = finding.other.line if finding.other else 0
        groups.setdefault((finding.code, *sorted((finding.place.line, other))), []).append(finding)
    ordered = list(groups.values())
    errors = [group for group in ordered[:_MOST_FINDINGS] if group[0].severity == "error"]
    for group in errors:
        yield ""
        yield from finding_lines(group, width)
    yield from _wrong_answer(lab, result, width)
    for group in ordered[len(errors) : _MOST_FINDINGS]:
        yield ""
        yield from finding_lines(group, width)
    if len(ordered) > _MOST_FINDINGS:
        yield f"\n[dim]… and {len(ordered) - _MOST_FINDINGS} more findings; mend the first and check again[/]"


def _refusals(lab: Lab, result: Result, width: int) -> Iterator[str]:
    """Why nothing was launched: the same for all cases, so it is said once."""
    cases = [case for case in shown_cases(lab, result) if case.verdict is Verdict.RESOURCES]
    for sentence in dict.fromkeys(case.sentence for case in cases if case.sentence):
        yield ""
        yield from _titled("error", "", sentence.removesuffix("."), width)


def finding_lines(group: Sequence[Finding], width: int) -> Iterator[str]:
    """One finding and how often it was seen. `group`: the same finding in several cases."""
    finding = group[0]
    yield from _titled(finding.severity, finding.code, _sentence(finding), width)
    sides = [finding.place, *([finding.other] if finding.other else [])]
    spots = [_spot(side, finding) for side in sides if side.line]
    if spots:
        yield from _spot_lines(spots, width)
    yield from _standing_lines(finding.standing, width)
    yield from _note("seen in", _where_seen(group), width)
    if finding.help:
        yield from _note("help", finding.help, width)


def _sentence(finding: Finding) -> str:
    """The message begins with a small letter, as a compiler's does."""
    text = finding.message.removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _spot(side: Place, finding: Finding) -> _Spot:
    name = finding.memory.allocation.split()[-1] if finding.memory and finding.memory.allocation else ""
    found = re.search(rf"\b{re.escape(name)}\s*\[", side.source) if name else None
    if found and len(re.findall(rf"\b{re.escape(name)}\s*\[", side.source)) == 1:
        column, length = found.start() + 1, len(name)
    else:
        column, length = side.column, 1
    where = f"{wording.base_name(side.file)}:{side.line}"
    if side.inlined_at:
        where += f" (inlined at {wording.base_name(side.inlined_at)})"
    at_barrier = "waits" if side is finding.place else "goes past"
    verbs = {"read": "reads", "write": "writes", "atomic": "updates", "barrier": at_barrier}
    verb = verbs.get(side.access, side.access)
    who = ""
    if side.thread:
        who = f"thread {wording.index(side.thread)} of block {wording.index(side.block)} {verb}".rstrip()
    return _Spot(where, side.line, side.source, column, length, who)


def _standing_lines(standing: Sequence[Standing], width: int) -> Iterator[str]:
    """Where the warps stood, those at one line together."""
    places: dict[tuple[int, str, str], list[int]] = {}
    for item in standing:
        places.setdefault((item.line, item.state, item.source), []).append(item.warp)
    for (line, state, source), warps in list(places.items())[:_MOST_STANDING]:
        who = f"warp {warps[0]}" if len(warps) == 1 else f"{len(warps)} warps"
        start, code = f"{who}, line {line}, {plain(wording.stood(state))}:", plain(source.strip())
        room = max(20, width - len(start) - 3)
        code = code if len(code) <= room else code[: room - 1] + "…"
        yield f"  [dim]{escape(start)}[/] {escape(code)}"


def _where_seen(group: Sequence[Finding]) -> str:
    names = list(dict.fromkeys(finding.label for finding in group))
    more = f" and {wording.amount(len(names) - 1, 'more case')}" if len(names) > 1 else ""
    times = sum(finding.times for finding in group)
    first = names[0] if not names[0].startswith("time/") else "the timed run"
    return f"{first}{more}" + (f", {times:,} times" if times > 1 else "")


def _note(word: str, text: str, width: int) -> Iterator[str]:
    indent = len(word) + 6
    for at, line in enumerate(_wrapped(plain(text), width, indent)):
        yield f"  [blue]=[/] [bold]{word}[/]: {escape(line)}" if at == 0 else " " * indent + escape(line)


# --- the wrong answer --------------------------------------------------------------------------


def _wrong_answer(lab: Lab, result: Result, width: int) -> Iterator[str]:
    """The first wrong answer that no finding explains better."""
    cases = [case for case in shown_cases(lab, result) if case.verdict is Verdict.WRONG_ANSWER]
    shape = result.run.launch_shape if result.run else None
    seen: set[str] = set()
    for case in cases:
        wrong = case.run.wrong if case.run else None
        if case.case is None or wrong is None or wrong.pattern in seen or len(seen) == 2:
            continue
        seen.add(wrong.pattern)
        size = (case.case.m, case.case.n)
        yield ""
        yield from _titled("wrong answer", "", f"{case.name}: {wrong.explanation}", width)
        lines = textmap.drawn(wrong, size, shape.outputs if shape else None)
        yield from (f"    {line}" for line in lines)
        if lines:
            legend = textmap.legend(wrong, size, shape.outputs if shape else None)
            yield from (f"  [dim]{escape(line)}[/]" for line in _wrapped(legend, width, 2))
        yield from _owner_note(wrong, width)
        for words in wrongwords.doubts(wrong, shape, result.submission):
            yield from _note("help", words, width)


def _owner_note(wrong: Wrong, width: int) -> Iterator[str]:
    if wrong.block is not None and wrong.thread is not None:
        who = f"thread {wording.index(wrong.thread)} of block {wording.index(wrong.block)}"
        yield from _note(wording.owned(wrong), f"{who}, for C[{wrong.row}][{wrong.column}]", width)


# --- points ------------------------------------------------------------------------------------


def total_lines(result: Result, width: int) -> Iterator[str]:
    """The sum, and what would bring more."""
    score = result.score
    if score is None or score.total is None:
        yield "[bold magenta]withheld[/] [bold]of 100 points[/]: a fault of ours, not of your kernel"
        return
    colour = "green" if score.total >= score.possible else "yellow"
    bar = _bar(score.total / score.possible if score.possible else 0.0)
    yield f"[bold]{points(score.total)} of {points(score.possible)} points[/]  [{colour}]{bar}[/]"
    missing: dict[str, float] = {}
    all_right = all(part.earned >= part.possible for part in score.parts if part.kind in ("build", "case"))
    short = [part for part in score.parts if part.earned < part.possible]
    later = " and ".join(dict.fromkeys(part.kind for part in short if _is_later(part, all_right)))
    for part in short:
        gain = _gain(part, later, all_right)
        missing[gain] = missing.get(gain, 0.0) + part.possible - part.earned
    for words, worth in missing.items():
        for at, line in enumerate(_wrapped(plain(words), width, 11)):
            start = f"  [bold]+{points(worth):<6}[/]  " if at == 0 else " " * 11
            yield start + escape(line)


def _gain(part: Part, later: str, all_right: bool) -> str:
    if part.kind == "build":
        return "when it compiles"
    if part.kind == "case":
        return "when every case is right"
    if _is_later(part, all_right):
        return f"{later}, judged after that"
    return (
        f"{part.name}: {part.sentence}"
        if part.kind == "technique"
        else "performance: as fast as the reference"
    )


def _is_later(part: Part, all_right: bool) -> bool:
    return part.kind in ("technique", "performance") and (_waits(part) or not all_right)


def _waits(part: Part) -> bool:
    return part.sentence.startswith(("not judged", "not timed: only"))


def _bar(share: float) -> str:
    full = int(share * 20)
    return "█" * full + "░" * (20 - full)
