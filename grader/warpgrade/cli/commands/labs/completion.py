"""`warpgrade completion`: the script with which a shell completes commands and labs."""

from __future__ import annotations

import re
import shlex
import shutil

import click

from ....core.paths import here
from ...command_groups import ListedCommand

_SHELLS = {
    "bash": ("~/.bashrc", 'eval "$({call} completion bash --script)"'),
    "zsh": ("~/.zshrc", 'eval "$({call} completion zsh --script)"'),
    "fish": ("~/.config/fish/config.fish", "{call} completion fish --script | source"),
}


@click.command(cls=ListedCommand, position=13)
@click.argument("shell", type=click.Choice(sorted(_SHELLS)), default="bash")
@click.option("--script", is_flag=True, help="print the script itself")
@click.pass_context
def command(context: click.Context, shell: str, script: bool) -> None:
    """Make your shell complete commands and labs."""
    from click.shell_completion import get_completion_class

    # The shell runs the script in any folder, so the path must be absolute.
    call = shutil.which("warpgrade") or str(here().root / "warpgrade")
    if not script:
        file, line = _SHELLS[shell]
        click.echo(f"add this line to {file}:\n\n  {line.format(call=call)}")
        return
    made = get_completion_class(shell)
    assert made is not None
    text = made(context.find_root().command, {}, "warpgrade", "_WARPGRADE_COMPLETE").source()
    # Replace the program's name where the script calls it (before a closing parenthesis), and nowhere else.
    text = re.sub(r" warpgrade\)", f" {shlex.quote(call)})", text)
    click.echo(re.sub(r".*commands\[warpgrade\].*\n", "", text))  # zsh would search the PATH for the program
