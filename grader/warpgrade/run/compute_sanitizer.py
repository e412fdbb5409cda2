"""NVIDIA's compute-sanitizer as a second opinion on a GPU: it runs the harness, and its reports become
findings.

It sees what the hardware did in this one run. The emulator sees every access and therefore decides
about races in shared memory and about uninitialised reads. Where the two differ, both are shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..build import diagnostics
from ..build.toolkit import Toolkit
from ..records import Finding, Memory, Place, Submission
from ..tables import finding_kinds
from ..tables.finding_kinds import FindingKind
from . import harness
from .harness import SANITIZER, HarnessJob, RunnerConfig

LABEL = "compute-sanitizer"  # label of its findings; other findings have the name of a case
_TOOLS = ("memcheck", "racecheck", "synccheck")
_PROGRAM = "compute-sanitizer"
_FOLDERS = ("/usr/local/cuda/compute-sanitizer", "/opt/cuda/extras/compute-sanitizer")
_SLOWER = 10  # times the lab's limit
_PREFIX = "========="
_LONGEST_LINE = 1000  # characters; a kernel may print lines of this form, of any length
_MOST_LINES = 100  # of one report
_AT = re.compile(
    r"\bat (?P<kernel>[\w:<>~ ]{1,500}+)(?:\(.*?\))?\+0x[0-9a-f]+(?: in (?P<file>[^:\n]*):(?P<line>\d+))?"
)
_BY = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_ACCESS = re.compile(r"(?:Access to|Access at|Address) (0x[0-9a-f]+)(?: is (.*))?")
_NEAREST = re.compile(
    r"and is (?:([\d,]+) bytes (after|before)|inside) the nearest allocation at 0x[0-9a-f]+ of size ([\d,]+)"
)


def _memory_kind(match: re.Match[str], whole: str) -> str:
    if "misaligned" in whole:
        return "misaligned"
    return "out-of-bounds-read" if match[2] == "read" else "out-of-bounds-write"


def _race_kind(match: re.Match[str], whole: str) -> str:
    return "race-write-write" if len(re.findall(r"Write access", whole)) > 1 else "race-read-write"


# A report's first line, and the name of its kind in the emulator's table from that line and the whole report.
_SUBJECTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], str]], ...] = (
    (re.compile(r"Invalid __(\w+)__ (read|write|atomic) of size (\d+)"), _memory_kind),
    (re.compile(r"Error: Race reported between (\w+) access at .*"), _race_kind),
    (re.compile(r"Uninitialized __(\w+)__ memory read of size (\d+)"), lambda *_: "uninitialised-read"),
    (re.compile(r"Barrier error detected\. (.*)"), lambda *_: "barrier-divergent"),
)


def folder(toolkit: Toolkit) -> Path | None:
    """The folder of compute-sanitizer; None if it is not installed."""
    for place in (toolkit.folder / _PROGRAM, *map(Path, _FOLDERS)):
        if (place / _PROGRAM).is_file():
            return place.resolve()
    return None


def opinion(
    job: HarnessJob, runner: RunnerConfig, submission: Submission, endless: Collection[str] = ()
) -> tuple[Finding, ...]:
    """The findings of each of its tools on the GPU, in those of the lab's cases that end."""
    ending = [case.name for case in job.lab.cases if case.name not in endless]
    if not ending:
        return ()
    only = (f"--subcase={','.join(ending)}",) if endless else ()
    found: list[Finding] = []
    kinds = finding_kinds.load(runner.repository)
    limits = replace(job.lab.limits, seconds=job.lab.limits.seconds * _SLOWER)
    for tool in _TOOLS:
        command = (
            f"{SANITIZER}/{_PROGRAM}",
            "--tool",
            tool,
            "--print-limit",
            "1000",
            "--launch-timeout",
            "0",
        )
        asked = replace(job, tool=command, lab=replace(job.lab, limits=limits),
                        arguments=("--mode", "check", *only))  # fmt: skip
        report = harness.start(asked, runner, submission)
        found += parse(report.outcome.stdout + report.outcome.stderr, kinds, submission)
    return tuple(found)


@dataclass(frozen=True)
class _Report:
    """One report: its first line and the lines below it."""

    head: str
    lines: tuple[str, ...]


