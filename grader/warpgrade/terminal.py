"""What the command line shows: a class as a table, one result as lines. Builds them; cli.py prints."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from .disclosure import hidden_cases, shown_cases
from .records import BuildStatus, Finding, Grades, Lab, Part, Place, Problem, Result, Verdict
from .wording import SIGNS

_TONES = {"good": "green", "bad": "red", "idle": "dim", "ours": "magenta"}
_NOT_BUILT = "✗"
_REFUSED = "!"
_MOST_FINDINGS = 8
_MOST_PRINTED = 20  # lines


def class_table(grades: Grades) -> Table:
    """A row a student, a column a lab: points, and a sign for each kind of fault."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("student", no_wrap=True)
    for lab in grades.labs:
        table.add_column(lab.name, no_wrap=True)
    remarks = [student.problem.message if student.problem else "" for student in grades.students]
    if any(remarks):
        table.add_column("remarks", overflow="fold")
    for student, remark in zip(grades.students, remarks, strict=True):
        by_lab = {result.lab: result for result in student.results}
        table.add_row(Text(student.id), *(_cell(by_lab.get(lab.name)) for lab in grades.labs), Text(remark))
    return table


def legend(grades: Grades) -> str:
    """The signs that the table uses, with their words."""
    used = {sign for student in grades.students for result in student.results for sign in _signs(result)}
    known = [*((sign.glyph, sign.words) for sign in SIGNS.values()), (_NOT_BUILT, "does not build")]
    known.append((_REFUSED, "refused"))
    return "   ".join(f"{glyph} {words}" for glyph, words in known if glyph in used)


def _cell(result: Result | None) -> Text:
    if result is None:
        return Text("     –", "dim")
    if result.score is None or result.score.total is None:
        return Text("withheld", "magenta")
    total = result.score.total
    colour = "green" if total >= result.score.possible else ""
    return Text.assemble((f"{points(total):>6}", colour), (f" {''.join(_signs(result))}", "red"))


def _signs(result: Result) -> list[str]:
    if result.status == "refused":
        return [_REFUSED]
    if result.build and result.build.status == BuildStatus.BUILD_FAILED:
        return [_NOT_BUILT]
    verdicts = dict.fromkeys(case.verdict for case in result.judgement.cases) if result.judgement else {}
    return [SIGNS[verdict].glyph for verdict in SIGNS if verdict in verdicts and verdict != Verdict.PASS]


def points(value: float) -> str:
    """Two decimals at most: 62, 87.5, 93.27."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def problem_lines(problem: Problem) -> list[str]:
    place = f"{problem.where}: " if problem.where else ""
    lines = [f"[bold red]{problem.fault}[/]: {escape(place + problem.message)}"]
    return [*lines, f"  [bold]→[/] {escape(problem.remedy)}"] if problem.remedy else lines


# --- one result, as its student may see it -----------------------------------------------------


def result_lines(lab: Lab, result: Result) -> Iterator[str]:
    """Markup for rich, line by line."""
    score = result.score
    total = "withheld" if score is None or score.total is None else points(score.total)
    yield f"[bold]{lab.name}[/]  {escape(lab.title)}: [bold]{total}[/] of 100 points"
    yield ""
    if result.problem:
        yield from problem_lines(result.problem)
    yield from _build_lines(result)
    if result.build is None or result.build.status != BuildStatus.BUILT:
        return
    yield from _case_lines(lab, result)
    for part in score.parts if score else ():
        if part.kind in ("technique", "performance"):
            yield _part_line(part)
    yield from _findings(lab, result)
    if result.run and result.run.printed:
        yield from ("", "[dim]your kernel printed:[/]")
        yield from (escape(_plain(line)) for line in result.run.printed.splitlines()[:_MOST_PRINTED])


def _build_lines(result: Result) -> Iterator[str]:
    build = result.build
    if build is None:
        return
    ok = build.status == BuildStatus.BUILT
    yield f"{'[green]✓' if ok else '[red]✗'}[/] build: {escape(build.summary)}"
    for message in build.diagnostics:
        place = f"{message.file}:{message.line}: " if message.line else ""
        yield f"    {escape(place)}[bold]{message.severity}[/]: {escape(message.text)}"
        if message.source.strip():
            yield f"    [dim]{message.line:5} |[/] {escape(_plain(message.source))}"


def _case_lines(lab: Lab, result: Result) -> Iterator[str]:
    width = max((len(case.name) for case in lab.cases), default=0)
    for shown in shown_cases(lab, result):
        sign = SIGNS[shown.verdict]
        what = "" if shown.verdict == "PASS" else f"{sign.words}: {shown.sentence}".removesuffix(": ")
        colour = _TONES[sign.tone]
        earned = f"{points(shown.earned):>3} / {points(shown.possible):<3}"
        yield f"[{colour}]{sign.glyph}[/] {shown.name:<{width}}  {earned} {escape(_plain(what))}".rstrip()
    hidden = hidden_cases(lab, result)
    if hidden.count:
        mark = "[green]✓" if hidden.passed == hidden.count else "[red]≠"
        earned = f"{points(hidden.earned):>3} / {points(hidden.possible):<3}"
        name = f"{hidden.count} hidden case{'s' if hidden.count > 1 else ''}"
        yield f"{mark}[/] {name:<{width}}  {earned} {hidden.passed} pass"


def _part_line(part: Part) -> str:
    mark = "[green]✓" if part.earned >= part.possible else "[red]·"
    name = part.kind if part.kind == part.name else f"{part.kind} {part.name}"
    return (
        f"{mark}[/] {name}: {points(part.earned)} / {points(part.possible)}: {escape(_plain(part.sentence))}"
    )


def _findings(lab: Lab, result: Result) -> Iterator[str]:
    """Findings of cases that may be shown, each kind and line once."""
    shown = {case.name for case in shown_cases(lab, result) if case.case is not None}
    seen: set[tuple[str, int]] = set()
    for finding in result.run.findings if result.run else ():
        key = (finding.code, finding.place.line)
        if finding.label in shown and key not in seen and len(seen) < _MOST_FINDINGS:
            seen.add(key)
            yield from ("", *_finding_lines(finding))


def _finding_lines(finding: Finding) -> Iterator[str]:
    colour = "red" if finding.severity == "error" else "yellow"
    yield f"[bold {colour}]{finding.severity} {finding.code}[/] {escape(_plain(finding.message))}"
    yield from _place_lines(finding.place)
    if finding.other:
        yield from _place_lines(finding.other)
    for standing in finding.standing[:8]:
        yield escape(
            f"    warp {standing.warp} {standing.state} at line {standing.line}: {_plain(standing.source)}"
        )
    if finding.help:
        yield f"    [bold]help[/]: {escape(_plain(finding.help))}"


def _place_lines(place: Place) -> Iterator[str]:
    who = f"block {_index(place.block)} thread {_index(place.thread)} {place.access}".strip()
    yield f"    [cyan]{escape(place.file)}:{place.line}[/]  {escape(who)}"
    if place.source.strip():
        yield f"    [dim]{place.line:5} |[/] {escape(_plain(place.source))}"


def _index(parts: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, parts))})"


def _plain(text: str) -> str:
    """No control characters: a terminal would obey them."""
    return "".join(c if c.isprintable() else " " for c in text).rstrip()
