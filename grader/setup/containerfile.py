"""The stages of the Containerfile. As a program, print its commands as one line of shell.

test_bare.sh runs that line in a bare root: where no registry of images is reachable, this tries the image's
steps. The root holds a clone already, so COPY and WORKDIR are left out.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "Containerfile"


@dataclass(frozen=True)
class Stage:
    base: str  # an image, or the name of an earlier stage
    runs: tuple[str, ...]  # the shell commands of its RUN lines
    command: tuple[str, ...]  # of CMD; empty where there is none


def stages(text: str) -> list[Stage]:
    """In the order of the file. ValueError where it has none."""
    _, *parts = re.split(r"(?m)^FROM ", text.replace("\\\n", " "))
    if not parts:
        raise ValueError("Containerfile has no FROM")
    return [_stage(part) for part in parts]


def _stage(text: str) -> Stage:
    runs = tuple(" ".join(line.split()) for line in re.findall(r"(?m)^RUN (.*)$", text))
    command = re.search(r"(?m)^CMD (\[.*\])$", text)
    return Stage(text.split()[0], runs, tuple(json.loads(command[1])) if command else ())


def shell(found: list[Stage]) -> str:
    """All RUN lines, then the last CMD."""
    return " && ".join([*(run for stage in found for run in stage.runs), shlex.join(found[-1].command)])


if __name__ == "__main__":
    print(shell(stages(FILE.read_text(encoding="utf-8"))))
