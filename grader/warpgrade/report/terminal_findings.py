"""Messages of the compiler and findings in a kernel, each with its source lines, for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rich.markup import escape

from ..core import formatting
from ..feedback import ended_block, misspelling
from ..records import BuildStatus, Diagnostic, Finding, LocatedMistake, Place, Result, Standing
from .terminal import plain

_PLACE = re.compile(r"\b([\w-]{1,80}+\.cuh?):(\d{1,7})\b")
Called = Callable[[str], str]  # by a file's name in a message: the name that the student knows
_MOST_DIAGNOSTICS = 6
_MOST_STANDING = 4
_TABS = 4
_SCALARS = frozenset(("float", "double", "int", "unsigned int", "unsigned char", "__half"))
_TWO_BRACKETS = re.compile(r"\b([^\W\d]\w*+)\s*+\[([^\[\]]{1,40})\]\s*+\[([^\[\]]{1,40})\]")
# ceil(k / TILE), of integers: of floats, the compiler would not complain
_ROUNDED = re.compile(r"\b(ceil|ceilf|floor|round)\s*+\(([^()/]{1,80}+)/([^()/]{1,80}+)\)")


# --- source, as a compiler shows it ------------------------------------------------------------


@dataclass(frozen=True)
class _Spot:
    """A line of the student's file, the marked part of it, and a label."""

    place: str
    line: int
    source: str
    column: int  # counted from 1, 0 if unknown
    length: int
    words: str


def _spot_lines(spots: Sequence[_Spot], width: int) -> Iterator[str]:
    digits = max(3, *(len(str(spot.line)) for spot in spots))
    margin = " " * digits
    for at, spot in enumerate(spots):
        corner = "┌" if at == 0 else "├"
        yield f"{margin} [blue]{corner}─[/] [cyan]{escape(spot.place)}[/]"
        source, column = _clipped(spot, width - digits - 3)
        if source.strip():
            yield f"[blue]{spot.line:>{digits}} │[/] {escape(source)}"
            if column:
                yield f"{margin} [blue]│[/] {' ' * (column - 1)}[bold red]{'^' * max(1, spot.length)}[/]"
        if spot.words:
            yield f"{margin} [blue]│[/] {escape(spot.words)}"
    yield f"{margin} [blue]└─[/]"


