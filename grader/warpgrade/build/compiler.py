"""Compile a submission to device code, in a box that holds only the toolkit and the lab's headers.

nvcc's front end makes PTX. ptxas makes machine code from the same PTX, for the GPU of this machine or for the
one that is modelled. Both go into one fat binary. The emulator executes the PTX, a GPU the machine code, so
the emulator judges the code that the GPU times. A submission cannot make them differ by the macro
`__CUDA_ARCH__`.

lab.toml's table [build] says how old the PTX is (architecture), which optimisation levels of ptxas a file
may ask for with a line `// ptxas: -O1`, and whether a kernel may use tensor cores.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..core import store
from ..core.paths import Repository
from ..core.scratch import scratch_folder
from ..course.evidence import patterns
from ..records import Build, BuildStatus, Diagnostic, Lab, Resources, Submission
from ..sandbox import process
from ..sandbox.process import Box, Mount, ResourceLimits
from . import diagnostics, kernel_check, newer_gpus, ptxas, source_files
from .emu import Emu, PackedFile, UnreadableFile
from .failure import failed, first_error
from .headers import pruned
from .headers.cut import HEADER, STEM, Prelude
from .headers.texts import HeaderTexts
from .ptx import PtxSummary, SourceLocations
from .soundness import is_first_error_placed, need_sound, need_whole_headers
from .toolkit import Toolkit

FATBIN = "kernel.fatbin"
# Far above what a lab's kernel takes (0.3 s, 100 MB), so that a bomb costs seconds, not minutes.
LIMITS = ResourceLimits(seconds=30, memory_bytes=2 << 30, address_bytes=2 << 30, file_bytes=64 << 20)
_MOST_PTX_BYTES = 8 << 20
# Without it cudafe++, which compiles the host's half of a program, spends a third of its time in page faults.
_LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
# Device code only, in a form that the emulator reads.
FLAGS = ("-fatbin", "--no-compress", "-lineinfo")
_UNOPTIMISED = ("-fatbin", "--no-compress", "-G")
_PLAIN_NAME = re.compile(r"[\w-]+\.cu", re.ASCII)  # needs no quotes in a shell
_CUBIN = "kernel.cubin"
# fatbinary removes comments when it packs PTX, by other rules than ptxas: after a carriage return in a
# comment, fatbinary reads code and ptxas a comment. The emulator would then judge code that no GPU executes.
_READ_TWICE = (
    "CUDA's tools read its inline assembly in two ways: leave comments, carriage returns and quotes out"
)
# Without one of these, PTX that CUDA's tools accept and the emulator does not read is the emulator's fault.
# With one, the submission decides what the PTX contains. ## and escapes can compose the word.
_ASSEMBLY = re.compile(r"asm|##|%:%:|\\[uU]|\?\?/")
_SPLICE = re.compile(r"\\[ \t]*\n")  # joins two lines, also in the middle of a word
_DIRECTIVE = "its inline assembly has a line for a preprocessor, which PTX does not have: leave out the #"


@dataclass(frozen=True)
class Compiler:
    """What a build needs besides the submission. `architecture`: of the machine code, "sm_90".

    Without `machine_code`, a build holds only PTX, which is all that the emulator needs. Without `optimised`,
    it keeps what nvcc would remove, and has no machine code either.
    """

    repository: Repository
    toolkit: Toolkit
    sandbox: str = "bwrap"
    architecture: str = "sm_90"
    limits: ResourceLimits = LIMITS
    optimised: bool = True
    machine_code: bool = True


def inputs(lab: Lab) -> str:
    """Everything in a lab that a build depends on, as part of its key."""
    return repr((lab.kernels, lab.compilation, patterns(lab.techniques)))


def build(
    submission: Submission, lab: Lab, compiler: Compiler, out: Path, like: Build | None = None
) -> Build:
    """Compile to `out`/kernel.fatbin. `like`: a build whose kernels' parameters these kernels must have.

    GraderError if the box or the compiler does not work; a submission's own mistakes are in the record.
    """
    with scratch_folder(compiler.repository) as work:
        source_files.write(submission.files, work)
        built = _compile(submission, lab, compiler, work)
        if built.status != BuildStatus.BUILT:
            return built
        try:
            built = _checked(built, submission, lab, compiler, work, like)
        except UnreadableFile as error:
            return failed(f"the file's PTX cannot be read: {error}")
        if built.status == BuildStatus.BUILT:
            # Two processes may build into the same folder: each reads a complete file.
            store.write_bytes(out / FATBIN, source_files.without_place((work / FATBIN).read_bytes(), work))
        return built


def _checked(
    built: Build, submission: Submission, lab: Lab, compiler: Compiler, work: Path, like: Build | None
) -> Build:
    """The build, after the checks between nvcc and the finished fat binary."""
    emu, file = Emu(compiler.repository, compiler.sandbox), work / _ptx_name(submission)

    def accepted(summary: PtxSummary) -> Build:
        found = kernel_check.checked(built, submission, lab, lambda: emu.locations(file), summary, like)
        if found.status == BuildStatus.BUILT and summary.has_preprocessor_line:
            return failed(_DIRECTIVE)
        return found

    if compiler.machine_code and compiler.optimised:
        return _with_machine_code(accepted, submission, lab, compiler, work, emu)
    packed = emu.packed(work / FATBIN, file, None)
    found = accepted(packed.summary)
    return found if found.status != BuildStatus.BUILT or packed.same_ptx else failed(_READ_TWICE)


def _ptx_name(submission: Submission) -> str:
    return f"{Path(submission.files[0].name).stem}.ptx"


def box_of(compiler: Compiler, work: Path) -> Box:
    """The box of a compiler that works in the folder `work`."""
    mounts = (Mount(compiler.toolkit.folder, "/toolkit"), Mount(compiler.repository.common, "/course/common"))
    return Box(work, mounts, environment=source_files.NO_CLOCK | _LARGE_PAGES, proc=False)


def messages_of(
    outcome: process.Outcome, submission: Submission, lab: Lab, compiler: Compiler
) -> tuple[Diagnostic, ...]:
    """What nvcc's front end said, on the lines of the submission."""
    texts = {file.name: file.text for file in submission.files}
    headers = frozenset(path.name for path in compiler.repository.common.glob("*"))
    given = source_files.given_lines(compiler.repository, lab)
    return diagnostics.of_compiler(outcome.stderr + outcome.stdout, texts, headers, given)


