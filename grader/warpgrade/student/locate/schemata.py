"""One kernel that holds many edits; a variable of the program chooses the one that is in force.

Mutant schemata (Untch, Offutt and Harrold, ISSTA 1993): many edits take one compilation. Only one edit
is in force at a time, so the text of an edit holds no other edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .edits.edit import Edit, Form, Replacement
from .reading.source import Span

CHOICE = "warpgrade_edit"  # grader/harness/program/session.cpp sets it
_HEAD = f'extern "C" __constant__ int {CHOICE} = 0;'
_Choice = tuple[int, Replacement]  # the number of an edit, and one of its replacements


@dataclass
class Schemata:
    """`edits_at`: the numbers of the edits whose text is in a line."""

    text: str
    edits_at: Mapping[int, frozenset[int]]

    def edits_near(self, line: int) -> frozenset[int]:
        """The edits in a line; if there are none, those of the expression that begins there, as a wrong
        type is an error where that begins; or else those of the next line above that has some.
        """
        if not self.edits_at.get(line) and (going_on := self._going_on(line)):
            return going_on
        while line > 0 and not self.edits_at.get(line):
            line -= 1
        return self.edits_at.get(line, frozenset())

    def _going_on(self, line: int) -> frozenset[int]:
        """The edits of the lines behind this one, up to the next line of the file itself."""
        found: set[int] = set()
        lines = self.text.split("\n")
        for number in range(line + 1, len(lines) + 1):
            edits = self.edits_at.get(number)
            if not edits and lines[number - 1].strip():
                break
            found |= edits or set()
        return frozenset(found)


def schemata(text: str, edits: Mapping[int, Edit]) -> Schemata:
    """The file with all these edits, by number from 1. Of two that overlap, the later is left out."""
    by_span: dict[tuple[Form, Span], list[_Choice]] = {}
    for number, edit in edits.items():
        for each in edit.replacements:
            by_span.setdefault((each.form, each.span), []).append((number, each))
    writer = _Writer(text)
    writer.plain(_HEAD, ())
    writer.line_break()
    writer.write(_nested(by_span), 0, len(text))
    edits_at = {line: frozenset(found) for line, found in writer.edits_at.items()}
    return Schemata("".join(writer.parts), edits_at)


@dataclass
class _Node:
    form: Form
    span: Span
    choices: Sequence[_Choice]
    inner: list[_Node] = field(default_factory=list)

    @property
    def begins(self) -> int:
        return _begin(self.form, self.span)


def _nested(by_span: Mapping[tuple[Form, Span], Sequence[_Choice]]) -> list[_Node]:
    """The spans as a tree, each in the smallest one around it."""
    top: list[_Node] = []
    around: list[_Node] = []
    for form, span in sorted(by_span, key=_outer_first):
        node = _Node(form, span, by_span[form, span])
        while around and around[-1].span.end <= node.begins:
            around.pop()
        if around and around[-1].span.end < span.end:
            continue  # it overlaps
        (around[-1].inner if around else top).append(node)
        if form is not Form.BEHIND:
            around.append(node)
    return top


def _outer_first(key: tuple[Form, Span]) -> tuple[int, int, int]:
    form, span = key
    order = (Form.STATEMENT, Form.EXPRESSION, Form.BEHIND).index(form)
    return _begin(form, span), -span.end, order


def _begin(form: Form, span: Span) -> int:
    """Where a replacement stands in the text."""
    return span.end if form is Form.BEHIND else span.start


@dataclass(frozen=True)
class _Words:
    """How choices are written, of a condition {0} and a replacement {1}."""

    one: str
    within: str  # the begin of several, for one of them
    last: str  # the end of several


_STATEMENTS = _Words("if ({0}) {{ {1} }} else", "if ({0}) {{", "{{ {1} }} }} else")
_EXPRESSIONS = _Words("{0} ? ({1}) :", "{0} ? (", "({1})) :")


@dataclass
class _Writer:
    source: str
    parts: list[str] = field(default_factory=list)
    edits_at: dict[int, set[int]] = field(default_factory=dict)
    line: int = 1

    def plain(self, text: str, edits: Iterable[int]) -> None:
        first = self.line
        self.parts.append(text)
        self.line += text.count("\n")
        for line in range(first, self.line + 1):
            self.edits_at.setdefault(line, set()).update(edits)

    def line_break(self) -> None:
        self.plain("\n", ())

    def write(self, nodes: Sequence[_Node], start: int, end: int) -> None:
        """The source from `start` to `end`, with the nodes in it."""
        at = start
        for node in nodes:
            self.plain(self.source[at : node.begins], ())
            self._node(node)
            at = node.span.end
        self.plain(self.source[at:end], ())

    def _node(self, node: _Node) -> None:
        span = node.span
        if node.form is Form.BEHIND:
            for number, each in node.choices:
                self._own_line(f"if ({CHOICE} == {number}) {{ {each.text} }}", number)
        elif node.form is Form.STATEMENT:
            self.plain("{", ())
            for run in _runs(node.choices):
                self._run(run, _STATEMENTS)
            self.plain("{ ", ())
            self.write(node.inner, span.start, span.end)
            self.plain(" } }", ())
        else:
            self.plain("(", ())
            for run in _runs(node.choices):
                self._run(run, _EXPRESSIONS)
            self.plain("(", ())
            self.write(node.inner, span.start, span.end)
            self.plain("))", ())

    def _run(self, run: Sequence[_Choice], words: _Words) -> None:
        """One comparison leads past all choices that are not in force."""
        *others, (last, replacement) = run
        if others:
            self.plain(words.within.format(f"{CHOICE} >= {run[0][0]} && {CHOICE} <= {last}"), ())
        for number, each in others:
            self._own_line(words.one.format(f"{CHOICE} == {number}", each.text), number)
        text = (words.last if others else words.one).format(f"{CHOICE} == {last}", replacement.text)
        self._own_line(text, last)

    def _own_line(self, text: str, number: int) -> None:
        self.line_break()
        self.plain(text, (number,))
        self.line_break()


def _runs(choices: Sequence[_Choice]) -> Iterator[Sequence[_Choice]]:
    """The choices in groups of adjacent numbers."""
    run: list[_Choice] = []
    for choice in sorted(choices, key=lambda choice: choice[0]):
        if run and choice[0] != run[-1][0] + 1:
            yield run
            run = []
        run.append(choice)
    yield run


def applied(text: str, edit: Edit) -> str:
    """The file with this edit alone."""
    for each in sorted(edit.replacements, key=lambda each: -each.span.end):
        text = f"{text[: _begin(each.form, each.span)]}{_own(each)}{text[each.span.end :]}"
    return text


def placed(edit: Edit) -> list[tuple[Span, int]]:
    """What the edit alone replaces in the text, in its order, and by how many characters."""
    steps = (
        (Span(_begin(each.form, each.span), each.span.end), len(_own(each))) for each in edit.replacements
    )
    return sorted(steps, key=lambda step: step[0].end)


def _own(each: Replacement) -> str:
    return f"({each.text})" if each.form is Form.EXPRESSION else f" {each.text}"
