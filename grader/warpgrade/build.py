"""Compile a submission to device code, in a box that holds only the toolkit and the lab's headers."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from . import diagnostics, ptx, sandbox
from .house import House
from .records import Build, BuildStatus, Diagnostic, Lab, Resources, Submission
from .sandbox import Box, Limits, Mount
from .toolkit import Toolkit
from .workplace import workplace

FATBIN = "kernel.fatbin"
# Far above what a lab's kernel takes (0.3 s, 100 MB), so that a bomb costs seconds, not minutes.
LIMITS = Limits(seconds=30, memory_bytes=2 << 30, file_bytes=64 << 20)
_MOST_GLOBAL_BYTES = 64 << 20
# Device code only, in a form that the emulator reads; the oldest target that nvcc 13 has.
FLAGS = ("-fatbin", "--no-compress", "-lineinfo", "-gencode", "arch=compute_75,code=compute_75")


@dataclass(frozen=True)
class Compiler:
    """What a build needs beside the submission. `architecture` is the one that resources are told for."""

    house: House
    toolkit: Toolkit
    sandbox: str = "bwrap"
    architecture: str = "sm_90"
    limits: Limits = LIMITS


def build(
    submission: Submission, lab: Lab, compiler: Compiler, out: Path, parameters: tuple[str, ...] = ()
) -> Build:
    """Compile to `out`/kernel.fatbin. `parameters`: what the kernel must take, empty to take anything.

    GraderError where the box or the compiler is broken; a submission's own mistakes are in the record.
    """
    with workplace(compiler.house) as work:
        for file in submission.files:
            (work / file.name).write_text(file.text, encoding="utf-8", newline="\n")
        built, text = _compile(submission, lab, compiler, work)
        if built.status != BuildStatus.BUILT:
            return built
        built = _with_kernel(built, submission, lab, text, parameters)
        if built.status != BuildStatus.BUILT:
            return built
        built = _with_resources(built, submission, lab, compiler, work, text)
        if built.status == BuildStatus.BUILT:
            out.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / FATBIN, out / FATBIN)
        return built


def _box(compiler: Compiler, work: Path) -> Box:
    mounts = (Mount(compiler.toolkit.folder, "/toolkit"), Mount(compiler.house.common, "/course/common"))
    return Box(work, mounts)


# --- nvcc --------------------------------------------------------------------------------------


def _compile(submission: Submission, lab: Lab, compiler: Compiler, work: Path) -> tuple[Build, str]:
    main = submission.files[0].name
    command = ["/toolkit/bin/nvcc", *FLAGS, "--brief-diagnostics=true", "-I", "/course/common"]
    command += ["--keep", "--keep-dir", "/box", "-o", f"/box/{FATBIN}", main]
    outcome = sandbox.run(command, _box(compiler, work), compiler.limits, compiler.sandbox)
    sources = {file.name: file.text for file in submission.files}
    headers = frozenset(path.name for path in compiler.house.common.glob("*"))
    messages = diagnostics.of_compiler(outcome.stderr + outcome.stdout, sources, headers)
    text_file = work / f"{Path(main).stem}.ptx"
    if outcome.timed_out:
        return _failed(f"the compiler did not finish in {compiler.limits.seconds:g} seconds", messages), ""
    if outcome.flooded:
        return _failed("the compiler wrote more messages than anyone can read", messages), ""
    if outcome.status != 0 or not text_file.is_file() or not (work / FATBIN).is_file():
        return _failed(_first_error(messages, outcome.status), messages), ""
    text = text_file.read_text(encoding="utf-8", errors="replace")
    digest = hashlib.sha256(text.replace(str(work.resolve()), sandbox.BOX).encode()).hexdigest()
    return Build(BuildStatus.BUILT, "compiled", messages, fatbin=FATBIN, fatbin_hash=digest), text


def _failed(summary: str, messages: tuple[Diagnostic, ...] = ()) -> Build:
    return Build(BuildStatus.BUILD_FAILED, summary, messages)


def _first_error(messages: tuple[Diagnostic, ...], status: int) -> str:
    error = next((message for message in messages if message.severity == "error"), None)
    if error is None:
        return f"the compiler gave up without a word (exit code {status})"
    place = f"{error.file}:{error.line}: " if error.line else ""
    return f"{place}{error.text}"


# --- the kernel --------------------------------------------------------------------------------


def _with_kernel(built: Build, submission: Submission, lab: Lab, text: str, wanted: tuple[str, ...]) -> Build:
    found = ptx.kernels(text)
    main = submission.files[0]
    if lab.kernel not in found:
        message = _no_kernel(lab.kernel, sorted(found), main.text)
        names = [ptx.unmangled(name) for name in found]
        line = _line_of(main.text, names[0]) if names else None
    elif wanted and found[lab.kernel] != wanted:
        message = (
            f"{lab.kernel} takes other parameters than the lab's kernel: "
            f"{_told(found[lab.kernel])} instead of {_told(wanted)}; leave its signature as it was"
        )
        line = _line_of(main.text, lab.kernel)
    elif ptx.global_bytes(text) > _MOST_GLOBAL_BYTES:
        message = (
            f"the file's variables take {ptx.global_bytes(text):,} bytes of device memory; "
            f"they may take {_MOST_GLOBAL_BYTES:,}"
        )
        line = None
    else:
        return replace(built, parameters=found[lab.kernel])
    source = diagnostics.source_line({main.name: main.text}, main.name, line)
    error = Diagnostic("error", message, main.name, line, source)
    return _failed(_first_error((error,), 0), (error, *built.diagnostics))


def _no_kernel(kernel: str, found: list[str], text: str) -> str:
    if not text.strip():
        return f"the file is empty; the lab's kernel is {kernel}"
    if not found:
        return f"there is no kernel in this file; the lab's kernel is {kernel}"
    if kernel in map(ptx.unmangled, found):
        return f'{kernel} needs the name that C gives it: write extern "C" __global__ void {kernel}(…)'
    return f"there is no kernel named {kernel}; this file has {', '.join(map(ptx.unmangled, found[:5]))}"


def _line_of(text: str, word: str) -> int | None:
    match = re.search(rf"\b{re.escape(word)}\s*\(", text)
    return text.count("\n", 0, match.start()) + 1 if match else None


def _told(parameters: tuple[str, ...]) -> str:
    words = {"u64": "64 bits", "u32": "32 bits", "f32": "float", "f64": "double"}
    return "(" + ", ".join(words.get(kind, kind) for kind in parameters) + ")"


# --- ptxas -------------------------------------------------------------------------------------


def _with_resources(
    built: Build, submission: Submission, lab: Lab, compiler: Compiler, work: Path, text: str
) -> Build:
    name = f"{Path(submission.files[0].name).stem}.ptx"
    command = ["/toolkit/bin/ptxas", "-v", f"-arch={compiler.architecture}", name, "-o", "/box/kernel.cubin"]
    outcome = sandbox.run(command, _box(compiler, work), compiler.limits, compiler.sandbox)
    report = outcome.stderr + outcome.stdout
    found = ptx.resources(report, lab.kernel, compiler.architecture)
    too_much_shared = found is not None and found.registers == 0
    if outcome.status != 0 and not too_much_shared:
        sources = {file.name: file.text for file in submission.files}
        messages = diagnostics.of_assembler(report, text, sources)
        summary = (
            "the assembler did not finish" if outcome.timed_out else _first_error(messages, outcome.status)
        )
        return _failed(summary, (*messages, *built.diagnostics))
    return replace(built, resources=found, summary=_in_numbers(found))


def _in_numbers(found: Resources | None) -> str:
    if found is None:
        return "compiled"
    shared = f"{found.shared_bytes:,} bytes of shared memory a block"
    return f"{found.registers} registers a thread, {shared}" if found.registers else shared
