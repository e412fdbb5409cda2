"""Print an Apptainer definition with the packages of the Containerfile's first stage, and those of set-up."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def definition(containerfile: str, packages: list[str]) -> str:
    """From the base image and the RUN lines up to the second FROM. `packages`: installed as well."""
    text = containerfile.replace("\\\n", " ")
    stages = re.split(r"(?m)^FROM ", text)
    if len(stages) < 2:
        raise SystemExit("Containerfile has no FROM")
    base = stages[1].split()[0]
    steps = [" ".join(line.split()) for line in re.findall(r"(?m)^RUN (.*)$", stages[1])]
    more = f"apt-get update && apt-get install -y --no-install-recommends {' '.join(packages)}"
    lines = ["Bootstrap: docker", f"From: {base}", "", "%post", *(f"    {step}" for step in (*steps, more))]
    return "\n".join([*lines, "", "%environment", "    export LC_ALL=C.UTF-8", ""])


def main() -> None:
    sys.stdout.write(definition((ROOT / "Containerfile").read_text(encoding="utf-8"), runtime_packages()))


def runtime_packages() -> list[str]:
    """Debian's packages that set-up installs for grading, and those that an image may lack."""
    prepared = (ROOT / "grader" / "setup" / "prepare.sh").read_text(encoding="utf-8")
    return sorted({*re.findall(r"(?m)^  need (\S+) ", prepared), "util-linux"})


if __name__ == "__main__":
    main()
