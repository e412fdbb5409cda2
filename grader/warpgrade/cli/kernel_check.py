"""Checks one kernel and prints each result as soon as it is known: `check`, `watch` and `profile`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..answers.stages import name_in
from ..core import store
from ..core.errors import ExitCode, UsageError
from ..core.paths import Repository, typed
from ..core.scratch import scratch_folder
from ..course import guess, lab
from ..feedback import by_chance, drawn_sizes, mistakes
from ..feedback.disclosure import ShownCase, shown_cases, shown_findings
from ..feedback.next_step import after
from ..feedback.unoptimised import TITLE, only_in
from ..gpu.spec import GpuSpec
from ..grading import pipeline
from ..grading.reference import changed_source
from ..grading.session import Options, Session, prepare
from ..judge import verdict
from ..records import (
    Build,
    BuildStatus,
    CaseRun,
    Finding,
    Grades,
    Lab,
    LabKind,
    LaunchShape,
    LocatedMistake,
    Result,
    StageRecords,
    Student,
    Verdict,
    Visibility,
)
from ..records.lab import UNTIMED
from ..report import terminal_check, terminal_findings
from ..run import datasets
from ..sandbox import choice
from ..student import progress
from ..student.locate import search, words
from ..student.locate.wanted import wanted_cases
from ..submission import admit
from .console import escape, near, next_step, width
from .parameters import MachineOptions

if TYPE_CHECKING:
    from rich.console import Console

    from ..drawing.source_lines import LinePicture

_SEARCH_SECONDS = 8.0  # of `check` for the line of a mistake without a known remedy


@dataclass(frozen=True)
class Subject:
    """A kernel to check. `file`: its path as an argument; empty for the lab's own kernel.cu."""

    repository: Repository
    lab: Lab
    path: Path
    file: str

    def command(self, word: str) -> str:
        """A command about this kernel: "profile 05-scan mine.cu"."""
        return f"{word} {self.words}"

    @property
    def words(self) -> str:
        """The arguments that mean this kernel: "05-scan mine.cu"."""
        return " ".join(filter(None, (self.lab.name, self.file)))


def subject_of(repository: Repository, name: str, file: Path | None) -> Subject:
    """The kernel that the command line names: by its lab, its file or both. UsageError without such a lab."""
    if file is None and Path(name).is_file():
        name, file = guess.lab_of(repository, Path(name)), Path(name)
    elif file is None and Path(name).suffix and not lab.meant(name, repository.lab_names()):
        raise UsageError("is not there", file=name, remedy=f"name a file of yours, or a lab: {typed('list')}")
    chosen = lab.named(repository, name)
    own = repository.labs / chosen.name / chosen.files[0]
    path = file or own
    is_own = path.exists() and own.exists() and path.samefile(own)
    return Subject(repository, chosen, path, "" if is_own or file is None else shlex.quote(str(file)))


def session_for(subject: Subject, machine: MachineOptions, console: Console) -> Session:
    sandbox, trouble = choice.for_trusted_code(machine.sandbox)
    if trouble:
        console.print(f"[yellow]note[/]: {escape(choice.instead(sandbox, trouble))}", soft_wrap=True)
    options = Options(machine.device, sandbox, machine.gpu_model, practice=True)
    session = prepare(subject.repository, [subject.lab], options)
    if changed := changed_source(subject.repository, subject.lab.name):
        changes = f"{near(changed)} has changed since the harness was built, which judges as before:"
        changes += " make tools"
        console.print(f"[yellow]note[/]: {escape(changes)}", soft_wrap=True)
    return replace(session, runner=replace(session.runner, threads=0))


def check(subject: Subject, session: Session, console: Console, quiet: bool) -> Result:
    """Grade the kernel. Prints each result as soon as it is known, unless `quiet`."""
    with scratch_folder(subject.repository) as folder:
        return check_in(folder, subject, session, console, quiet)


