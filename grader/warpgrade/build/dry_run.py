"""The commands that nvcc runs for a file, as `nvcc --dryrun` prints them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

_SETTING = re.compile(r"[A-Z_]+=")
_HOST, _DEVICE = "cudafe++", "fatbinary"  # the last commands of nvcc's pass for the host, and for the device
_NAMES_MODULE, _MODULE = "--gen_module_id_file", "--module_id_file_name"
_MESSAGES = "device.messages"


@dataclass(frozen=True)
class DryRun:
    """`settings`: shell commands that set nvcc's variables. `steps`: the commands, one after another."""

    settings: str
    steps: tuple[str, ...]


def read(text: str) -> DryRun:
    """What `nvcc --dryrun` wrote to standard error."""
    lines = [line[3:] for line in text.splitlines() if line.startswith("#$ ")]
    settings = [line.partition("=") for line in lines if _SETTING.match(line)]
    steps = tuple(line for line in lines if not _SETTING.match(line))
    return DryRun("".join(f"export {name}={shlex.quote(value)}\n" for name, _, value in settings), steps)


def side_by_side(dry: DryRun, stem: str) -> str | None:
    """A shell script that compiles the program `stem`.cu as nvcc does, but with the passes for host and
    device at the same time. None if the steps are not those of one file and one architecture.

    In nvcc, the host's pass writes the module's name to a file that the device's pass reads: here both are
    given the name. Messages of the device's pass follow those of the host's, as from nvcc.
    """
    steps = [step for step in dry.steps if not step.startswith("rm ")]
    tools = [step.partition(" ")[0] for step in steps]
    if tools[1:2] != [_HOST] or tools.count(_HOST) != 1 or _DEVICE not in tools:
        return None
    end = tools.index(_DEVICE) + 1
    preprocess, front_end, device, rest = steps[0], steps[1], steps[2:end], steps[end:]
    if _NAMES_MODULE not in front_end or sum(_MODULE in step for step in device) != 1:
        return None
    lines = [
        f"printf %s _0_{len(stem)}_{stem}_0 >{stem}.module_id",
        "(", "set -e", *device, f") >{_MESSAGES} 2>&1 &",
        "(", "set -e", preprocess, front_end.replace(_NAMES_MODULE, ""), ")",
        "host=$?", "wait $!", "device=$?",
        'test "$host" = 0 || exit "$host"',
        f"cat {_MESSAGES} >&2",
        'test "$device" = 0 || exit "$device"',
        "set -e", *rest,
    ]  # fmt: skip
    return dry.settings + "\n".join(lines)
