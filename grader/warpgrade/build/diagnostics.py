"""Messages of nvcc and ptxas as diagnostics on lines of the submission."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from ..records import Diagnostic
from .ptx import SourceLocations

MOST = 20  # one mistake can have hundreds of messages
_LONGEST = 500
LONGEST_LINE = 500  # of a source line that is quoted: a line of a megabyte would be quoted twenty times
_SEVERITY = r"(?P<severity>(?:catastrophic |fatal )?error|fatal|warning|note|remark)"
# nvcc's front end: kernel.cu(3): error: …    the preprocessor: kernel.cu:3:10: fatal error: …
_FRONT_END = re.compile(
    rf"^(?P<file>[^\n(]+)\((?P<line>\d{{1,9}})\): {_SEVERITY}"
    r"(?: #(?P<number>\d{1,9})[\d-]*D?)?: (?P<text>.*)$"
)
_PREPROCESSOR = re.compile(rf"^(?P<file>[^\n:]+):(?P<line>\d{{1,9}}):(?:\d+:)? {_SEVERITY}: (?P<text>.*)$")
# ptxas, on a line of the PTX:        ptxas kernel.ptx, line 45; error   : …    and on none: ptxas error   : …
_ASSEMBLER = re.compile(rf"^ptxas (?:\S+, line (?P<line>\d{{1,9}}); )?{_SEVERITY}\s*: (?P<text>.*)$")
_NOT_A_LOCATION = re.compile(r"^(?:(?:nvcc|cicc|gcc|cc1plus)\b.*?)?(?:error|fatal)\s*:\s*(?P<text>.*)$")
# A missing "}" shows only where the file ends; the note after it names the line of the "{".
_AT_END = re.compile(rf"^At end of source: {_SEVERITY}(?: #[\d-]+D?)?: (?P<text>.*)$")
_UNUSED = "177"  # nvcc's number of "variable … was declared but never referenced"
_INDENT = " " * 10  # of the lines that continue a message
_QUOTED = re.compile(r'"(.*?)"')
_OUT_OF_MEMORY = re.compile(r"^(?:\w+: |LLVM ERROR: )?out of memory", re.MULTILINE)


def of_compiler(
    output: str, sources: Mapping[str, str], headers: frozenset[str], given: frozenset[str] = frozenset()
) -> tuple[Diagnostic, ...]:
    """Messages of nvcc's front end. `sources`: the submission's files; `headers`: what it may include;
    `given`: lines of the skeleton. A warning that one of their variables is unused only says that the
    student's work is not done.
    """
    found: list[Diagnostic] = []
    for line in output.splitlines():
        match = _FRONT_END.match(line) or _PREPROCESSOR.match(line)
        bare = _NOT_A_LOCATION.match(line)
        at_end = _AT_END.match(line)
        if at_end:
            text = plain(f"at the end of the file: {at_end['text']}")
            found.append(Diagnostic(_severity(at_end["severity"]), text))
        elif match and match["severity"] == "note" and found and found[-1].line is None:
            found[-1] = _opened(found[-1], _placed(match, sources, headers))
        elif match:
            placed = _placed(match, sources, headers)
            if match.groupdict().get("number") != _UNUSED or placed.source not in given:
                found.append(placed)
        elif bare and not found:
            found.append(Diagnostic("error", plain(bare["text"])))
        elif found and line.startswith(_INDENT) and line.strip() and len(found[-1].text) < _LONGEST:
            found[-1] = _continued(found[-1], line)
        if len(found) == MOST:
            break
    if not found and _OUT_OF_MEMORY.search(output):
        return (
            Diagnostic("error", "the compiler ran out of memory: something in this file becomes enormous"),
        )
    found = [replace(each, quoted=tuple(_QUOTED.findall(each.text))) for each in found]
    # Code for host and device is compiled twice, with the same warnings.
    once = [each for at, each in enumerate(found) if each.severity == "error" or each not in found[:at]]
    return tuple(sorted(once, key=lambda message: message.severity != "error"))  # stable: errors first


def of_assembler(
    output: str, locations: SourceLocations, sources: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Messages of ptxas, mapped back through the .loc lines of the PTX."""
    found: list[Diagnostic] = []
    errors = 0
    for match in itertools.islice(filter(None, map(_ASSEMBLER.match, output.splitlines())), MOST):
        if errors and match["severity"] == "fatal" and not match["line"]:
            break  # the last message: ptxas stops because of the earlier ones
        errors += _severity(match["severity"]) == "error"
        file, line = locations.at(int(match["line"])) if match["line"] else ("", None)
        file = file if file in sources else ""
        source = source_line(sources, file, line)
        found.append(Diagnostic(_severity(match["severity"]), plain(match["text"]), file, line, source))
    return tuple(found)


def source_line(sources: Mapping[str, str], file: str, line: int | None) -> str:
    """The text of a line, truncated if it is very long; empty if the line does not exist."""
    lines = lines_of(sources.get(file, ""))
    return lines[line - 1][:LONGEST_LINE] if line is not None and 1 <= line <= len(lines) else ""


@functools.lru_cache(maxsize=4)  # each message and each finding of a submission asks for it
def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a source file."""
    return tuple(text.split("\n"))


def plain(text: str) -> str:
    """Text of a submission or a tool, without control characters (a terminal would obey them) and of bounded
    length.
    """
    return "".join(c if c.isprintable() else " " for c in text)[:_LONGEST].strip()


def _placed(match: re.Match[str], sources: Mapping[str, str], headers: frozenset[str]) -> Diagnostic:
    """A #line directive can claim any file, so only known names are repeated."""
    name = PurePosixPath(match["file"].strip()).name
    known = name in sources or name in headers
    line = int(match["line"]) if known else None
    source = source_line(sources, name, line)
    return Diagnostic(_severity(match["severity"]), plain(match["text"]), name if known else "", line, source)


def _opened(message: Diagnostic, note: Diagnostic) -> Diagnostic:
    """The error at the line of the bracket that its note names: the error itself names no line."""
    text = plain(f"{message.text} {note.text}")
    return Diagnostic(message.severity, text, note.file, note.line, note.source)


def _continued(message: Diagnostic, line: str) -> Diagnostic:
    text = plain(f"{message.text} {line.strip()}")
    return Diagnostic(message.severity, text, message.file, message.line, message.source)


def _severity(word: str) -> str:
    return "error" if word.endswith(("error", "fatal")) else "note" if word == "remark" else word