def check_in(folder: Path, subject: Subject, session: Session, console: Console, quiet: bool) -> Result:
    """Like `check`, with `folder` for the compiled kernel."""
    handed = admit.from_file(subject.path, subject.lab, _student(subject))
    if quiet:
        result = pipeline.grade_one(handed, session.prepared_labs[0], folder, session)
    else:
        for line in [*terminal_check.header(subject.lab, near(subject.path), width(console)), ""]:
            console.print(line, soft_wrap=True)
        printer = ResultPrinter(console, subject, folder, session.gpu)
        early = session.setting.device != "gpu"  # a GPU's result can still change a case's verdict
        session = replace(session, runner=replace(session.runner, on_case=printer if early else None))
        result = pipeline.grade_one(handed, session.prepared_labs[0], folder, session)
        printer.print_rest(result)
        printer.print_note(by_chance.sentence(subject.lab, result))
        if datasets.secret(subject.repository) == datasets.DEFAULT_SALT:
            printer.print_note(drawn_sizes.sentence(subject.lab, result))
    note = progress.note_named if subject.file else progress.note_check
    note(subject.repository, subject.lab, result)
    return result


def unoptimised(subject: Subject, session: Session, result: Result) -> tuple[Finding, ...]:
    """Findings of visible cases that only a build without optimisation shows. UsageError where there can be
    none: on a GPU, and for labs without kernels."""
    kernels = (LabKind.KERNELS, LabKind.DEBUG)
    if subject.lab.kind not in kernels or session.setting.device == "gpu":
        raise UsageError("--thorough is for kernels on the emulator", remedy=typed(subject.command("check")))
    plain = replace(session, compiler=replace(session.compiler, optimised=False))
    prepared = session.prepared_labs[0]
    # Nobody reads the times of such a build.
    untimed = replace(prepared, lab=replace(prepared.lab, performance=UNTIMED, techniques=()))
    handed = admit.from_file(subject.path, subject.lab, _student(subject))
    with scratch_folder(subject.repository) as folder:
        again = pipeline.grade_one(handed, untimed, folder, plain)
    return only_in(shown_findings(subject.lab, again), shown_findings(subject.lab, result))


def located(
    subject: Subject, session: Session, result: Result, console: Console, seconds: float
) -> LocatedMistake | None:
    """The line, or two, whose change makes every visible case right, if found in time. UsageError for labs in
    which it cannot be looked for, and where no visible case is wrong or a kernel cannot be launched."""
    if not search.can_locate(subject.lab):
        remedy = typed(subject.command("check"))
        raise UsageError(f"{subject.lab.name} has no kernel whose mistake can be looked for", remedy=remedy)
    wanted = wanted_cases(subject.lab, result)
    if result.submission is None or not wanted.cases:
        why = "a kernel cannot be launched" if _wrong(subject.lab, result) else "no visible case is wrong"
        raise UsageError(why, remedy=typed(subject.command("check")))
    about = search.CheckedKernel(result.submission, session.prepared_labs[0], session, result)
    doing = "looking for the line whose change makes the cases right"
    with console.status(doing) as status:
        effort = search.Effort(
            seconds, lambda tried, of: status.update(f"{doing}: {tried:,} of {of:,} edits")
        )
        found = search.locate(about, effort)
    return words.located(found, result.submission.files[0], wanted.kernels) if found else None


def print_line_to_look_at(subject: Subject, session: Session, result: Result, console: Console) -> None:
    """Of a kernel that is wrong without a known remedy, if it is found in a few seconds."""
    is_begun = not all(mistakes.is_untouched(case) for case in _wrong(subject.lab, result))
    is_worth_it = is_begun and search.can_locate(subject.lab) and wanted_cases(subject.lab, result).cases
    if is_worth_it and not mistakes.has_remedy(subject.lab, result):
        found = located(subject, session, result, console, _SEARCH_SECONDS)
        if found:
            print_located(subject, found, console)


def _wrong(lab: Lab, result: Result) -> list[ShownCase]:
    return [case for case in shown_cases(lab, result) if case.run and case.verdict is not Verdict.PASS]


def print_located(subject: Subject, found: LocatedMistake, console: Console) -> None:
    for line in terminal_findings.located_lines(found, width(console), lambda _: near(subject.path)):
        console.print(line, soft_wrap=True)


def print_unoptimised(subject: Subject, found: Sequence[Finding], console: Console) -> None:
    """Print findings that only a build without optimisation shows, each line once."""
    if not found:
        console.print("Without optimisation the compiler's code shows nothing else.", soft_wrap=True)
        return
    console.print(f"\n{TITLE}", soft_wrap=True)
    for line in terminal_findings.findings_by_line(found, width(console), lambda _: near(subject.path)):
        console.print(line, soft_wrap=True)


