"""The sum of a check's points for a terminal, and what would give more."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.markup import escape

from ..core.formatting import points
from ..records import ADDED_PARTS, Judgement, Lab, LabKind, Part, Result, Score, Verdict
from .terminal import plain
from .terminal_findings import wrapped


def total_lines(lab: Lab, result: Result, width: int) -> Iterator[str]:
    """The sum of the points, and what would give more."""
    score, kind = result.score, lab.kind
    if score is None or score.total is None:
        whose = "you" if kind is LabKind.ANSWERS else "your kernel"
        yield f"[bold magenta]withheld[/] [bold]of 100 points[/]: an error of the grader, not of {whose}"
        return
    colour = "green" if score.total >= score.possible else "yellow"
    bar = _bar(score.total / score.possible if score.possible else 0.0)
    yield f"[bold]{points(score.total)} of {points(score.possible)} points[/]  [{colour}]{bar}[/]"
    missing: dict[str, float] = {}
    all_right = all(part.earned >= part.possible for part in score.parts if part.kind in ("build", "case"))
    short = [part for part in score.parts if part.earned < part.possible]
    later = " and ".join(
        dict.fromkeys(part.kind for part in short if _is_later(part, all_right, result.judgement))
    )
    for part in short:
        gain = _gain(lab, part, later, all_right, result.judgement)
        if kind is LabKind.ANSWERS:
            gain = "when every answer is right" if part.kind == "case" else "when the file can be marked"
        missing[gain] = missing.get(gain, 0.0) + part.possible - part.earned
    unnamed = _points_for_names(lab, score)
    if unnamed:
        missing["for naming the fault: judged when you hand in, not by check"] = unnamed
    for words, worth in missing.items():
        for at, line in enumerate(wrapped(plain(words), width, 11)):
            start = f"  [bold]+{points(worth):<6}[/]  " if at == 0 else " " * 11
            yield start + escape(line)


def _points_for_names(lab: Lab, score: Score) -> float:
    """The points for names of faults, which `check` does not judge and does not add up."""
    unjudged = {part.name for part in score.parts if part.kind == "fault" and not part.possible}
    return math.fsum(fault.named for fault in lab.faults if f"{fault.name}-named" in unjudged)


def _gain(lab: Lab, part: Part, later: str, all_right: bool, judgement: Judgement | None) -> str:
    if part.kind in ADDED_PARTS:
        return f"{part.name}: {part.sentence}"
    if part.kind == "build":
        return "when it compiles"
    if part.kind == "case":
        return "when every case is right"
    if _is_later(part, all_right, judgement):
        return f"{later}, judged after that"
    if part.kind == "technique":  # its sentence stands above: here is what earns the points
        goal = next((each.goal for each in lab.techniques if each.name == part.name), "")
        return f"{part.name}: {goal or part.sentence}"
    return (
        f"{part.name}: {part.sentence}" if part.kind == "fault" else "performance: as fast as the reference"
    )


def _is_later(part: Part, all_right: bool, judgement: Judgement | None) -> bool:
    return part.kind in ("technique", "performance") and (waits(part, judgement) or not all_right)


def waits(part: Part, judgement: Judgement | None) -> bool:
    """Whether the part was not judged because a case failed: techniques and times are measured for right
    kernels only.
    """
    if judgement is None:
        return False
    wrong = any(case.verdict is not Verdict.PASS for case in judgement.cases)
    if part.kind == "technique":
        judged = {each.name for each in judgement.techniques if each.met is not None}
        return wrong and part.name not in judged
    return part.kind == "performance" and judgement.performance is not None and wrong


def _bar(share: float) -> str:
    full = int(share * 20)
    return "█" * full + "░" * (20 - full)
