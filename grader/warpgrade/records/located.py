"""Where the mistake of a kernel is, as far as a search of small edits tells."""

from __future__ import annotations

from dataclasses import dataclass, field

_IF_SET = {"saved": "if set"}


@dataclass(frozen=True)
class LocatedMistake:
    """A line whose change makes every visible case right, perhaps together with that of another one."""

    sentence: str  # what to change there, without the answer
    file: str  # of the submission
    line: int  # from 1
    column: int  # of the part to change, from 1; 0 for what is missing before the line
    length: int  # of that part, within the line
    source: str  # the line as written
    other: LocatedMistake | None = field(default=None, metadata=_IF_SET)  # where two are wrong, the second
