"""The report on a wrong kernel: runs one of a lab's mutants on the emulator and keeps its messages.

Handouts ask students what has gone wrong in such a report. It shows neither the kernel nor its line numbers,
because a mutant is nearly the solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..build import toolkit
from ..build.compiler import FATBIN, Compiler, build
from ..build.program import PROGRAM, build_program
from ..core import store
from ..core.code_hash import code_hash
from ..core.errors import GraderError
from ..core.paths import Repository, file_hash, need, text_hash, typed
from ..gpu import spec
from ..judge.findings import in_program_terms, judged
from ..records import BuildStatus, CaseRun, Finding, Lab, LabKind, Run, Size, Visibility
from ..run import datasets, harness
from ..run.harness import HarnessJob, RunnerConfig
from ..run.programs.program import run_program
from ..solution import planted_bugs
from ..solution.markers import View, cut
from ..solution.planted_bugs import PlantedBug
from ..submission.admit import from_file

_MOST_ROWS = 16  # of a map of wrong elements


@dataclass(frozen=True)
class Failure:
    """One wrong kernel in one case."""

    mutant: PlantedBug
    names: tuple[str, ...]  # of the case's parameters
    size: Size  # their values
    report: str  # lines, as in a terminal

    @property
    def parameters(self) -> str:
        """m = 16, n = 16"""
        return ", ".join(f"{name} = {value}" for name, value in zip(self.names, self.size, strict=True))


def named(repository: Repository, lab: Lab, name: str) -> Failure:
    """The failure of the mutant `name`. ValueError if there is none, or its case is hidden from students."""
    mutant = next((each for each in planted_bugs.load(repository, lab.name) if each.name == name), None)
    if mutant is None or not mutant.case:
        raise ValueError(f"{lab.name} has no mutant {name!r} that fails a case")
    if lab.case(mutant.case).visibility is Visibility.HIDDEN:
        raise ValueError(f"the case of the mutant {name!r} is hidden from students")
    return observe(repository, lab, mutant)


def observe(repository: Repository, lab: Lab, mutant: PlantedBug) -> Failure:
    """Compile the mutant and run its case; cached in build/recorded/. GraderError if a tool is missing."""
    source = repository.solution(lab.name) / lab.files[0]
    marked = source.read_text(encoding="utf-8")
    text = cut(planted_bugs.applied(mutant, marked, str(source)), str(source), View.STAFF)
    case = lab.case(mutant.case)
    needed = (repository.emulator, repository.backend, repository.harness(lab.name))
    tools = (need(path, "type `make tools`") for path in needed)
    key = text_hash(text, repr(case), code_hash(__name__), file_hash(*tools))
    folder = repository.root / "build" / "recorded" / f"{lab.name}-{key[:16]}"

    def make() -> Failure:
        return Failure(mutant, case.names, case.size, _run(repository, lab, mutant, text, folder))

    return store.kept(folder, "failure", key, Failure, make)


def _run(repository: Repository, lab: Lab, mutant: PlantedBug, text: str, folder: Path) -> str:
    tools = toolkit.find(repository)
    store.write_text(folder / lab.files[0], text)
    wrong = from_file(folder / lab.files[0], lab, "mutant")
    compiler = Compiler(repository, tools, "none")
    is_program = lab.kind is LabKind.PROGRAM
    built = (build_program if is_program else build)(wrong, lab, compiler, folder)
    if built.status != BuildStatus.BUILT:
        raise GraderError(f"the mutant {mutant.name!r} does not build: {built.summary}", file=lab.folder)
    one = replace(lab, cases=(lab.case(mutant.case),), techniques=())
    data = datasets.prepare(repository, one, datasets.PUBLIC_SALT)
    runner = RunnerConfig(repository, tools, "none", threads=1)
    if is_program:
        run = run_program(built, folder / PROGRAM, wrong, one, runner, compiler, data)
        return "\n".join(_of_program(judged(run, wrong, one, spec.load(repository, runner.gpu_model))))
    report = harness.start(HarnessJob(one, folder / FATBIN, data, ("--mode", "check")), runner, wrong)
    if not report.cases:
        raise GraderError(f"the mutant {mutant.name!r} gave no result", remedy=typed("doctor"))
    shaped = datasets.with_arrays(one, data)
    found = in_program_terms(report.findings, wrong, shaped, shaped.cases[0])
    return "\n".join(_messages(report.cases[0], found))


def _of_program(run: Run) -> list[str]:
    """The findings' messages without numbers of lines; without findings, how it ended."""
    return list(dict.fromkeys(map(_without_lines, run.findings))) or [run.cases[0].message]


def _without_lines(finding: Finding) -> str:
    """The message; "program.cu:55" is "program.cu:…"."""
    message = finding.message
    for place in sorted(finding.named or (), key=len, reverse=True):  # :5 is a part of :55
        message = message.replace(place, place.rpartition(":")[0] + ":…")
    return message


def _messages(case: CaseRun, findings: tuple[Finding, ...]) -> list[str]:
    """The findings' messages; without findings, the harness's message and a map of the wrong elements."""
    messages = list(dict.fromkeys(finding.message for finding in findings))
    if messages:
        return messages
    drawn = "".join(case.wrong.map) if case.wrong else ""
    some_are_right = drawn and len(set(drawn)) > 1 and drawn.count(".") > len(drawn) / 20
    return [case.message, "", *_thinned(case.wrong.map)] if case.wrong and some_are_right else [case.message]


def _thinned(map: tuple[str, ...]) -> tuple[str, ...]:
    """A smaller map: one sign for each square of cells, the worst of them."""
    step = -(-len(map) // _MOST_ROWS)
    rows = range(0, len(map), step)
    return tuple(
        "".join(_worst(row[at : at + step] for row in map[first : first + step]) for at in columns)
        for first in rows
        for columns in [range(0, len(map[first]), step)]
    )


def _worst(cells: Iterable[str]) -> str:
    seen = "".join(cells)
    return next((sign for sign in "#?" if sign in seen), ".")
