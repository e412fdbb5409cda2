"""What the PTX of a submission must hold: the lab's kernels, their parameters, nothing that it forbids."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ..course.evidence import patterns
from ..records import Build, Diagnostic, Lab, Submission
from . import diagnostics
from .failure import failed, first_error
from .ptx import PtxSummary, SourceLocations, counted, unmangled

_MOST_GLOBAL_BYTES = 64 << 20
_REQUESTED_LEVEL = re.compile(r"^//[ \t]*ptxas:[ \t]*(\S+)[ \t]*$", re.MULTILINE)


def checked(
    built: Build, submission: Submission, lab: Lab, locations: Callable[[], SourceLocations],
    summary: PtxSummary, like: Build | None,
) -> Build:  # fmt: skip
    """The build, failed where a kernel is not the lab's. `like`: a build whose parameters it must have."""
    found = summary.kernels
    main = submission.files[0]
    wanted = {lab.kernel: like.parameters, **like.others} if like else {}
    missing = next((name for name in lab.kernels if name not in found), None)
    other = next((name for name in lab.kernels if wanted.get(name, found.get(name)) != found.get(name)), None)
    if missing is not None:
        message = _no_kernel(missing, sorted(found), main.text)
        names = [unmangled(name) for name in found if name not in lab.kernels]
        line = _line_of(main.text, names[0]) if names else None
    elif other is not None:
        message = (
            f"{other} takes other parameters than the lab's kernel: "
            f"{_in_words(found[other])} instead of {_in_words(wanted[other])}; leave its signature as it was"
        )
        line = _line_of(main.text, other)
    elif summary.global_bytes > _MOST_GLOBAL_BYTES:
        message = (
            f"the file's variables take {summary.global_bytes:,} bytes of device memory; "
            f"they may take {_MOST_GLOBAL_BYTES:,}"
        )
        line = None
    elif not lab.compilation.tensor_cores and (used := summary.tensor):
        message = f"{used.form} runs on tensor cores, which this lab is not about: leave them out"
        _, line = locations().at(used.line, main.name)  # not that of a header's wrapper
    elif used := summary.texture:
        message = (
            f"{used.form} wants a texture or a surface, which only a host program can make: leave it out"
        )
        _, line = locations().at(used.line, main.name)
    elif (options := level(lab, main.text)) not in lab.compilation.ptxas:
        message = f"ptxas level {options} is not one of this lab's: {', '.join(lab.compilation.ptxas)}"
        line = _line_matching(main.text, _REQUESTED_LEVEL)
    else:
        instructions = {each: counted(summary.opcodes, each) for each in patterns(lab.techniques)}
        others = {name: found[name] for name in lab.kernels[1:]}
        return replace(built, parameters=found[lab.kernel], others=others, instructions=instructions)
    source = diagnostics.source_line({main.name: main.text}, main.name, line)
    error = Diagnostic("error", message, main.name, line, source)
    return failed(first_error((error,), 0), (error, *built.diagnostics))


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