def _clipped(spot: _Spot, width: int) -> tuple[str, int]:
    """The line with tabs replaced, shortened to the width of the screen, and the
    column of its marked part.
    """
    before = plain(spot.source[: max(0, spot.column - 1)].expandtabs(_TABS), keep_end=True)
    text = plain(spot.source.expandtabs(_TABS))
    column = len(before) + 1 if spot.column else 0
    if len(text) <= width:
        return text, column
    start = max(0, min(column - width // 2, len(text) - width))
    text = text[start : start + width]
    text = ("…" + text[1:]) if start else text
    text = (text[:-1] + "…") if start + width < len(plain(spot.source.expandtabs(_TABS))) else text
    return text, max(0, column - start) if column else 0


# --- the compiler's words ----------------------------------------------------------------------


def diagnostic_lines(result: Result, width: int, called: Called = formatting.base_name) -> Iterator[str]:
    messages = result.build.diagnostics if result.build else ()
    if any(message.severity == "error" for message in messages):
        # Warnings that come with an error are mostly its consequences.
        messages = tuple(message for message in messages if message.severity != "warning")
    if result.build and result.build.status == BuildStatus.BUILD_FAILED and not messages:
        yield from ("", escape(plain(result.build.summary)))
    files = result.submission.files if result.submission else ()
    yield from message_lines(messages, width, called, {file.name: file.text for file in files})


def message_lines(
    messages: Sequence[Diagnostic],
    width: int,
    called: Called = formatting.base_name,
    texts: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """`texts`: the submission's files."""
    for message in messages[:_MOST_DIAGNOSTICS]:
        yield from ("", *titled(message.severity, "", message.text, width))
        if message.line:
            column, length = _named_in(message)
            place = f"{called(message.file)}:{message.line}"
            spot = _Spot(place, message.line, message.source, column, length, "")
            yield from _spot_lines([spot], width)
        text = texts.get(message.file, "")
        words = _remedy(message) or ended_block.remedy(message, text) or misspelling.remedy(message, text)
        if message.line and words:
            yield from note("help", words, width)
    if len(messages) > _MOST_DIAGNOSTICS:
        yield f"[dim]… and {len(messages) - _MOST_DIAGNOSTICS} more messages; the first one counts most[/]"


def _remedy(message: Diagnostic) -> str:
    """What to do about an error, where its quoted words and the line show that; else ""."""
    if _expects_an_end(message):
        return "It is missed here; often it belongs to the end of the line before."
    twice = _TWO_BRACKETS.search(message.source)
    if message.severity == "error" and twice and message.quoted and set(message.quoted) <= _SCALARS:
        return (
            f"{twice[1]} points to single elements, so that {twice[1]}[{twice[2]}] is a number and has no "
            f"elements itself. In row-major order, row {twice[2]}, column {twice[3]} is at "
            f"{twice[2]} * width + {twice[3]}, with the width of a row of {twice[1]}."
        )
    quotient = _ROUNDED.search(message.source)
    if message.severity == "error" and quotient and quotient[1] in message.quoted:
        return (
            f"{quotient[2].strip()} / {quotient[3].strip()} is a quotient of whole numbers, which has lost "
            f"its fraction before {quotient[1]} sees it. To round up, add the divisor less 1 before you "
            "divide: (a + b - 1) / b."
        )
    return ""


def _expects_an_end(message: Diagnostic) -> bool:
    """Whether an error quotes a single token that ends something: a semicolon or a closing bracket."""
    return message.severity == "error" and message.quoted in ((";",), (")",), ("]",), ("}",))


def _named_in(message: Diagnostic) -> tuple[int, int]:
    """Column and length of the identifier that the compiler quotes; (0, 0) if the line
    does not contain it.
    """
    name = next((each for each in message.quoted if each.isidentifier()), None)
    found = re.search(rf"\b{re.escape(name)}\b", message.source) if name else None
    return (found.start() + 1, found.end() - found.start()) if found else (0, 0)


# --- findings ----------------------------------------------------------------------------------


def findings_by_line(
    findings: Sequence[Finding], width: int, called: Called = formatting.base_name
) -> Iterator[str]:
    """Each kind once for each line of the source, with an empty line before it."""
    groups: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.place.line), []).append(finding)
    helped: set[str] = set()
    for group in groups.values():
        yield from ("", *finding_lines(group, width, called, helped))


def finding_lines(
    group: Sequence[Finding],
    width: int,
    called: Called = formatting.base_name,
    helped: set[str] | None = None,
) -> Iterator[str]:
    """One finding and how often it was seen. `group`: the same finding in several cases. `helped`: what
    findings before it advise, which is not said again.
    """
    finding = group[0]
    yield from titled(finding.severity, finding.code, _as_typed(lowered(finding.message), called), width)
    sides = [finding.place, *([finding.other] if finding.other else [])]
    spots = [_spot(side, finding, called) for side in sides if side.line]
    if spots:
        yield from _spot_lines(spots, width)
    yield from _standing_lines(finding.standing, width)
    if finding.memory and finding.memory.made_at:
        made_at = _as_typed(finding.memory.made_at, called)
        yield from note("memory", f"{finding.memory.allocation} was made at {made_at}", width)
    yield from note("seen in", _where_seen(group), width)
    if finding.help and (helped is None or finding.help not in helped):
        yield from note("help", finding.help, width)
    if helped is not None:
        helped.add(finding.help)


def located_lines(found: LocatedMistake, width: int, called: Called = formatting.base_name) -> Iterator[str]:
    yield from ("", *titled("help", "", found.sentence, width))
    spots = [
        _Spot(f"{called(each.file)}:{each.line}", each.line, each.source, each.column, each.length, "")
        for each in (found, found.other)
        if each
    ]
    yield from _spot_lines(spots, width)


def _as_typed(text: str, called: Called) -> str:
    """The text with its places, `kernel.cu:12`, in the student's names of files."""
    return _PLACE.sub(lambda place: f"{called(place[1])}:{place[2]}", text)


def lowered(message: str) -> str:
    """A message with a small first letter and without a final point, like a compiler's."""
    text = message.removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _spot(side: Place, finding: Finding, called: Called) -> _Spot:
    name = finding.memory.array if finding.memory else ""
    found = re.search(rf"\b{re.escape(name)}\s*\[", side.source) if name else None
    if found and len(re.findall(rf"\b{re.escape(name)}\s*\[", side.source)) == 1:
        column, length = found.start() + 1, len(name)
    else:
        column, length = side.column, 1
    where = f"{called(side.file)}:{side.line}"
    if side.inlined_at:
        where += f" (inlined at {_as_typed(side.inlined_at, called)})"
    at_barrier = "waits" if side is finding.place else "goes past"
    verbs = {
        "read": "reads",
        "write": "writes",
        "atomic": "updates",
        "barrier": at_barrier,
        "exchange": "waits",
        "copy": "copies",
    }
    verb = verbs.get(side.access, side.access)
    if side.thread:
        who = f"{formatting.thread_of_block(side.thread, side.block)} {verb}".rstrip()
    else:
        who = side.access
    return _Spot(where, side.line, side.source, column, length, who)


def _standing_lines(standing: Sequence[Standing], width: int) -> Iterator[str]:
    """The positions of the warps, grouped by line."""
    places: dict[tuple[int, str, str], list[int]] = {}
    for item in standing:
        places.setdefault((item.line, item.state, item.source), []).append(item.warp)
    for (line, state, source), warps in list(places.items())[:_MOST_STANDING]:
        who = f"warp {warps[0]}" if len(warps) == 1 else f"{len(warps)} warps"
        start, code = f"{who}, line {line}, {plain(formatting.stood(state))}:", plain(source.strip())
        columns = max(20, width - len(start) - 3)
        code = code if len(code) <= columns else code[: columns - 1] + "…"
        yield f"  [dim]{escape(start)}[/] {escape(code)}"


def _where_seen(group: Sequence[Finding]) -> str:
    names = list(dict.fromkeys(finding.label for finding in group))
    more = f" and {formatting.amount(len(names) - 1, 'more case')}" if len(names) > 1 else ""
    times = sum(finding.times for finding in group)
    first = names[0] if not names[0].startswith("time/") else "the timed run"
    return f"{first}{more}" + (f", {times:,} times" if times > 1 else "")


# --- a title, a note --------------------------------------------------------------------------


def titled(severity: str, code: str, text: str, width: int) -> list[str]:
    title = f"{severity}[{code}]" if code else severity
    colour = "red" if severity == "error" else "yellow" if severity == "warning" else "blue"
    wrapped = textwrap.wrap(plain(text), max(30, width - 2), initial_indent=" " * (len(title) + 2),
                            break_on_hyphens=False) or [""]  # fmt: skip
    first = f"[bold {colour}]{escape(title)}[/][bold]: {escape(wrapped[0].lstrip())}[/]"
    return [first, *(f"  [bold]{escape(line)}[/]" for line in wrapped[1:])]


def note(word: str, text: str, width: int) -> Iterator[str]:
    indent = len(word) + 6
    for at, line in enumerate(wrapped(plain(text), width, indent)):
        yield f"  [blue]=[/] [bold]{word}[/]: {escape(line)}" if at == 0 else " " * indent + escape(line)


def wrapped(text: str, width: int, indent: int) -> list[str]:
    return textwrap.wrap(text, max(24, width - indent), break_on_hyphens=False)