# --- nvcc --------------------------------------------------------------------------------------


def _compile(submission: Submission, lab: Lab, compiler: Compiler, work: Path) -> Build:
    outcome, headers_used = _front_end(submission, lab, compiler, work)
    messages = messages_of(outcome, submission, lab, compiler)
    text_file = work / _ptx_name(submission)
    if outcome.timed_out:
        return failed(f"the compiler did not finish in {compiler.limits.seconds:g} seconds", messages)
    if outcome.overfull:
        return failed(f"the compiler wanted more than {_mib(compiler)} MiB of memory", messages)
    if outcome.flooded:
        return failed("the compiler wrote more messages than anyone can read", messages)
    if outcome.spilled:
        return failed("the compiler wrote larger files than it may", messages)
    if outcome.status != 0 or not text_file.is_file() or not (work / FATBIN).is_file():
        need_cause(messages, compiler)
        newer = _newer(submission, lab, compiler, work)
        return failed(first_error(messages, outcome.status), (*messages[:1], *newer, *messages[1:]))
    if text_file.stat().st_size > _MOST_PTX_BYTES:  # emu reads it several times
        return failed(f"the file becomes more than {_MOST_PTX_BYTES >> 20} MiB of PTX", messages)
    text = text_file.read_bytes().decode("utf-8", "replace")
    placeless = process.boxed_paths(text, box_of(compiler, work))
    digest = hashlib.sha256(
        f"{placeless}{kernel_check.level(lab, submission.files[0].text)}".encode()
    ).hexdigest()
    return Build(
        BuildStatus.BUILT, "compiled", messages, fatbin=FATBIN, fatbin_hash=digest, headers=headers_used,
        assembly=any(_ASSEMBLY.search(_SPLICE.sub("", file.text)) for file in submission.files),
    )  # fmt: skip


