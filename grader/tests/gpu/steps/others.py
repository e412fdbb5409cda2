"""Every other script that needs a GPU, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .frame import ROOT, NotRun, StepContext

HERE = Path(__file__).parents[1]
SCRIPTS = ROOT / "grader/tests/gpu"
# Exit code of a script that could not run, for want of a GPU or a program.
NOT_RUN = {"isa.sh": 2, "counters.py": 4}


@dataclass(frozen=True)
class Ran:
    script: str
    status: int
    output: str
    seconds: float


def bits(context: StepContext) -> Ran:
    """Every instruction's answers on the GPU. Nearly all of the time goes to the driver's compiler."""
    script = SCRIPTS / "isa" / "isa.sh"
    return ran(context, script, ["bash", str(script), str(context.out / script.stem)])


def others(context: StepContext) -> None:
    missing = []
    for each in (*(ran(context, *row) for row in commands(context)), context.ahead.result(bits, context)):
        (context.out / f"{Path(each.script).stem}.log").write_text(each.output, encoding="utf-8")
        context.report(f"  {each.script} ended with {each.status} after {each.seconds:.0f} s")
        if each.status == NOT_RUN.get(each.script):
            missing.append(f"{each.script}: {each.output.strip()[-200:]}")
        elif each.status != 0:
            context.failures.append(f"{each.script} ended with {each.status}")
    if missing:
        raise NotRun("; ".join(missing))


def commands(context: StepContext) -> Iterator[tuple[Path, list[str]]]:
    """Run the scripts beside session.py, and those that need the GPU for themselves."""
    for script in sorted(HERE.glob("*.py")):
        if script.name != "session.py":
            yield script, [sys.executable, str(script), str(context.out), "--sandbox", context.sandbox]
    for script in sorted((SCRIPTS / "counters").glob("*.py")):
        yield script, [sys.executable, str(script), str(context.out / script.stem)]


def ran(context: StepContext, script: Path, command: list[str]) -> Ran:
    began = context.seconds
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return Ran(script.name, done.returncode, done.stdout + done.stderr, context.seconds - began)
