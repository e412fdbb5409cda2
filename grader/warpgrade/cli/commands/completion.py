"""`warpgrade completion`: what a shell needs to complete commands and labs."""

from __future__ import annotations

import re
import shlex
import shutil

import click

from ...core.paths import here
from ..command_groups import StudentCommand

_SHELLS = {
    "bash": ("~/.bashrc", 'eval "$({call} completion bash --script)"'),
    "zsh": ("~/.zshrc", 'eval "$({call} completion zsh --script)"'),
    "fish": ("~/.config/fish/config.fish", "{call} completion fish --script | source"),
}


@click.command(cls=StudentCommand, position=10)
@click.argument("shell", type=click.Choice(sorted(_SHELLS)), default="bash")
@click.option("--script", is_flag=True, help="print the script itself")
@click.pass_context
def command(context: click.Context, shell: str, script: bool) -> None:
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