def _front_end(
    submission: Submission, lab: Lab, compiler: Compiler, work: Path
) -> tuple[process.Outcome, str]:
    """Compile with cut headers if possible. If that fails or writes a message, nvcc compiles again with all
    headers, so that every error and warning is nvcc's own.
    """
    box = box_of(compiler, work)
    before = _before(submission, lab, compiler, box)
    if before is not None:
        (work / HEADER).write_text(before[0], encoding="utf-8", newline="\n")
        shell = ("/bin/sh", "-c", before[1])
        outcome = process.run(shell, box, compiler.limits, compiler.sandbox, "nvcc, headers cut")
        silent = outcome.status == 0 and not (outcome.stdout + outcome.stderr).strip()
        if silent or outcome.is_over_a_limit:
            return outcome, "cut"
        (work / HEADER).unlink()
    command = (*_nvcc(lab, compiler), submission.files[0].name)
    return process.run(command, box, compiler.limits, compiler.sandbox), "all"


def _nvcc(lab: Lab, compiler: Compiler) -> tuple[str, ...]:
    virtual = f"compute_{_virtual(lab, compiler)}"
    target = ("-gencode", f"arch={virtual},code={virtual}", "--brief-diagnostics=true")
    kept = ("--keep", "--keep-dir", "/box", "-o", f"/box/{FATBIN}")
    flags = FLAGS if compiler.optimised else _UNOPTIMISED
    return ("/toolkit/bin/nvcc", *flags, *target, "-I", "/course/common", *kept)


def cuts_headers(lab: Lab, compiler: Compiler) -> bool:
    """Whether submissions of this lab are compiled with cut headers."""
    return _prelude(lab, compiler, box_of(compiler, compiler.repository.common)) is not None


def _prelude(lab: Lab, compiler: Compiler, box: Box, headers: tuple[str, ...] = ()) -> Prelude | None:
    command = _nvcc(lab, compiler)
    return pruned.find(compiler.repository, compiler.toolkit, command, box, compiler.sandbox, headers)


def _before(submission: Submission, lab: Lab, compiler: Compiler, box: Box) -> tuple[str, str] | None:
    """The text of HEADER and the commands that compile with it; None if the submission needs all headers."""
    if not compiler.optimised:
        return None  # cut headers are made for one set of flags
    main = submission.files[0]
    own = {file.name: file.text for file in submission.files[1:]}
    texts = HeaderTexts(own, (compiler.repository.common, compiler.toolkit.folder / "include"))
    first = source_files.given_headers(compiler.repository, lab, main)
    found = _prelude(lab, compiler, box, first if all(name in texts for name in first) else ())
    if found is None or not _PLAIN_NAME.fullmatch(main.name):
        return None
    text = found.cut(main.text, texts)
    return None if text is None else (text, found.commands.replace(STEM, Path(main.name).stem))


def _virtual(lab: Lab, compiler: Compiler) -> int:
    """Compute capability of the PTX: what the lab allows, as far as the GPU has it."""
    return min(lab.compilation.architecture, _real(compiler))


def _real(compiler: Compiler) -> int:
    return int(compiler.architecture.removeprefix("sm_"))


def _newer(submission: Submission, lab: Lab, compiler: Compiler, work: Path) -> tuple[Diagnostic, ...]:
    free = replace(lab, compilation=replace(lab.compilation, architecture=_real(compiler)))
    command, box = (*_nvcc(free, compiler), submission.files[0].name), box_of(compiler, work)
    allowed = _virtual(lab, compiler)
    return newer_gpus.note(command, box, compiler.limits, compiler.sandbox, allowed, _real(compiler))


def _mib(compiler: Compiler) -> int:
    return (compiler.limits.memory_bytes or 0) >> 20


def need_cause(messages: tuple[Diagnostic, ...], compiler: Compiler, flags: Sequence[str] = FLAGS) -> None:
    """GraderError if a build with `flags` failed because the compiler is damaged."""
    need_whole_headers(compiler.toolkit)
    if not is_first_error_placed(messages):
        need_sound(
            compiler.toolkit, compiler.repository, flags, compiler.architecture, compiler.limits,
            compiler.sandbox,
        )  # fmt: skip


# --- machine code ------------------------------------------------------------------------------


