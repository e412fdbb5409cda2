"""A user's own CUDA program, of no lab: compile it, and run it on the emulator or a GPU without a sandbox."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..build import diagnostics, toolkit
from ..build.program import in_some_way
from ..core.errors import UsageError
from ..core.paths import Repository, need, text_hash, typed
from ..feedback.unoptimised import only_in
from ..gpu import devices, driver
from ..gpu.spec import GpuSpec
from ..judge import findings
from ..records import Diagnostic, Finding, SourceFile, Submission
from ..run.emulator_rows import finding_of, is_count
from ..run.programs import arrays
from ..sandbox import process

WANTED = "name a .cu file with a main"
SOURCES = (".cu", ".cpp", ".cc")
NATIVE = "native"  # in place of an architecture: that of the GPU in this machine
_OPTIMISED, _UNOPTIMISED = ("-O3", "-lineinfo"), ("-G",)


@dataclass(frozen=True)
class Suppressed:
    """A rule of the suppressions file that matched a finding."""

    rule: str  # "races.supp:3"
    reason: str
    findings: int  # places in the program


@dataclass(frozen=True)
class Ran:
    """`status`: the program's exit code. `findings`: what the emulator reported, with advice; empty on a GPU.
    `unoptimised`: what it reported only in a second run, of the program compiled without optimisation.
    `suppressed`: the rules that removed findings. `warnings`: those of the compiler.
    """

    status: int
    findings: tuple[Finding, ...]
    unoptimised: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def run(
    repository: Repository,
    source: Path,
    arguments: Sequence[str],
    gpu: GpuSpec,
    on_card: bool,
    thorough: bool = False,
    suppressions: Path | None = None,
) -> Ran:
    """Compile and run the program; its input and output are the terminal's.

    `thorough`: the emulator runs the program a second time, compiled without optimisation and with its output
    hidden. No check sees code that the compiler has removed: a race whose result nobody reads, an access to a
    variable that became a constant. `suppressions`: a file of findings to leave out, as docs/findings.md
    describes it.

    UsageError if the program does not compile, a line of `suppressions` is no rule, or there is no GPU.
    GraderError if a tool is missing.
    """
    need_source(source)
    if on_card and (driver.folder() is None or not devices.present()):
        # A program that ignores errors would run to its end, and every call would fail.
        raise UsageError("there is no GPU on this machine", remedy="leave --gpu out: the emulator runs it")
    if suppressions is not None:
        _check_rules(repository, suppressions)
    text = source.read_text(encoding="utf-8", errors="replace")
    own = Submission("you", "", source.name, (SourceFile(source.name, text),), text_hash(text))
    with tempfile.TemporaryDirectory(prefix="warpgrade-") as folder:
        architecture = NATIVE if on_card else gpu.architecture
        program, words = _compiled(repository, source, architecture, Path(folder), _OPTIMISED)
        warnings = diagnostics.of_compiler(words, {source.name: text}, frozenset())
        if on_card:
            libraries = str(toolkit.find(repository).folder / "lib")
            command, environment = [str(program), *arguments], dict(os.environ, LD_LIBRARY_PATH=libraries)
            return Ran(process.run_attached(command, environment), (), warnings=warnings)
        ran = _on_emulator(repository, program, arguments, gpu, own, suppressions)
        ran = replace(ran, warnings=warnings)
        if thorough:
            plain = compiled(repository, source, gpu.architecture, Path(folder), _UNOPTIMISED)
            again = _on_emulator(repository, plain, arguments, gpu, own, suppressions, silent=True)
            return replace(ran, unoptimised=only_in(again.findings, ran.findings))
        return ran


def need_source(source: Path) -> None:
    """UsageError unless `source` is a file of CUDA or C++."""
    need_file(source, WANTED)
    if source.suffix not in SOURCES:
        raise UsageError("is no .cu file", file=source, remedy=WANTED)


def need_file(path: Path, remedy: str) -> None:
    """UsageError unless `path` is a file."""
    if path.is_dir():
        raise UsageError("is a folder", file=path, remedy=remedy)
    if not path.is_file():
        raise UsageError("does not exist", file=path, remedy=remedy)


def _on_emulator(
    repository: Repository,
    program: Path,
    arguments: Sequence[str],
    gpu: GpuSpec,
    own: Submission,
    suppressions: Path | None,
    silent: bool = False,
) -> Ran:
    written = program.with_suffix(".jsonl")
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(need(repository.emulator, "type `make tools`").parent),
        "WARPGRADE_GPU": gpu.model,
        "WARPGRADE_FINDINGS": str(written),
    }
    if suppressions is not None:
        environment["WARPGRADE_SUPPRESSIONS"] = str(suppressions)
    status = process.run_attached([str(program), *arguments], environment, silent)
    lines = written.read_text(encoding="utf-8").splitlines() if written.is_file() else []
    rows = [json.loads(line) for line in lines]
    found = [replace(each, label=_where(each)) for each in _read(rows, own)]
    rules = [row for row in rows if "suppressed" in row]
    suppressed = tuple(Suppressed(row["rule"], row["reason"], row["suppressed"]) for row in rules)
    return Ran(status, findings.of_program(found, own), suppressed=suppressed)


def _check_rules(repository: Repository, suppressions: Path) -> None:
    """UsageError if a line of the suppressions file is no rule."""
    emu = need(repository.emu, "type `make tools`")
    command = [str(emu), str(suppressions), "--dump=suppressions"]
    outcome = process.run_trusted(command, {}, process.ResourceLimits(60, None))
    if outcome.status != 0:
        raise UsageError(outcome.stderr.strip(), remedy="docs/findings.md describes files of suppressions")


def _where(finding: Finding) -> str:
    return f"launch {finding.launch} of {finding.kernel_called}" if finding.kernel else "the host's calls"


def _read(rows: Sequence[dict[str, Any]], own: Submission) -> list[Finding]:
    """The findings, each with the number of times that it was seen in all launches."""
    later = {_place(row): row["times"] for row in rows if "repeated" in row}
    found = [row | {"times": row["times"] + later.get(_place(row), 0)} for row in rows if not is_count(row)]
    return [_named(finding_of(row, own), own) for row in found]


def _named(finding: Finding, own: Submission) -> Finding:
    """The finding with the program's name of its memory, if the line that allocates the memory allocates no
    other.
    """
    file, _, line = (finding.memory.made_at or "").rpartition(":") if finding.memory else ("", "", "")
    source = diagnostics.source_line(
        {file: own.source(file) or ""}, file, int(line) if line.isdecimal() else None
    )
    return arrays.named(finding, source)


def _place(row: dict[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in ("kernel", "kind", "file", "line"))


def compiled(
    repository: Repository, source: Path, architecture: str, folder: Path, flags: Sequence[str] = _OPTIMISED
) -> Path:
    """The program of a source file, with PTX and machine code for one architecture, in `folder`."""
    return _compiled(repository, source, architecture, folder, flags)[0]


def _for(architecture: str) -> Sequence[str]:
    """nvcc's options for PTX and machine code of that architecture, or of this machine's GPU."""
    if architecture == NATIVE:
        return ("-arch=native",)
    virtual = architecture.replace("sm_", "compute_")
    return ("-gencode", f"arch={virtual},code=[{architecture},{virtual}]")


def _compiled(
    repository: Repository, source: Path, architecture: str, folder: Path, flags: Sequence[str]
) -> tuple[Path, str]:
    """The program, and the compiler's messages, each line once: nvcc compiles host and device code separately
    and repeats them.
    """
    program = folder / f"{source.stem}{''.join(flags)}"
    command = [str(toolkit.find(repository).folder / "bin" / "nvcc"), *flags, "--no-compress"]
    command += ["--brief-diagnostics=true"]
    command += ["-I", str(repository.common), "-Xcompiler", "-g1"]  # lines of the host's calls
    command += ["-cudart", "shared", *_for(architecture)]
    command += ["-o", str(program), str(source.resolve())]

    def compiled(way: Sequence[str]) -> process.Outcome:
        limits = process.ResourceLimits(600, None)
        return process.run_trusted([*command, *way], {"TMPDIR": str(folder)}, limits)

    outcome = in_some_way(compiled)
    if outcome.status != 0:
        words = f"nvcc does not compile it:\n{outcome.stderr.strip()[:2000]}"
        raise UsageError(
            words, file=source, remedy=f"{WANTED}; for a lab's kernel {typed(f'check LAB {source}')}"
        )
    return program, "\n".join(dict.fromkeys(outcome.stderr.splitlines()))
