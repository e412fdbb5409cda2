"""Every other script that needs a GPU, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .frame import ROOT, NotRun, Session

HERE = Path(__file__).parents[1]
SCRIPTS = ROOT / "grader/tests/gpu"
# Exit codes of the emulator's own scripts where there was nothing to do it with.
NOT_RUN = {"isa.sh": 2, "counters.py": 4}


@dataclass(frozen=True)
class Ran:
    script: str
    status: int
    told: str
    seconds: float


def bits(session: Session) -> Ran:
    """Every instruction's answers on the card: nearly all of it is the driver's compiling, on one core."""
    script = SCRIPTS / "isa" / "isa.sh"
    return ran(session, script, ["bash", str(script), str(session.out / script.stem)])


def others(session: Session) -> None:
    missing = []
    for each in (*(ran(session, *row) for row in commands(session)), session.ahead.result(bits, session)):
        (session.out / f"{Path(each.script).stem}.log").write_text(each.told, encoding="utf-8")
        session.tell(f"  {each.script} ended with {each.status} after {each.seconds:.0f} s")
        if each.status == NOT_RUN.get(each.script):
            missing.append(f"{each.script}: {each.told.strip()[-200:]}")
        elif each.status != 0:
            session.failures.append(f"{each.script} ended with {each.status}")
    if missing:
        raise NotRun("; ".join(missing))


def commands(session: Session) -> Iterator[tuple[Path, list[str]]]:
    """Of the scripts beside session.py, and of the emulator's own that need the card for themselves."""
    for script in sorted(HERE.glob("*.py")):
        if script.name != "session.py":
            yield script, [sys.executable, str(script), str(session.out), "--sandbox", session.walls]
    for script in sorted((SCRIPTS / "counters").glob("*.py")):
        yield script, [sys.executable, str(script), str(session.out / script.stem)]


def ran(session: Session, script: Path, command: list[str]) -> Ran:
    began = session.seconds
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return Ran(script.name, done.returncode, done.stdout + done.stderr, session.seconds - began)
