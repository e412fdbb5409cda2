"""The commands of a student that write files: pack, reset, editor; and completion for the shell."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import click

from ..core.paths import here
from .console import File, lab_argument, near, next_step, screen, told

_SHELLS = {
    "bash": ("~/.bashrc", 'eval "$({call} completion bash --script)"'),
    "zsh": ("~/.zshrc", 'eval "$({call} completion zsh --script)"'),
    "fish": ("~/.config/fish/config.fish", "{call} completion fish --script | source"),
}


@click.command()
@click.option("--out", type=File(), help="default: labs.zip")
@told
def pack(out: Path | None) -> int:
    """Make the archive to hand in.

    It holds every lab that you have worked on.
    """
    from ..core import store
    from ..course import lab
    from ..student import hand_in

    repository = here()
    packed = hand_in.pack(repository, lab.find(repository))
    path = out or Path("labs.zip")
    store.write_bytes(path, packed.content)
    console = screen()
    console.print(f"wrote {path}: {', '.join(packed.labs)}", markup=False, soft_wrap=not console.is_terminal)
    if packed.untouched:
        untouched = f"left out, still as given: {', '.join(packed.untouched)}"
        console.print(untouched, markup=False, soft_wrap=not console.is_terminal)
    next_step(console, "this file is to be handed in; what its labs were worth when last checked", "list")
    return 0


@click.command()
@lab_argument
@told
def reset(name: str) -> int:
    """Start a lab anew; your file is kept beside it."""
    from ..course import lab
    from ..student import hand_in, progress

    repository = here()
    done = hand_in.reset(repository, lab.named(repository, name))
    if done:
        progress.forget_check(repository, name)
    for file, copy in done:
        click.echo(f"{near(file)} is new; yours is {near(copy)}" if copy.exists() else f"wrote {near(file)}")
    if not done:
        click.echo(f"{name} is as it was given out")
    return 0


@click.command()
@told
def editor() -> int:
    """Help your editor understand the kernels.

    Writes compile_commands.json, which clangd reads.
    """
    from ..student import editor as writer

    click.echo(f"wrote {near(writer.write(here()))}")
    return 0


@click.command()
@click.argument("shell", type=click.Choice(sorted(_SHELLS)), default="bash")
@click.option("--script", is_flag=True, help="print the script itself")
@click.pass_context
def completion(context: click.Context, shell: str, script: bool) -> None:
    """Have your shell complete commands and labs."""
    from click.shell_completion import get_completion_class

    # The shell uses it in any folder, so the path must be whole.
    call = shutil.which("warpgrade") or str(here().root / "warpgrade")
    if not script:
        file, line = _SHELLS[shell]
        click.echo(f"add this line to {file}:\n\n  {line.format(call=call)}")
        return
    made = get_completion_class(shell)
    assert made is not None
    text = made(context.find_root().command, {}, "warpgrade", "_WARPGRADE_COMPLETE").source()
    # Where the script calls the program (its last word in a command substitution), not where it names it.
    text = re.sub(r" warpgrade\)", f" {shlex.quote(call)})", text)
    click.echo(re.sub(r".*commands\[warpgrade\].*\n", "", text))  # zsh would ask for it on the PATH


def commands() -> list[click.Command]:
    return [pack, reset, editor, completion]
