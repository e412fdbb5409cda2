"""Runs `emu`, the emulator's command line, in the sandbox: the only reader of PTX and of cubins.

A submission decides what these files contain. emu's limits are those of a compiler; it writes JSON, which is
parsed strictly.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..core import serialize
from ..core.errors import GraderError
from ..core.paths import Repository, need
from ..core.scratch import scratch_folder
from ..sandbox import process
from ..sandbox.process import Box, Mount, Outcome, ResourceLimits
from .ptx import PtxSummary, SourceLocations
from .sass import Code, Instruction, loops_of

# A file of 8 MiB of PTX takes 0.1 s; JSON of machine code is about three times as long as the code.
_LIMITS = ResourceLimits(seconds=30, memory_bytes=4 << 30, output_bytes=128 << 20)
_TOGETHER = 64  # files that one process reads
_PROGRAM = "/emulator/emu"
_KNOWN = "--dump=fidelity"  # needs no file, and code for this processor
T = TypeVar("T")
Banks = tuple[int, int]  # of registers: even, odd
Row = tuple[str, int, int, int, int, int, int, int, bool, bool, Banks, Banks]
TracedInstruction = tuple[int, int, int, int, float, float, Banks, Banks, float]  # issue::TracedInstruction


class UnreadableFile(ValueError):
    """emu refuses the file, or it is too large for emu's limits."""


@dataclass(frozen=True)
class KernelResources:
    registers: int  # of a thread
    shared_bytes: int  # of a block, static


@dataclass(frozen=True)
class PackedFile:
    """A fat binary, as `emu --dump=packed` writes it."""

    same_ptx: bool  # its PTX has the same tokens on the same lines as the text that was assembled
    resources: dict[str, KernelResources]  # by kernel
    summary: PtxSummary  # of the text that was assembled


@dataclass(frozen=True)
class Fingerprint:
    """What a fat binary computes. The same code has the same fingerprint, wherever it is in the source."""

    code: int  # hash of its PTX
    # Hash of a term, lines of the source: docs/similarity.md.
    terms: tuple[tuple[int, tuple[int, ...]], ...] | None


@dataclass(frozen=True)
class IssueJob:
    """A trace, and sequences of blocks that execute it on an SM: grader/emulator/issue/schedule.hpp."""

    instructions: tuple[TracedInstruction, ...]
    order: tuple[int, ...]
    timing: tuple[int, float, float, float, float]  # issue::IssueTiming
    sequences: tuple[tuple[int, int, int, float, float, int, bool], ...]  # issue::BlockSequence


@dataclass(frozen=True)
class IssueSchedule:
    """Cycles by block, in the order in which they start."""

    starts: tuple[float, ...]
    ends: tuple[float, ...]


@dataclass(frozen=True)
class _KernelJson:
    registers: int
    shared_bytes: int
    instructions: tuple[Row, ...]


@dataclass(frozen=True)
class _MachineCodeJson:
    callers: tuple[str, ...]
    kernels: dict[str, _KernelJson]


@dataclass(frozen=True)
class MachineCode:
    """The machine code for one GPU in a program, fat binary or cubin."""

    callers: tuple[str, ...]  # kernels that call functions which nvcc has not inlined
    kernels: dict[str, Code]


