"""Options and arguments that several commands share."""

from __future__ import annotations

import functools
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import click
from click.shell_completion import CompletionItem

from ..core.paths import here, program
from ..gpu.devices import CHOICES
from ..sandbox.choice import AUTO, NAMES

P = ParamSpec("P")
R = TypeVar("R")
_ERROR = 72  # columns of an error message


class DeviceParameter(click.ParamType[str]):
    """auto, gpu, emulator, or the number of one GPU."""

    name = "device"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return f"[{'|'.join(CHOICES)}|N]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in CHOICES and not value.isdigit():
            self.fail(f"{value!r} is not {', '.join(CHOICES)} or the number of a GPU", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in CHOICES if word.startswith(incomplete)]


class File(click.Path):
    """A path. An empty name, as an unset shell variable gives it, is an error, not the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        if value == "":
            self.fail("an empty name; for the current folder type a dot", param, ctx)
        return super().convert(value, param, ctx)


class LabName(click.ParamType[str]):
    """A lab's name or an abbreviation (see lab.meant); the shell completes it."""

    name = "lab"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from ..course.lab import full_name

        return full_name(value, here().lab_names())  # lab.named raises the error

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in here().lab_names() if name.startswith(incomplete)]


def sandbox_option(command: Callable[P, R]) -> Callable[P, R]:
    words = "auto: the first of bwrap and landlock that works; none: no sandbox, for code that you trust"
    return click.option("--sandbox", "sandbox", type=click.Choice(NAMES), default=AUTO, help=words)(command)


class MachineOptions(NamedTuple):
    """What a kernel is judged on."""

    device: str
    sandbox: str = AUTO
    gpu_model: str = "h200"


def machine_options(command: Callable[..., int]) -> Callable[..., int]:
    """--device, --sandbox and --gpu. The command gets `machine`, its MachineOptions."""

    @functools.wraps(command)
    def wrapped(*args: Any, device: str, sandbox: str, gpu_model: str, **others: Any) -> int:
        return command(*args, machine=MachineOptions(device, sandbox, gpu_model), **others)

    device = "auto: a GPU for times if one answers; N: only that one of several"
    model = "the GPU that modelled times and occupancy are for: a name in grader/gpus/"
    decorated = click.option("--gpu", "gpu_model", default="h200", help=model)(wrapped)
    return click.option("--device", type=DeviceParameter(), default="auto", help=device)(
        sandbox_option(decorated)
    )


def jobs_option(help: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    return click.option("--jobs", type=click.IntRange(0, 256), default=0, help=help)


def lab_argument(command: Callable[P, R]) -> Callable[P, R]:
    """LAB, optional in a lab's own folder."""
    argument = click.argument("name", metavar="[LAB]", type=LabName(), required=False, callback=_lab_meant)
    return argument(command)


def _lab_meant(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    if value is not None:
        return value
    folder = Path.cwd()
    if folder.parent == here().labs and folder.name in here().lab_names():
        return folder.name
    names = textwrap.fill(
        f"which lab? They are: {', '.join(here().lab_names())}", _ERROR, break_on_hyphens=False
    )
    raise click.UsageError(f"{names}\n  → {program()} list", ctx)
