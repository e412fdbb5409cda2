"""What an edit that makes the cases right says to the student: the line and what to change, not how."""

from __future__ import annotations

from collections.abc import Sequence

from ...records import LocatedMistake, SourceFile
from .edits.edit import Edit, Form, Kind

_HERE = "this line"
_LONGEST = 60  # characters of the code that a sentence quotes
_WHAT = {
    Kind.COMPONENT: "another component in place of {}",
    Kind.COMPONENTS: "the components of {} exchanged wherever it stands",
    Kind.VARIABLE: "another variable in place of {}",
    Kind.EXCHANGED: "{} exchanged",
    Kind.COMPARISON: "another comparison in place of {}",
    Kind.OPERATOR: "another operator in {}",
    Kind.NUMBER: "another number in place of {}",
    Kind.NEIGHBOUR: "a little more or less than {}",
    Kind.SUBSCRIPTS: "the subscripts of {} in another order",
    Kind.ASSIGNMENT: "another kind of assignment in {}",
    Kind.ATOMIC: "an atomic in place of {}",
    Kind.BARRIER: "a barrier before this line",
    Kind.RESET: "{} set to 0 before this line",
    Kind.RETURN: "some threads that return before this line",
    Kind.REPEATED: "{} once more, before this line",
    Kind.MOVED: "{} in another place",
    Kind.REMOVED: "nothing in place of {}",
    Kind.JUMP: "another jump in place of {}",
    Kind.CONDITION: "another condition than {}",
    Kind.GUARD: "one more condition for {}",
    Kind.DROPPED: "nothing in place of {}",
    Kind.ADDED: "one more term or factor beside {}",
}


def located(edits: Sequence[Edit], file: SourceFile, kernels: Sequence[str] = ()) -> LocatedMistake:
    """Where one or two edits are in that file, in words for the student. `kernels`: see WantedCases."""
    edit, *others = edits
    lines = file.text.split("\n")
    source = lines[edit.line - 1] if edit.line <= len(lines) else ""
    first = edit.replacements[0]
    begins = file.text.rfind("\n", 0, first.span.start) + 1
    column = 0 if first.form is Form.BEHIND else first.span.start - begins + 1
    length = min(first.span.end - first.span.start, len(source) - column + 1) if column else 0
    other = located(others, file, kernels) if others else None
    return LocatedMistake(sentence(edits, kernels), file.name, edit.line, column, length, source, other)


def sentence(edits: Sequence[Edit], kernels: Sequence[str] = ()) -> str:
    first, *others = map(_change, edits)
    further = (_in_line(what, edit.line) for what, edit in zip(others, edits[1:], strict=True))
    changes = ", and with ".join((first, *further))
    of_kernels = f" of {' and '.join(kernels)}" if kernels else ""
    return f"look here: every visible case{of_kernels} is right with {changes}"


def _in_line(what: str, number: int) -> str:
    """The change, of another line than the one that is shown first."""
    here = what.replace(_HERE, f"line {number}")
    return here if here != what else f"{what} in line {number}"


def _change(edit: Edit) -> str:
    subject = " ".join(edit.subject.split())
    if len(subject) > _LONGEST:
        subject = subject[: _LONGEST - 1] + "…"
    what = _WHAT[edit.kind].format(f'"{subject}"')
    if len(edit.replacements) > 1 and edit.kind is Kind.BARRIER:
        what = "a barrier before this line, and another one behind it"
    if len(edit.replacements) > 1 and edit.kind is Kind.COMPARISON:
        what = f'other comparisons in "{subject}"'
    if len(edit.replacements) > 1 and edit.kind in (Kind.VARIABLE, Kind.ADDED):
        what += ", wherever it is used"
    return what