@dataclass(frozen=True)
class Emu:
    """Where emu is and how it is run. Its methods raise UnreadableFile, and GraderError if emu is missing."""

    repository: Repository
    sandbox: str = "bwrap"

    def summary(self, file: Path) -> PtxSummary:
        return self._read(PtxSummary, "summary", (file,))

    def locations(self, file: Path) -> SourceLocations:
        return self._read(SourceLocations, "locations", (file,))

    def packed(self, fatbin: Path, text: Path, cubin: Path | None) -> PackedFile:
        """`text`: the PTX that was assembled; `cubin`: what ptxas made of it."""
        return self._read(PackedFile, "packed", (fatbin, text, cubin) if cubin else (fatbin, text))

    def machine_code(self, program: Path, architecture: str) -> MachineCode:
        """`architecture`: "sm_90"."""
        found = self._read(_MachineCodeJson, "machine-code", (program,), f"--arch={architecture}")
        return MachineCode(found.callers, {name: _code(name, k) for name, k in found.kernels.items()})

    def schedules(self, job: IssueJob) -> tuple[IssueSchedule, ...]:
        """The schedule of each of the job's sequences of blocks."""
        with scratch_folder(self.repository) as folder:
            file = folder / "job.json"
            file.write_text(serialize.dumps(job), encoding="utf-8")
            return self._read(tuple[IssueSchedule, ...], "schedules", (file,))

    def fingerprints(self, fatbins: Sequence[Path]) -> list[Fingerprint | None]:
        """The fingerprint of each file, in their order; None if a file is missing or emu cannot read it.

        One process reads many files, because starting it takes longer than reading a file.
        """
        there = [file for file in fatbins if file.is_file()]
        chunks = [there[at : at + _TOGETHER] for at in range(0, len(there), _TOGETHER)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = itertools.chain.from_iterable(pool.map(self._fingerprints, chunks))
        found = dict(zip(there, rows, strict=True))
        return [found.get(file) for file in fatbins]

    def _fingerprints(self, fatbins: Sequence[Path]) -> list[Fingerprint | None]:
        try:
            return list(self._read(tuple[Fingerprint, ...], "fingerprints", tuple(fatbins)))
        except UnreadableFile:
            if len(fatbins) == 1:
                return [None]
        half = len(fatbins) // 2
        return [*self._fingerprints(fatbins[:half]), *self._fingerprints(fatbins[half:])]

    def _read(self, kind: type[T], what: str, files: tuple[Path, ...], *options: str) -> T:
        mounts = [Mount(file, f"/in/{number}") for number, file in enumerate(files)]
        first, *others = (mount.at for mount in mounts)
        outcome = self._run((first, f"--dump={what}", *others, *options), mounts, f"emu {what}")
        if outcome.status != 0 or outcome.is_over_a_limit:
            self._need_sound()
            raise UnreadableFile(outcome.stderr.strip()[:300] or f"emu ended with status {outcome.status}")
        try:
            return serialize.loads(kind, outcome.stdout)
        except (ValueError, TypeError, KeyError) as error:
            words = f"--dump={what} wrote other JSON than expected: {error}"
            raise GraderError(words, file=self.repository.emu, remedy="type `make clean tools`") from error

    def _need_sound(self) -> None:
        """GraderError if emu does not run here: if it cannot even list its instructions, no file is to
        blame."""
        outcome = self._run((_KNOWN,), (), "emu")
        if outcome.status != 0:
            words = outcome.stderr.strip()[:300] or f"exit code {outcome.status}"
            raise GraderError(
                f"does not run: {words}", file=self.repository.emu, remedy="type `make clean tools`"
            )

    def _run(self, words: Sequence[str], mounts: Sequence[Mount], called: str) -> Outcome:
        program = Mount(need(self.repository.emu, "type `make tools`"), _PROGRAM)
        environment = {}
        libraries = []
        if self.repository.libraries.is_dir():
            libraries.append(Mount(self.repository.libraries, "/libraries"))
            environment["LD_LIBRARY_PATH"] = "/libraries"
        with scratch_folder(self.repository) as work:
            box = Box(work, (program, *mounts, *libraries), environment=environment, proc=False)
            return process.run((_PROGRAM, *words), box, _LIMITS, self.sandbox, called)


def why_not_here(repository: Repository, level: str = "") -> str | None:
    """Why the emulator, as it was built, does not run on this machine, or its code for that level of x86-64
    ("v1"); None if it does. GraderError if emu is missing.
    """
    words = [str(need(repository.emu, "type `make tools`")), _KNOWN]
    ran = process.run_trusted(words, {"WARPGRADE_LANES": level}, _LIMITS)
    return None if ran.status == 0 else ran.stderr.strip()[:200] or f"exit code {ran.status}"


def _code(name: str, kernel: _KernelJson) -> Code:
    instructions = tuple(Instruction(*row) for row in kernel.instructions)
    return Code(name, instructions, kernel.registers, kernel.shared_bytes, loops_of(instructions))