def parse(
    text: str, kinds: Iterable[FindingKind], submission: Submission | None = None
) -> tuple[Finding, ...]:
    """Findings from its output, one for each kind and line. Lines of unknown form are skipped."""
    by_name = {kind.name: kind for kind in kinds}
    seen: dict[tuple[str, str, int], Finding] = {}
    for report in _reports(text):
        finding = _finding(report, by_name, submission)
        if finding is None:
            continue
        key = (finding.kind, finding.place.file, finding.place.line)
        known = seen.get(key)
        seen[key] = replace(known, times=known.times + 1) if known else finding
    return tuple(seen.values())


def _reports(text: str) -> Iterator[_Report]:
    """Split the output into reports. Lines of compute-sanitizer begin with equals signs; an empty one ends a
    report. Other lines are the program's own output and are skipped.
    """
    lines: list[str] = []
    for line in [*text.splitlines(), _PREFIX]:
        if not line.startswith(_PREFIX):
            continue
        words = line[:_LONGEST_LINE].removeprefix(_PREFIX).strip()
        if lines and (not words or any(subject.match(words) for subject, _ in _SUBJECTS)):
            yield _Report(lines[0], tuple(lines))
            lines = []
        is_of_report = lines or any(subject.match(words) for subject, _ in _SUBJECTS)
        if words and is_of_report and len(lines) < _MOST_LINES:
            lines.append(words)


def _finding(
    report: _Report, kinds: Mapping[str, FindingKind], submission: Submission | None
) -> Finding | None:
    for subject, kind_name in _SUBJECTS:
        match = subject.match(report.head)
        if match is None:
            continue
        whole = "\n".join(report.lines)
        kind = kinds[kind_name(match, whole)]
        places = [_place(at, whole, submission) for at in _AT.finditer(whole)] or [Place()]
        return Finding(
            label=LABEL,
            check=kind.check,
            kind=kind.name,
            code=kind.code,
            severity=kind.severity,
            message=f"compute-sanitizer: {_sentence(report)}",
            place=places[0],
            kernel=(_AT.search(whole) or {"kernel": ""})["kernel"],
            other=places[1] if len(places) > 1 else None,
            memory=_memory(whole, match, kind.check),
        )
    return None


def _sentence(report: _Report) -> str:
    """The first line of the report without its place, and what the report says about the address."""
    words = _AT.sub("", report.head).removeprefix("Error: ").strip().rstrip(".")
    if words.startswith("Race"):
        words += f" {_AT.sub('', report.lines[1]).split('[')[0].strip()}" if len(report.lines) > 1 else ""
    access = next((match for line in report.lines if (match := _ACCESS.search(line))), None)
    nearest = next((match for line in report.lines if (match := _NEAREST.search(line))), None)
    if access and access[2]:
        words += f"; the address is {access[2]}"
    if nearest and nearest[1]:
        words += f", {nearest[1]} bytes {nearest[2]} the nearest allocation ({nearest[3]} bytes)"
    return words


def _place(at: re.Match[str], whole: str, submission: Submission | None) -> Place:
    file = Path(at["file"] or "").name
    line = int(at["line"] or 0)
    by = _BY.search(whole)
    numbers = tuple(map(int, by.groups())) if by else ()
    text = (submission.source(file) if submission else None) or ""
    source = diagnostics.source_line({file: text}, file, line)
    return Place(file, line, source=source, block=numbers[3:], thread=numbers[:3])


def _memory(whole: str, match: re.Match[str], check: str) -> Memory | None:
    access, nearest = _ACCESS.search(whole), _NEAREST.search(whole)
    if access is None:
        return None
    space = match[1] if check in ("memory", "init") else ""
    size = int(match[match.re.groups]) if check in ("memory", "init") else 0
    if nearest is None:
        return Memory(space=space, address=access[1], bytes=size)
    distance = int((nearest[1] or "0").replace(",", ""))
    bytes_of = int(nearest[3].replace(",", ""))
    return Memory(space=space, address=access[1], bytes=size, allocation_bytes=bytes_of, distance=distance,
                  relation=nearest[2] or "inside")  # fmt: skip
