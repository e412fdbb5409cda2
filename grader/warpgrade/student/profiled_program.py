"""Runs the program that a lab's questions ask about on the emulator, and profiles its longest launch."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import UsageError
from ..core.paths import Repository
from ..gpu.spec import GpuSpec
from ..perfmodel import launch_profile
from ..perfmodel.launch_profile import LaunchProfile
from ..records import ProfiledProgram
from . import predict
from .own_program import compiled, need_file

_SAMPLE = 8  # blocks of each launch that run; each block of such a program does the same work


@dataclass(frozen=True)
class CompiledProgram:
    """A program, and the file and text that it was compiled from."""

    repository: Repository
    program: Path
    file: Path
    source: str
    gpu: GpuSpec

    def profile(self, arguments: Sequence[str]) -> LaunchProfile:
        """Run it. UsageError if it cannot run, or launches no kernel."""
        found = predict.predict(self.repository, self.program, arguments, self.gpu, _SAMPLE, source=self.file)
        if not found:
            words = f"launches no kernel with the arguments {' '.join(arguments)}"
            raise UsageError(words, file=self.file, remedy="its main launches the kernel that they name")
        longest = max(found, key=lambda each: each.time.milliseconds)
        return launch_profile.profile(
            longest.launch,
            longest.time,
            self.gpu,
            self.source,
            longest.occupancy,
            longest.registers,
            longest.shared_bytes,
        )


@contextmanager
def compiled_program(repository: Repository, source: Path, gpu: GpuSpec) -> Iterator[CompiledProgram]:
    """The program of a .cu file, until the end of the block. UsageError if it does not compile."""
    need_file(source, "take it from the course's archive again")
    text = source.read_text(encoding="utf-8", errors="replace")
    with tempfile.TemporaryDirectory(prefix="warpgrade-") as folder:
        program = compiled(repository, source, gpu.architecture, Path(folder))
        yield CompiledProgram(repository, program, source, text, gpu)


def arguments(program: ProfiledProgram, run: Mapping[str, int | float | str]) -> tuple[str, ...]:
    """The program's arguments for a recorded run."""
    return tuple(str(run[name]) for name, _ in program.arguments)
