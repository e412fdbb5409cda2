"""`warpgrade play`: step through a kernel, thread by thread, forwards and backwards."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....core import formatting
from ....core.errors import UsageError
from ....core.paths import here, typed
from ...command_groups import ListedCommand
from ...console import near, next_step, screen
from ...error_reports import EXIT_CODES
from ...parameters import File, MachineOptions, lab_argument, sandbox_option

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


@click.command(cls=ListedCommand, position=6, epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=File())
@click.option(
    "--case", "case", default="", help="a visible case; default: the smallest that shows the finding"
)
@click.option("--block", type=BlockIndex(), default=None, help="the block; default: that of the finding")
@click.option(
    "--finding", "number", type=click.IntRange(0), default=0, help="its number in the order of `check`"
)
@click.option("--launch", type=click.IntRange(1), default=1, help="which launch of the kernel; default: 1")
@click.option(
    "--with",
    "other",
    type=File(),
    help="another kernel of the lab, `solution` if your course allows it, or a recording, side by side",
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
    launch: int,
    other: Path | None,
    as_text: bool,
    shall_open: bool,
    sandbox: str,
) -> int:
    """See a kernel run: step through its threads, memory and time.

    Writes a page, with no option about the first finding; both blocks of a race between blocks stand side by
    side. FILE: default labs/LAB/kernel.cu. In place of LAB, a recording of any program:
    WARPGRADE_RECORD=FILE ./program.
    """
    console = screen()
    wanted = PlayOptions(case, block or (), number, launch)
    sides, title, target, again = _sides(name, file, other, wanted, sandbox, console)
    if as_text:
        _tell(sides, console)
        next_step(console, "the same as a page to step through", again)
        return 0
    _write_page(sides, title, target)
    console.print(f"wrote {near(target)}; open it in a browser", soft_wrap=True, markup=False)
    next_step(console, "the same in words", f"{again} --text")
    if shall_open:
        click.launch(str(target))
    return 0


def _tell(sides: Sequence[RecordedSide], console: Console) -> None:
    from ....player import story

    for side in sides:
        for line in (*side.scene.notes, *story.lines(side.scene.recording)):
            console.print(line, markup=False, soft_wrap=True)


def _write_page(sides: Sequence[RecordedSide], title: str, target: Path) -> None:
    from ....core import store
    from ....player import comparison, page

    scenes = [side.scene for side in sides]
    if len(sides) == 2:
        text = comparison.of_scenes(scenes[0], scenes[1], title, (sides[0].name, sides[1].name))
    else:
        text = page.of_scene(scenes[0], title)
    store.write_text(target, text)


@dataclass(frozen=True)
class PlayOptions:
    """The options that choose what is recorded."""

    case: str
    block: tuple[int, ...]
    number: int
    launch: int

    def words(self) -> list[str]:
        return [
            *([f"--case {self.case}"] if self.case else []),
            *([f"--finding {self.number}"] if self.number else []),
            *([f"--block {','.join(map(str, self.block))}"] if self.block else []),
            *([f"--launch {self.launch}"] if self.launch > 1 else []),
        ]


@dataclass(frozen=True)
class RecordedSide:
    name: str
    scene: Scene


def _sides(
    name: str, file: Path | None, other: Path | None, wanted: PlayOptions, sandbox: str, console: Console
) -> tuple[list[RecordedSide], str, Path, str]:
    """One scene or two, the title, where the page goes, and the command that makes it."""
    from ....player import program_scene
    from ... import kernel_check

    repository = here()
    also = [f"--with {shlex.quote(str(other))}"] if other else []
    if file is None and program_scene.is_recording(Path(name)):
        paths = [Path(name), *([other] if other else [])]
        sides = [RecordedSide(path.name, program_scene.of_file(path)) for path in paths]
        target = repository.output / "play" / f"{Path(name).stem}.html"
        return sides, str(sides[0].scene.head["called"]), target, " ".join(("play", name, *also))
    subject = kernel_check.subject_of(repository, name, file)
    beside = _beside(subject, other) if other else None
    sides = _of_lab(subject, wanted, sandbox, console)
    if beside:
        # The same block of the same case, whatever is wrong with the other kernel.
        head = sides[0].scene.head
        same = replace(wanted, case=head["label"], block=tuple(head["block_index"]), number=0)
        second = _of_lab(beside, same, sandbox, console)
        sides = [
            RecordedSide(near(subject.path), sides[0].scene),
            RecordedSide(near(beside.path), second[0].scene),
        ]
    target = repository.output / "play" / f"{subject.lab.name}.html"
    again = " ".join((subject.command("play"), *wanted.words(), *also))
    return sides, subject.lab.title, target, again


def _beside(subject: Subject, other: Path) -> Subject:
    """The other kernel: a file, or the lab's solution by that word. UsageError where it is not here."""
    from ....player import solution
    from ... import kernel_check

    is_word = other == Path(solution.WORD) and not other.exists()
    file = solution.of_lab(subject.repository, subject.lab) if is_word else other
    return kernel_check.subject_of(subject.repository, subject.lab.name, file)


def _of_lab(subject: Subject, wanted: PlayOptions, sandbox: str, console: Console) -> list[RecordedSide]:
    """The scene of a finding or a block, and that of the other block of a race between blocks."""
    from ....core.scratch import scratch_folder
    from ....player import choice, scene
    from ....records import BuildStatus, LabKind
    from ... import kernel_check

    lab = subject.lab
    if lab.kind not in (LabKind.KERNELS, LabKind.DEBUG):
        raise UsageError(
            f"{lab.name} has no kernel that a harness launches", remedy=typed(subject.command("check"))
        )
    session = kernel_check.session_for(subject, MachineOptions("emulator", sandbox), console)
    with scratch_folder(subject.repository) as folder:
        result = kernel_check.check_in(folder, subject, session, console, quiet=True)
        if result.build is None or result.build.status != BuildStatus.BUILT or result.submission is None:
            raise UsageError("does not compile", file=subject.path, remedy=typed(subject.command("check")))
    chosen = choice.choose(lab, result, wanted.case, wanted.block, wanted.number)
    chosen = replace(chosen, launch=wanted.launch)
    sides = []
    for each in filter(None, (chosen, chosen.other_block)):
        with scratch_folder(subject.repository) as folder:
            made = scene.record(result.submission, lab, each, session.compiler, session.runner, folder)
        sides.append(RecordedSide(f"block {formatting.index(each.block)}", made))
    return sides
