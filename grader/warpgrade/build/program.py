"""Compile a whole program, host code and kernels, in the sandbox.

The program links CUDA's runtime as a shared library, so that the front end of the emulator can take its
place. It is not position independent: a return address in it is the same in every run, and addr2line names
its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from ..core import store
from ..core.code_hash import code_hash
from ..core.paths import text_hash
from ..core.scratch import scratch_folder
from ..records import Build, BuildStatus, Lab, Submission
from ..sandbox import process
from ..sandbox.process import Box, Mount, ResourceLimits
from . import diagnostics, dry_run, source_files
from .compiler import LIMITS, Compiler, box_of, messages_of, need_cause
from .failure import failed

PROGRAM = "program"  # the file next to the saved build
FLAGS = (
    "-O1", "-cudart", "shared", "--no-compress", "-lineinfo", "--brief-diagnostics=true",
    "-Xcompiler", "-g1,-no-pie", "-Xlinker", "-no-pie,--build-id=none",
)  # fmt: skip
# Tried in turn. The first leaves Bessel functions and the like out of <cmath>, which CUDA's headers include:
# they take a tenth of the time.
_WAYS = (("-std=c++17", "-D_GLIBCXX_BITS_SPECFUN_H"), ("-std=c++20",), ("-std=c++17",))
_MOST_BYTES = 64 << 20
_MOST_LINES = 1000  # addresses that are resolved to lines
# addr2line -i -a: the address, then file and line of each function that was inlined there, innermost first.
_ADDRESS = re.compile(r"0x([0-9a-f]+)")
_PLACE = re.compile(r"(.*):(\d+)(?: \(discriminator \d+\))?")
_PLACE_OF_WORK = "@WORK@"  # in a kept script, for the path of the scratch folder
_DIGITS = 16
_MAIN = re.compile(r"\bmain\s*+\(")


def build_program(submission: Submission, lab: Lab, compiler: Compiler, out: Path) -> Build:
    """Compile to `out`/program. GraderError if the box or the compiler does not work; a submission's own
    mistakes are in the record.
    """
    main = submission.files[0].name
    with scratch_folder(compiler.repository) as work:
        source_files.write(submission.files, work)
        # Files that nvcc keeps are called by their source, others by the number of a process.
        kept = ("--keep", "--keep-dir", "/box", "-o", f"/box/{PROGRAM}")
        # g++ orders the names in debug information by hash. Where the sandbox mounts nothing, the name of the
        # scratch folder would decide that order.
        nameless = ("-Xcompiler", f"-fdebug-prefix-map={work.resolve()}=.")
        words = (*_nvcc(lab, compiler), *kept, *nameless)
        outcome = in_some_way(lambda way: _compiled((*words, *way, f"./{main}"), compiler, work))
        messages = messages_of(outcome, submission, lab, compiler)
        made = work / PROGRAM
        if outcome.is_over_a_limit:
            what = "the compiler did not finish within its limits of time, memory, disk and output"
            return failed(what, messages)
        if outcome.status != 0 or made.is_symlink() or not made.is_file():
            need_cause(messages, compiler, FLAGS)
            error = next((message for message in messages if message.severity == "error"), None)
            place = f"{error.file}:{error.line}: " if error and error.line else ""
            why = f"{place}{error.text}" if error else _no_main(submission) or _linker(outcome.stderr)
            return failed(why, messages)
        if made.stat().st_size > _MOST_BYTES:
            return failed(f"the program becomes larger than {_MOST_BYTES >> 20} MiB", messages)
        store.write_bytes(out / PROGRAM, source_files.without_place(made.read_bytes(), work), 0o755)
    digest = text_hash(submission.hash, repr(_WAYS), *_nvcc(lab, compiler))
    return Build(BuildStatus.BUILT, "compiled", messages, fatbin=PROGRAM, fatbin_hash=digest)


def in_some_way(compiled: Callable[[Sequence[str]], process.Outcome]) -> process.Outcome:
    """What comes of the first way in which the program compiles; if there is none, of plain C++17."""
    for way in _WAYS:
        outcome = compiled(way)
        if outcome.status == 0 or outcome.is_over_a_limit:
            break
    return outcome


def _compiled(command: Sequence[str], compiler: Compiler, work: Path) -> process.Outcome:
    """Run nvcc's own commands, the device's pass and the host's at the same time; nvcc itself if its commands
    are not as expected.
    """

    script = _script(command, compiler, work)
    if not script:
        return _run(command, "nvcc", compiler, work)
    return _run(("/bin/sh", "-c", script), "nvcc, two passes", compiler, work)


def _run(words: Sequence[str], called: str, compiler: Compiler, work: Path) -> process.Outcome:
    return process.run(words, box_of(compiler, work), compiler.limits, compiler.sandbox, called)


def _script(command: Sequence[str], compiler: Compiler, work: Path) -> str:
    """A shell script of nvcc's own commands; "" if they are not as expected. It is kept where it names paths
    of the box and not those of the scratch folder `work`: a dry run takes as long as a small compile.
    """
    if compiler.sandbox != "bwrap":
        return _dry_run(command, compiler, work)
    place = str(work.resolve())
    words = (word.replace(place, _PLACE_OF_WORK) for word in command)
    key = text_hash(code_hash(__name__), compiler.toolkit.version, *words)
    folder, name = compiler.repository.root / "build" / "dry-runs", key[:_DIGITS]
    script = store.load(folder, name, key, str)
    if script is None:
        script = _dry_run(command, compiler, work).replace(place, _PLACE_OF_WORK)
        if script:
            store.save(folder, name, key, script)
    return script.replace(_PLACE_OF_WORK, place)


def _dry_run(command: Sequence[str], compiler: Compiler, work: Path) -> str:
    dry = _run((*command, "--dryrun"), "nvcc, dry run", compiler, work)
    script = dry_run.side_by_side(dry_run.read(dry.stderr), Path(command[-1]).stem)
    return "" if dry.status != 0 or script is None else script


def _nvcc(lab: Lab, compiler: Compiler) -> tuple[str, ...]:
    virtual = min(lab.compilation.architecture, int(compiler.architecture.removeprefix("sm_")))
    target = f"arch=compute_{virtual},code=[compute_{virtual},{compiler.architecture}]"
    return ("/toolkit/bin/nvcc", *FLAGS, "-gencode", target, "-I", "/course/common")


def _no_main(submission: Submission) -> str:
    """What is wrong with files that have no main; "" if a file names one."""
    if not submission.files[0].text.strip():
        return "the file is empty; the lab is a whole program, with a main"
    if not any(_MAIN.search(file.text) for file in submission.files):
        return "there is no main in this file; the lab is a whole program"
    return ""


def _linker(text: str) -> str:
    lines = [line for line in text.splitlines() if "undefined reference" in line or "error" in line]
    return diagnostics.plain(lines[0]) if lines else "the compiler failed without a message"


def lines_of(
    program: Path, addresses: Iterable[int], submission: Submission, compiler: Compiler
) -> Mapping[int, tuple[str, int]]:
    """File and line of the call before each return address: the innermost in the submission's own files."""
    wanted = sorted(set(addresses))[:_MOST_LINES]
    if not wanted:
        return {}
    with scratch_folder(compiler.repository) as work:
        box = Box(work, (Mount(program, "/course/program"),), proc=False)
        words = [f"{address - 1:#x}" for address in wanted]  # the call itself, not what follows it
        command = ("/usr/bin/addr2line", "-a", "-i", "-e", "/course/program", *words)
        limits = ResourceLimits(seconds=10, memory_bytes=LIMITS.memory_bytes, drain=True)
        outcome = process.run(command, box, limits, compiler.sandbox)
    own = {file.name for file in submission.files}
    found: dict[int, tuple[str, int]] = {}
    address = 0
    for line in outcome.stdout.splitlines():
        if at := _ADDRESS.fullmatch(line.strip()):
            address = int(at[1], 16) + 1
        elif place := _PLACE.fullmatch(line):
            name = PurePosixPath(place[1]).name
            if name in own and int(place[2]) and address not in found:
                found[address] = (name, int(place[2]))
    return found
