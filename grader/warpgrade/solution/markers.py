"""Cut a compiled source file by its markers.

A marker stands alone on its line:

    //> solution            what a student must not see …
    //< solution            … ends,
    /*> stub                … and what a student sees in its place, inside a comment until then
    <*/                     … ends
    //> load-phase          any other tag: an excerpt that a handout may show …
    //< load-phase          … ends

Markers nest like brackets. Solutions and stubs never contain one another, and excerpts never contain
excerpts. An excerpt may contain solutions and stubs (a student sees the stub) or lie inside a solution (only
staff may see it). Anything else is an `InstructorError` with the line and a remedy.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from ..core.errors import InstructorError

SOLUTION = "solution"
STUB = "stub"

_TAG = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_OPENS_TAG = re.compile(rf"\s*//>[ \t]*({_TAG})\s*$")
_CLOSES_TAG = re.compile(rf"\s*//<[ \t]*({_TAG})\s*$")
_OPENS_STUB = re.compile(rf"\s*/\*>[ \t]*{STUB}\s*$")
_CLOSES_STUB = re.compile(r"\s*<\*/\s*$")
# A stub's marker opens and closes a comment, or the stub would be compiled into the solution.
_STUB_AS_TAG = re.compile(rf"\s*//[<>][ \t]*{STUB}\s*$")
# A line that looks like a marker but matches none of the four above is an error.
_RESEMBLES_MARKER = re.compile(r"//[<>]|/\*>|<\*/")


class View(Enum):
    """Who reads: a student sees stubs, staff see solutions."""

    STUDENT = "student"
    STAFF = "staff"


@dataclass(frozen=True)
class MarkedLine:
    """One line that is not a marker, with the regions it lies in."""

    number: int  # from 1, in the marked file
    text: str
    excerpt: str | None
    in_solution: bool
    in_stub: bool

    def visible(self, view: View) -> bool:
        return not (self.in_solution if view is View.STUDENT else self.in_stub)


@dataclass(frozen=True)
class _Mark:
    tag: str
    opens: bool


@dataclass(frozen=True)
class _Open:
    tag: str
    line: int

    @property
    def is_excerpt(self) -> bool:
        return self.tag not in (SOLUTION, STUB)


def parse(text: str, file: str) -> tuple[MarkedLine, ...]:
    """All lines of a marked file without its markers. `file` is its name in messages."""
    lines: list[MarkedLine] = []
    stack: list[_Open] = []
    seen: dict[str, int] = {}
    for number, content in enumerate(text.splitlines(), start=1):
        mark = _mark(content, file, number, in_stub=_is_open(stack, STUB))
        if mark is None:
            lines.append(_line(number, content, stack))
        elif mark.opens:
            _open(stack, seen, mark.tag, file, number)
        else:
            _close(stack, mark.tag, file, number)
    if stack:
        left = stack[-1]
        raise InstructorError(
            f"the marker '{_opening(left.tag)}' is never closed",
            file=file,
            line=left.line,
            remedy=f"add a line '{_closing(left.tag)}' where it ends",
        )
    return tuple(lines)


def cut(text: str, file: str, view: View) -> str:
    """The whole file as `view` sees it, without markers."""
    return _join(line for line in parse(text, file) if line.visible(view))


def masked(text: str, file: str) -> str:
    """The whole file as staff see it, line by line, with … for each line that a student must not see."""
    lines = _without_doubled_blanks(line for line in parse(text, file) if line.visible(View.STAFF))
    return "".join(f"{_cover(line) if line.in_solution else line.text}\n" for line in lines)


def _cover(line: MarkedLine) -> str:
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    return f"{indent}…" if line.text else ""


def excerpt(text: str, file: str, tag: str, view: View = View.STUDENT) -> str:
    """The lines of one tag as `view` sees them, moved left by their common indent."""
    lines = parse(text, file)
    tagged = [line for line in lines if line.excerpt == tag]
    if not tagged:
        known = sorted({line.excerpt for line in lines if line.excerpt})
        raise InstructorError(
            f"there is no excerpt '{tag}'",
            file=file,
            remedy=f"mark it with '//> {tag}' and '//< {tag}', or name one that exists: "
            f"{', '.join(known) or 'none yet'}",
        )
    visible = [line for line in tagged if line.visible(view)]
    if not visible:
        raise InstructorError(
            f"the excerpt '{tag}' is all solution: a student may not see any of it",
            file=file,
            line=tagged[0].number,
            remedy="widen the excerpt beyond the solution, or show it in a staff edition only",
        )
    return _dedent(_join(visible))


def solution_lines(text: str, file: str) -> tuple[str, ...]:
    """Lines that must not reach a student, stripped; used to search what students get."""
    return tuple(line.text.strip() for line in parse(text, file) if line.in_solution and line.text.strip())


def _mark(content: str, file: str, number: int, *, in_stub: bool) -> _Mark | None:
    if _STUB_AS_TAG.match(content):
        raise InstructorError(
            "a stub is marked with a comment that holds it",
            file=file,
            line=number,
            remedy=f"write '/*> {STUB}' before it and '<*/' after it",
        )
    if match := _OPENS_TAG.match(content):
        return _Mark(match[1], opens=True)
    if match := _CLOSES_TAG.match(content):
        return _Mark(match[1], opens=False)
    if _OPENS_STUB.match(content):
        return _Mark(STUB, opens=True)
    if _CLOSES_STUB.match(content):
        return _Mark(STUB, opens=False)
    if _RESEMBLES_MARKER.match(content.lstrip()):
        raise InstructorError(
            f"'{content.strip()}' looks like a marker but is none",
            file=file,
            line=number,
            remedy="markers are '//> tag', '//< tag', '/*> stub' and '<*/', each alone on its line; "
            "a tag is lower-case letters, digits and '-'",
        )
    if in_stub and "*/" in content:
        raise InstructorError(
            "a comment ends inside a stub, so the rest of the stub would be compiled",
            file=file,
            line=number,
            remedy="write '//' comments inside a stub",
        )
    return None


def _open(stack: list[_Open], seen: dict[str, int], tag: str, file: str, number: int) -> None:
    new = _Open(tag, number)
    for outer in stack:
        if outer.is_excerpt == new.is_excerpt or outer.tag == STUB:
            raise InstructorError(
                f"'{_opening(tag)}' stands inside '{_opening(outer.tag)}' of line {outer.line}",
                file=file,
                line=number,
                remedy=f"close the outer one first with '{_closing(outer.tag)}'",
            )
    if new.is_excerpt and tag in seen:
        raise InstructorError(
            f"the excerpt '{tag}' begins a second time; its first is on line {seen[tag]}",
            file=file,
            line=number,
            remedy="give each excerpt of a file its own tag",
        )
    seen.setdefault(tag, number)
    stack.append(new)


def _close(stack: list[_Open], tag: str, file: str, number: int) -> None:
    if not stack:
        raise InstructorError(
            f"'{_closing(tag)}' closes nothing: no marker is open here",
            file=file,
            line=number,
            remedy=f"remove it, or write '{_opening(tag)}' where the region begins",
        )
    if stack[-1].tag != tag:
        raise InstructorError(
            f"'{_closing(tag)}' stands where '{_opening(stack[-1].tag)}' of line {stack[-1].line} is open",
            file=file,
            line=number,
            remedy=f"close that one first with '{_closing(stack[-1].tag)}'",
        )
    stack.pop()


def _line(number: int, content: str, stack: list[_Open]) -> MarkedLine:
    excerpts = [entry.tag for entry in stack if entry.is_excerpt]
    return MarkedLine(
        number=number,
        text=content.rstrip(),
        excerpt=excerpts[-1] if excerpts else None,
        in_solution=_is_open(stack, SOLUTION),
        in_stub=_is_open(stack, STUB),
    )


def _is_open(stack: list[_Open], tag: str) -> bool:
    return any(entry.tag == tag for entry in stack)


def _opening(tag: str) -> str:
    return f"/*> {STUB}" if tag == STUB else f"//> {tag}"


def _closing(tag: str) -> str:
    return "<*/" if tag == STUB else f"//< {tag}"


def _join(lines: Iterable[MarkedLine]) -> str:
    """Lines to text; blank lines that meet where something was cut become one."""
    return "".join(f"{line.text}\n" for line in _without_doubled_blanks(lines))


def _without_doubled_blanks(lines: Iterable[MarkedLine]) -> Iterator[MarkedLine]:
    previous: MarkedLine | None = None
    for line in lines:
        cut_here = previous is not None and line.number != previous.number + 1
        if cut_here and previous is not None and not previous.text and not line.text:
            continue
        previous = line
        yield line


def _dedent(text: str) -> str:
    lines = text.splitlines()
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "".join(f"{line[indent:]}\n" for line in lines)
