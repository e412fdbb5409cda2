"""`warpgrade profile`: the cost of each line of a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.errors import UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...console import near, next_step, screen, width
from ...error_reports import EXIT_CODES
from ...parameters import File, lab_argument, machine_options

if TYPE_CHECKING:
    from ....drawing.source_lines import LinePicture
    from ....grading.session import Session
    from ....records import Result
    from ...kernel_check import Subject


@click.command(cls=ListedCommand, position=7, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@machine_options
@click.option("--open/--no-open", "shall_open", default=False, help="open the page in a browser")
def command(name: str, file: Path | None, device: str, sandbox: str, gpu_model: str, shall_open: bool) -> int:
    """Show where the time goes, line by line.

    Writes a page with each line's cost, your warps' accesses, occupancy, roofline and counters.
    """
    from ....core.scratch import scratch_folder
    from ....feedback import student_lab
    from ....records import BuildStatus, LabKind
    from ....report import terminal_profile
    from ... import kernel_check

    subject, console = kernel_check.subject_of(here(), name, file), screen()
    if subject.lab.kind is LabKind.ANSWERS:
        raise UsageError(f"{subject.lab.name} has no kernel", remedy=typed(subject.command("check")))
    session = kernel_check.session_for(subject, device, sandbox, gpu_model, console)
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