def _with_machine_code(
    accepted: Callable[[PtxSummary], Build],
    submission: Submission,
    lab: Lab,
    compiler: Compiler,
    work: Path,
    emu: Emu,
) -> Build:
    """The build with machine code. `accepted`: the build, or why it fails, by what its PTX holds. One process
    of emu reads all that a sound file needs, so that the PTX is assembled before it is accepted.
    """
    name, level = _ptx_name(submission), kernel_check.level(lab, submission.files[0].text)
    text, cubin = work / name, work / _CUBIN
    if b"/*" in text.read_bytes() or level not in lab.compilation.ptxas:  # what ptxas must not be given
        summary = emu.summary(text)
        found = accepted(summary)
        if found.status != BuildStatus.BUILT:
            return found
        if summary.without_long_comments is not None:
            text.write_text(summary.without_long_comments, encoding="utf-8", newline="\n")
    outcome = _assembled_and_bound(name, level, lab, compiler, work)
    is_assembled = cubin.is_file() and not outcome.is_over_a_limit
    wanted = None if is_assembled else ptxas.too_much_shared_of_any(outcome.stderr, lab.kernels)
    if wanted is None and not (is_assembled and outcome.status == 0):
        found = accepted(emu.summary(text))
        if found.status != BuildStatus.BUILT:
            return found
        if is_assembled:
            return _not_bound(found, outcome, compiler)
        return _not_assembled(found, outcome, submission, compiler, emu.locations(text))
    # Without a cubin, the harness reads from the PTX how much memory the kernel needs.
    packed = emu.packed(work / FATBIN, text, cubin if is_assembled else None)
    found = accepted(packed.summary)
    if found.status != BuildStatus.BUILT:
        return found
    if not packed.same_ptx:
        return failed(_READ_TWICE)
    return _with_resources(found, outcome.stderr, wanted, packed, lab, compiler)


def _not_assembled(
    built: Build, outcome: process.Outcome, submission: Submission, compiler: Compiler, at: SourceLocations
) -> Build:
    sources = {file.name: file.text for file in submission.files}
    messages = diagnostics.of_assembler(outcome.stderr, at, sources)
    if not outcome.is_over_a_limit:
        need_cause(messages, compiler)
    summary = "the assembler did not finish" if outcome.timed_out else first_error(messages, outcome.status)
    return failed(summary, (*messages, *built.diagnostics))


def _not_bound(built: Build, outcome: process.Outcome, compiler: Compiler) -> Build:
    # The same tool has bound the reference, so the reason can only be the submission's size or text.
    need_cause((), compiler)
    words = diagnostics.plain(outcome.stdout.strip()[-300:]) or outcome.status
    return failed(f"fatbinary does not bind the file's PTX and machine code: {words}", built.diagnostics)


def _with_resources(
    built: Build, report: str, wanted: int | None, packed: PackedFile, lab: Lab, compiler: Compiler
) -> Build:
    """`report`: of ptxas; `wanted`: bytes of shared memory of a block that are more than there are."""
    if wanted is not None:
        found = ptxas.resources(report, lab.kernel, compiler.architecture, 0, wanted)
        return replace(built, resources=found, summary=_in_numbers(found))
    found, *others = (
        ptxas.resources(report, name, compiler.architecture, own.registers, own.shared_bytes)
        for name, own in ((name, packed.resources[name]) for name in lab.kernels)
    )
    more = dict(zip(lab.kernels[1:], others, strict=True))
    return replace(built, resources=found, summary=_in_numbers(found), other_resources=more)


def _assembled_and_bound(name: str, level: str, lab: Lab, compiler: Compiler, work: Path) -> process.Outcome:
    """Assemble the PTX, then bind PTX and machine code into one fat binary. One box holds both tools, since
    making a box takes longer than fatbinary does. ptxas' report is in `stderr`, fatbinary's in `stdout`.
    """
    real = compiler.architecture.removeprefix("sm_")
    assemble = ["-v", f"-arch={compiler.architecture}", level, "--generate-line-info", name, "-o", _CUBIN]
    images = (f"kind=ptx,sm={_virtual(lab, compiler)},file={name}", f"kind=elf,sm={real},file={_CUBIN}")
    bind = [f"--create={FATBIN}", "-64", "-compress=false", *(f"--image3={image}" for image in images)]
    script = f'"$0" {shlex.join(assemble)} >&2 && exec "$1" {shlex.join(bind)} 2>&1'
    command = ("/bin/sh", "-c", script, "/toolkit/bin/ptxas", "/toolkit/bin/fatbinary")
    box = box_of(compiler, work)
    return process.run(command, box, compiler.limits, compiler.sandbox, "ptxas, fatbinary")


def _in_numbers(found: Resources) -> str:
    shared = f"{found.shared_bytes:,} bytes of shared memory a block"
    return f"{found.registers} registers a thread, {shared}" if found.registers else shared
