"""`warpgrade profile`: the cost of each line of a kernel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ....core.errors import UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...console import near, next_step, screen, width
from ...error_reports import EXIT_CODES
from ...parameters import File, MachineOptions, lab_argument, machine_options

if TYPE_CHECKING:
    from ....drawing.source_lines import LinePicture
    from ....grading.session import Session
    from ....records import ProfiledProgram, Result
    from ...kernel_check import Subject


@click.command(cls=ListedCommand, position=8, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--open/--no-open", "shall_open", default=False, help="open the page in a browser")
@click.option("--run", help='arguments of that program, in place of your sheet\'s: "KERNEL N"')
@click.option("--json", "as_json", is_flag=True, help="print JSON: of a program that questions ask about")
def command(
    name: str,
    file: Path | None,
    machine: MachineOptions,
    shall_open: bool,
    run: str | None,
    as_json: bool,
) -> int:
    """Show where the time goes, line by line.

    Writes a page with each line's cost, your warps' accesses, occupancy, roofline and counters. Of a lab
    whose questions ask about a program it prints the run that your sheet is about; FILE: a changed copy.
    """
    from ....records import LabKind
    from ... import kernel_check

    subject = kernel_check.subject_of(here(), name, file)
    program = subject.lab.profiled
    if program is not None:
        source = file or subject.repository.labs / subject.lab.name / program.file
        asked = click.get_current_context().get_parameter_source("gpu_model") is not ParameterSource.DEFAULT
        model = machine.gpu_model if asked else program.gpu
        return _program(subject, source, _arguments(subject, program, run), model, as_json)
    if subject.lab.kind is LabKind.ANSWERS:
        raise UsageError(f"{subject.lab.name} has no kernel", remedy=typed(subject.command("check")))
    if as_json or run:
        message = "--json and --run are for programs that questions ask about"
        raise UsageError(message, remedy=typed(subject.command("profile")))
    return _kernel(subject, machine, shall_open)


def _arguments(subject: Subject, program: ProfiledProgram, run: str | None) -> tuple[str, ...]:
    """The program's arguments: those given, else those of the run that the student's questions are about."""
    from ....answers import questions, stages
    from ....student import profiled_program

    if run:
        return tuple(run.split())
    lab, sheet = subject.lab, subject.repository.labs / subject.lab.name / subject.lab.files[0]
    student = stages.name_in(sheet)
    if not student:
        remedy = typed(f"sheet {lab.name} YOUR-NAME")
        raise UsageError("names no student, so no run", file=near(sheet), remedy=remedy)
    figures = stages.drawn_run(questions.of_lab(subject.repository, lab.name), lab, student)
    return profiled_program.arguments(program, figures)


def _program(
    subject: Subject, source: Path, arguments: tuple[str, ...], gpu_model: str, as_json: bool
) -> int:
    """Profile one run of the program that questions ask about."""
    from ....gpu import spec
    from ....report import terminal_launch_profile
    from ....student import profiled_program

    gpu = spec.load(subject.repository, gpu_model)
    with profiled_program.compiled_program(subject.repository, source, gpu) as program:
        found = program.profile(arguments)
    if as_json:
        click.echo(json.dumps(terminal_launch_profile.as_data(found, gpu)))
        return 0
    console = screen()
    title = f"{near(source)} {' '.join(arguments)}"
    for line in terminal_launch_profile.lines(found, gpu, title, width(console)):
        console.print(line, soft_wrap=True)
    next_step(console, "answer your questions, then", f"check {subject.lab.name}")
    return 0


def _kernel(subject: Subject, machine: MachineOptions, shall_open: bool) -> int:
    from ....core.scratch import scratch_folder
    from ....feedback import student_lab
    from ....records import BuildStatus
    from ....report import terminal_profile
    from ... import kernel_check

    console = screen()
    session = kernel_check.session_for(subject, machine, console)
    with scratch_folder(subject.repository) as folder:
        result = kernel_check.check_in(folder, subject, session, console, quiet=True)
        if result.build is None or result.build.status != BuildStatus.BUILT:
            raise UsageError("does not compile", file=subject.path, remedy=typed(subject.command("check")))
        pictures = _pictures(folder, subject, session, result)
    page = subject.repository.output / "profile" / f"{subject.lab.name}.html"
    kernel_check.write_page(subject, session, result, page, pictures)
    feedback = student_lab.lab_feedback(subject.lab, result, {}, session.gpu)
    for line in terminal_profile.lines(feedback, width(console)):
        console.print(line, soft_wrap=True)
    console.print(f"\nwrote {near(page)}; open it in a browser", soft_wrap=True, markup=False)
    next_step(console, "change one thing, then", subject.command("check"))
    if shall_open:
        click.launch(str(page))
    return 0


def _pictures(folder: Path, subject: Subject, session: Session, result: Result) -> tuple[LinePicture, ...]:
    """Pictures of the accesses of the first block of each kernel in one visible case."""
    from ....build.compiler import FATBIN
    from ....core import messages
    from ....drawing import source_lines
    from ....run import trace

    case = source_lines.case_to_record(subject.lab, result.run.launch_shape if result.run else None)
    handed = result.submission
    if case is None or handed is None or not (folder / FATBIN).is_file():
        return ()
    made = trace.traced(session.runner, subject.lab, handed, folder / FATBIN, case)
    if not made:
        return ()
    words = messages.load(subject.repository.root, messages.BASE)
    source = handed.files[0]
    return tuple(
        picture
        for number, each in enumerate(made)
        for picture in source_lines.pictures(
            words, each, source.name, source.text, f"{subject.lab.name}-access-{number}"
        )
    )
