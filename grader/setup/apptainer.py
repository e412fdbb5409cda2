"""Print an Apptainer definition with the packages of the Containerfile's first stage, and those of set-up."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import containerfile

_PREPARE = Path(__file__).with_name("prepare.sh")


def definition(stage: containerfile.Stage, packages: list[str]) -> str:
    """From the base image and commands of that stage. `packages`: installed as well."""
    more = f"apt-get update && apt-get install -y --no-install-recommends {' '.join(packages)}"
    steps = (f"    {step}" for step in (*stage.runs, more))
    lines = ["Bootstrap: docker", f"From: {stage.base}", "", "%post", *steps]
    return "\n".join([*lines, "", "%environment", "    export LC_ALL=C.UTF-8", ""])


def main() -> None:
    first, *_ = containerfile.stages(containerfile.FILE.read_text(encoding="utf-8"))
    sys.stdout.write(definition(first, runtime_packages()))


def runtime_packages() -> list[str]:
    """Debian's packages that set-up installs for grading, and those that an image may lack."""
    prepared = _PREPARE.read_text(encoding="utf-8")
    return sorted({*re.findall(r"(?m)^  need (\S+) ", prepared), "util-linux"})


if __name__ == "__main__":
    main()
