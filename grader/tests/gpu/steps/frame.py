"""The context of all steps: the folder of results, the lines of the summary, and work started early."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
WORK = ROOT / "build/hardware"
BUDGET = 450.0  # seconds; a step, or a row of `spread`, that would begin later is left out


class NotRun(Exception):
    """This machine cannot run the step; the message says why."""


class Ahead:
    """Work on the processor for later steps, done while the first step uses the GPU.

    None of it runs while anything is timed: see settle().
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(4)
        self._begun: dict[Callable[..., Any], Future[Any]] = {}

    def begin(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        if work not in self._begun:
            self._begun[work] = self._pool.submit(work, *arguments)
        return self._begun[work]

    def result(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """The result of work that was started early, or else of running it now."""
        return self.begin(work, *arguments).result()

    def settle(self) -> None:
        for each in self._begun.values():
            each.exception()


@dataclass
class StepContext:
    out: Path
    sandbox: str
    failures: list[str]
    lines: list[str]
    labs: tuple[str, ...] = ()  # of the step `verdicts`; empty: all
    ahead: Ahead = field(default_factory=Ahead)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the session began."""
        return time.monotonic() - self.began

    def report(self, line: str) -> None:
        self.lines.append(line)
        print(line, flush=True)

    def warpgrade(self, *words: str) -> str:
        """Run a command of warpgrade; its standard output. NotRun if it fails."""
        command = [sys.executable, "-m", "warpgrade", *words]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        withheld = 4 if words[0] == "grade" else 0
        if ran.returncode not in (0, withheld):
            raise NotRun(f"warpgrade {words[0]}: {(ran.stderr or ran.stdout).strip()[-400:]}")
        return ran.stdout
