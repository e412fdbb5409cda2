"""Every other script that needs a GPU, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .frame import ROOT, NotRun, Session

HERE = Path(__file__).parents[1]
EMULATOR = ROOT / "grader/emulator/tests/hardware"
# Exit codes of the emulator's own scripts where there was nothing to do it with.
NOT_RUN = {"isa.sh": 2, "counters.py": 4}


def commands(session: Session) -> Iterator[tuple[Path, list[str]]]:
    """Of the scripts beside session.py, and of the emulator's own."""
    for script in sorted(HERE.glob("*.py")):
        if script.name != "session.py":
            yield script, [sys.executable, str(script), str(session.out), "--sandbox", session.walls]
    for script in sorted((*EMULATOR.glob("*.py"), *EMULATOR.glob("*.sh"))):
        interpreter = sys.executable if script.suffix == ".py" else "bash"
        yield script, [interpreter, str(script), str(session.out / script.stem)]


def others(session: Session) -> None:
    missing = []
    for script, command in commands(session):
        began = session.seconds
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        told = ran.stdout + ran.stderr
        (session.out / f"{script.stem}.log").write_text(told, encoding="utf-8")
        session.tell(f"  {script.name} ended with {ran.returncode} after {session.seconds - began:.0f} s")
        if ran.returncode == NOT_RUN.get(script.name):
            missing.append(f"{script.name}: {told.strip()[-200:]}")
        elif ran.returncode != 0:
            session.failures.append(f"{script.name} ended with {ran.returncode}")
    if missing:
        raise NotRun("; ".join(missing))
