"""`warpgrade play`: step through a kernel, thread by thread, forwards and backwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core.errors import UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...console import near, next_step, screen
from ...error_reports import EXIT_CODES
from ...parameters import File, lab_argument, sandbox_option

if TYPE_CHECKING:
    from rich.console import Console

    from ....player.scene import Scene
    from ...kernel_check import Subject


class BlockIndex(click.ParamType[tuple[int, ...]]):
    """x, y and z of a block: 1 or 1,0 or 1,0,0."""

    name = "X,Y"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        parts = str(value).split(",")
        if not all(part.isdigit() and len(part) < 10 for part in parts) or len(parts) > 3:
            self.fail(f"{value!r} is no block: write 1,0", param, ctx)
        return tuple(map(int, parts)) + (0,) * (3 - len(parts))


@click.command(cls=ListedCommand, position=5, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@click.option(
    "--case", "case", default="", help="a visible case; default: the smallest that shows the finding"
)
@click.option("--block", type=BlockIndex(), default=None, help="the block; default: that of the finding")
@click.option(
    "--finding", "number", type=click.IntRange(0), default=0, help="its number in the order of `check`"
)
@click.option("--text", "as_text", is_flag=True, help="tell it in the terminal instead of writing a page")
@click.option("--open/--no-open", "shall_open", default=False, help="open the page in a browser")
@sandbox_option
def command(
    name: str,
    file: Path | None,
    case: str,
    block: tuple[int, ...] | None,
    number: int,
    as_text: bool,
    shall_open: bool,
    sandbox: str,
) -> int:
    """See a kernel run: step through its threads, memory and time.

    Writes a page, with no option about the first finding. FILE: default labs/LAB/kernel.cu. In place of LAB,
    a recording of any program: WARPGRADE_RECORD=FILE ./program.
    """
    from ....player import page, story

    console = screen()
    scene, title, target, again = _scene(name, file, case, block or (), number, sandbox, console)
    if as_text:
        for line in (*scene.notes, *story.lines(scene.recording)):
            console.print(line, markup=False, soft_wrap=True)
        next_step(console, "the same as a page to step through", again)
        return 0
    from ....core import store

    store.write_text(target, page.of_scene(scene, title))
    console.print(f"wrote {near(target)}; open it in a browser", soft_wrap=True, markup=False)
    next_step(console, "the same in words", f"{again} --text")
    if shall_open:
        click.launch(str(target))
    return 0


def _scene(
    name: str,
    file: Path | None,
    case: str,
    block: tuple[int, ...],
    number: int,
    sandbox: str,
    console: Console,
) -> tuple[Scene, str, Path, str]:
    """The scene, its title, where its page goes, and the command that makes it."""
    from ....player import program_scene
    from ... import kernel_check

    repository = here()
    if file is None and program_scene.is_recording(Path(name)):
        scene = program_scene.of_file(Path(name))
        target = repository.output / "play" / f"{Path(name).stem}.html"
        return scene, f"{scene.head['kernel']}", target, f"play {name}"
    subject = kernel_check.subject_of(repository, name, file)
    scene = _of_lab(subject, case, block, number, sandbox, console)
    options = [f"--case {case}" if case else "", f"--finding {number}" if number else ""]
    options += [f"--block {','.join(map(str, block))}" if block else ""]
    target = repository.output / "play" / f"{subject.lab.name}.html"
    return scene, subject.lab.title, target, " ".join(filter(None, (subject.command("play"), *options)))


def _of_lab(
    subject: Subject, case: str, block: tuple[int, ...], number: int, sandbox: str, console: Console
) -> Scene:
    from ....core.scratch import scratch_folder
    from ....player import choice, scene
    from ....records import BuildStatus, LabKind
    from ... import kernel_check

    lab = subject.lab
    if lab.kind not in (LabKind.KERNELS, LabKind.DEBUG):
        raise UsageError(
            f"{lab.name} has no kernel that a harness launches", remedy=typed(subject.command("check"))
        )
    session = kernel_check.session_for(subject, "emulator", sandbox, "h200", console)
    with scratch_folder(subject.repository) as folder:
        result = kernel_check.check_in(folder, subject, session, console, quiet=True)
        if result.build is None or result.build.status != BuildStatus.BUILT or result.submission is None:
            raise UsageError("does not compile", file=subject.path, remedy=typed(subject.command("check")))
    chosen = choice.choose(lab, result, case, block, number)
    with scratch_folder(subject.repository) as folder:
        return scene.record(result.submission, lab, chosen, session.compiler, session.runner, folder)