def write_page(
    subject: Subject,
    session: Session,
    result: Result,
    path: Path,
    pictures: Sequence[LinePicture] = (),
) -> None:
    """Write the result as a student's page."""
    from ..report import html

    student = Student("you", "Your kernel", subject.path.name, (result,))
    grades = Grades(session.setting, session.labs, (student,))
    shown = {subject.lab.name: pictures} if pictures else {}
    html.write_one(grades, student, path, shown, subject.words)


def _student(subject: Subject) -> str:
    """Who checks: for questions, the student whose name the sheet has, as her values depend on it."""
    if subject.lab.kind is not LabKind.ANSWERS:
        return "you"
    name = name_in(subject.path)
    if name == "":
        remedy = typed(f"sheet {subject.lab.name} YOUR-NAME {subject.file}".strip())
        raise UsageError("has no student's name, so nobody's values", file=near(subject.path), remedy=remedy)
    return admit.identity(name) if name else "you"


def exit_code(result: Result) -> ExitCode:
    if result.status == "withheld":
        return ExitCode.GRADER
    cases = result.judgement.cases if result.judgement else ()
    faults = (result.judgement.faults or ()) if result.judgement else ()
    is_right = bool(cases) and all(case.verdict == Verdict.PASS for case in cases)
    is_right = is_right and all(fault.repaired for fault in faults)
    is_right = is_right and not verdict.in_timed_launches(result.run)
    return ExitCode.DONE if is_right else ExitCode.NOT_RIGHT


def print_advice(subject: Subject, result: Result, console: Console) -> None:
    later = [name for name in subject.repository.lab_names() if name > subject.lab.name]
    step = after(subject.lab, result, subject.file, later[0] if later else "")
    next_step(console, step.why, step.command)


@dataclass
class ResultPrinter:
    """Prints each case when it ends, and the rest at the end, each once."""

    console: Console
    subject: Subject
    folder: Path
    gpu: GpuSpec
    printed: dict[str, Verdict] = field(default_factory=dict)
    build: Build | None = None

    @property
    def lab(self) -> Lab:
        return self.subject.lab

    def __call__(self, case: CaseRun, findings: tuple[Finding, ...], shape: LaunchShape | None) -> None:
        known = self.lab.case(case.name)
        if known.visibility is Visibility.HIDDEN or case.name in self.printed:
            return
        self._print_build()
        refusal = verdict.refusal(self.build, shape, self.gpu) if self.build else ""
        found = verdict.judge_case(case, findings, refusal)
        visible = known.visibility is Visibility.VISIBLE
        earned = known.points if found.verdict is Verdict.PASS else 0.0
        shown = ShownCase(
            case.name, found.verdict, earned, known.points,
            found.sentence if visible else "", known if visible else None, case if visible else None,
        )  # fmt: skip
        self.printed[case.name] = found.verdict
        self._print(terminal_check.case_row(self.lab, shown, found.codes, width(self.console)))

    def _print_build(self) -> None:
        if self.build is None:
            self.build = store.load(self.folder, "build", None, Build)
            if self.build is not None:
                result = Result(self.lab.name, "graded", StageRecords(build=self.build))
                self._print(terminal_check.build_row(self.lab, result, width(self.console)))

    def print_rest(self, result: Result) -> None:
        if self.build is None:
            self._print(terminal_check.build_row(self.lab, result, width(self.console)))
        if result.build is not None and result.build.status == BuildStatus.BUILT:
            for case in shown_cases(self.lab, result):
                if self.printed.get(case.name) is not case.verdict:
                    codes = terminal_check.codes_of(result, case.name)
                    self._print(terminal_check.case_row(self.lab, case, codes, width(self.console)))
        file = near(self.subject.path)
        self._print(
            list(
                terminal_check.closing_lines(self.lab, result, width(self.console), file, self.subject.words)
            )
        )

    def print_note(self, sentence: str) -> None:
        self._print(list(terminal_findings.note("note", sentence, width(self.console))) if sentence else [])

    def _print(self, lines: list[str]) -> None:
        for line in lines:
            self.console.print(line, soft_wrap=True)
