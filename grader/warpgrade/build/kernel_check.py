"""Checks the PTX of a submission: it must have the lab's kernels with their parameters, and nothing that the
lab forbids."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..course.evidence import patterns
from ..records import Build, Diagnostic, Lab, SourceFile, Submission
from . import diagnostics
from .failure import failed, first_error
from .ptx import PtxSummary, SourceLocations, counted, unmangled

_Mistake = tuple[str, int | None]  # the message, and the line
_MOST_GLOBAL_BYTES = 64 << 20
_REQUESTED_LEVEL = re.compile(r"^//[ \t]*ptxas:[ \t]*(\S+)[ \t]*$", re.MULTILINE)


def checked(
    built: Build, submission: Submission, lab: Lab, locations: Callable[[], SourceLocations],
    summary: PtxSummary, like: Build | None,
) -> Build:  # fmt: skip
    """The build, failed where a kernel is not the lab's. `like`: a build whose parameters it must have."""
    main = submission.files[0]
    kernels = _mistakes_of_kernels(main.text, lab, summary, like)
    refused = next(itertools.chain(kernels, _mistakes_of_content(main, lab, locations, summary)), None)
    if refused is None:
        found = summary.kernels
        instructions = {each: counted(summary.opcodes, each) for each in patterns(lab.techniques)}
        others = {name: found[name] for name in lab.kernels[1:]}
        return replace(built, parameters=found[lab.kernel], others=others, instructions=instructions)
    message, line = refused
    source = diagnostics.source_line({main.name: main.text}, main.name, line)
    error = Diagnostic("error", message, main.name, line, source)
    return failed(first_error((error,), 0), (error, *built.diagnostics))


def _mistakes_of_kernels(text: str, lab: Lab, summary: PtxSummary, like: Build | None) -> Iterator[_Mistake]:
    """Kernels that are missing, or whose parameters are not the lab's."""
    found = summary.kernels
    wanted = {lab.kernel: like.parameters, **like.others} if like else {}
    missing = next((name for name in lab.kernels if name not in found), None)
    if missing is not None:
        names = [unmangled(name) for name in found if name not in lab.kernels]
        yield _no_kernel(missing, sorted(found), text), _line_of(text, names[0]) if names else None
    for name in lab.kernels:
        if name in found and wanted.get(name, found[name]) != found[name]:
            message = (
                f"{name} takes other parameters than the lab's kernel: {_in_words(found[name])} instead of "
                f"{_in_words(wanted[name])}; leave its signature as it was"
            )
            yield message, _line_of(text, name)


def _mistakes_of_content(
    main: SourceFile, lab: Lab, locations: Callable[[], SourceLocations], summary: PtxSummary
) -> Iterator[_Mistake]:
    """Instructions and memory that the lab does not allow."""
    if summary.global_bytes > _MOST_GLOBAL_BYTES:
        message = (
            f"the file's variables take {summary.global_bytes:,} bytes of device memory; "
            f"they may take {_MOST_GLOBAL_BYTES:,}"
        )
        yield message, None
    if not lab.compilation.tensor_cores and (used := summary.tensor):
        message = f"{used.form} runs on tensor cores, which this lab is not about: leave them out"
        yield message, locations().at(used.line, main.name)[1]  # not that of a header's wrapper
    if used := summary.texture:
        message = (
            f"{used.form} wants a texture or a surface, which only a host program can make: leave it out"
        )
        yield message, locations().at(used.line, main.name)[1]
    if (options := level(lab, main.text)) not in lab.compilation.ptxas:
        message = f"ptxas level {options} is not one of this lab's: {', '.join(lab.compilation.ptxas)}"
        yield message, _line_matching(main.text, _REQUESTED_LEVEL)


def _no_kernel(kernel: str, found: list[str], text: str) -> str:
    if not text.strip():
        return f"the file is empty; the lab's kernel is {kernel}"
    if not found:
        return f"there is no kernel in this file; the lab's kernel is {kernel}"
    if kernel in map(unmangled, found):
        return f'{kernel} needs the name that C gives it: write extern "C" __global__ void {kernel}(…)'
    return f"there is no kernel named {kernel}; this file has {', '.join(map(unmangled, found[:5]))}"


def level(lab: Lab, text: str) -> str:
    """The optimisation level that the file asks for, else the lab's first."""
    return requested_level(text) or lab.compilation.ptxas[0]


def requested_level(text: str) -> str | None:
    """ptxas' optimisation level of the file's line `// ptxas: -O1`; None without such a line."""
    options = _REQUESTED_LEVEL.search(text)
    return diagnostics.plain(options[1])[:20] if options else None


def _line_of(text: str, word: str) -> int | None:
    return _line_matching(text, re.compile(rf"\b{re.escape(word)}\s*\("))


def _line_matching(text: str, pattern: re.Pattern[str]) -> int | None:
    match = pattern.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else None


def _in_words(parameters: tuple[str, ...]) -> str:
    words = {"u64": "64 bits", "u32": "32 bits", "f32": "float", "f64": "double"}
    return "(" + ", ".join(words.get(kind, kind) for kind in parameters) + ")"
