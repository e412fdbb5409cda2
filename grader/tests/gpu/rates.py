"""Solutions against libraries, launch by launch in one process each.

    python grader/tests/gpu/rates.py OUT

Compiles and runs each program in rates/, which prints its ratios and ends with 1 if a promise is not kept.
Writes OUT/rates.log. Exit code 1 if one of them does, or does not compile.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from warpgrade.build.kernel_check import requested_level
from warpgrade.core.paths import here

PROGRAMS = Path(__file__).with_name("rates")


def outcome(program: Path, out: Path) -> tuple[int, str]:
    """Exit code of the compiler or of the program, and what it printed."""
    binary = out / program.stem
    repository = here()
    nvcc = repository.toolkit / "bin" / "nvcc"
    level = requested_level(program.read_text(encoding="utf-8")) or "-O3"
    options = ["-O3", f"-Xptxas={level}", "-std=c++20", "-arch=native", f"-I{repository.common}"]
    command = [str(nvcc), *options, str(program), "-o", str(binary)]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        return built.returncode, built.stderr
    ran = subprocess.run([str(binary)], capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def main(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    outcomes = {program.stem: outcome(program, out) for program in sorted(PROGRAMS.glob("*.cu"))}
    page = "\n".join(
        f"{name} (exit code {status})\n{printed}" for name, (status, printed) in outcomes.items()
    )
    (out / "rates.log").write_text(page, encoding="utf-8")
    print(page)
    return int(any(status != 0 for status, _ in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
