"""What to play: finding, case and block. Only what a student may see of a case (feedback/disclosure)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.errors import UsageError
from ..course import work
from ..feedback import playable
from ..records import Case, Finding, Lab, Result, Visibility


@dataclass(frozen=True)
class Choice:
    """`findings`: those of the case and the block, the chosen one first. `thread`: the one that the page
    begins with. `launch`: counted from 1 among the kernel's launches that have the block.
    """

    case: Case
    block: tuple[int, ...] = (0, 0, 0)
    kernel: str = ""  # empty: the first that runs
    findings: tuple[Finding, ...] = ()
    thread: tuple[int, ...] = (0, 0, 0)
    launch: int = 1

    @property
    def other_block(self) -> Choice | None:
        """The other side of the first finding, where it is in another block."""
        first = self.findings[0] if self.findings else None
        if first is None or first.other is None or not first.other.block:
            return None
        if _same_block(first.other.block, self.block):
            return None
        turned = replace(first, place=first.other, other=first.place)
        return replace(
            self, block=tuple(turned.place.block), findings=(turned,), thread=tuple(turned.place.thread)
        )


def visible_cases(lab: Lab) -> tuple[Case, ...]:
    """The visible cases, the one with the least work first."""
    visible = [case for case in lab.cases if case.visibility is Visibility.VISIBLE]
    return tuple(sorted(visible, key=lambda case: work.of(lab, case.size).counted))


def choose(lab: Lab, result: Result, case: str = "", block: tuple[int, ...] = (), number: int = 0) -> Choice:
    """What to play: by default the smallest case with the first finding, else the smallest visible case.

    `number`: the finding's, counted from 1; 0: the first. UsageError if no such case or finding exists.
    """
    named = _named(lab, case)
    found = playable.findings(lab, result)
    if number > len(found):
        have = f"there are {len(found)}" if len(found) != 1 else "there is 1"
        raise UsageError(f"no finding {number}: {have}", remedy="leave out --finding")
    if named and not number:
        found = tuple(each for each in found if each.label == named.name)
    if found and not block:
        return _of_finding(lab, found, found[max(number - 1, 0)], named)
    chosen = named or _wrong_case(lab, result) or visible_cases(lab)[0]
    here = tuple(each for each in found if each.label == chosen.name and _same_block(each.place.block, block))
    if block or not found:
        wrong = _wrong_block(result, chosen.name) if not block else None
        return Choice(
            chosen,
            block or (wrong or ((0, 0, 0), ()))[0],
            "",
            here,
            (wrong or ((), (0, 0, 0)))[1] or (0, 0, 0),
        )
    return Choice(chosen, findings=here)


def _named(lab: Lab, name: str) -> Case | None:
    """The visible case of that name. Any other name is answered alike, so that no hidden one is confirmed."""
    known = {case.name: case for case in visible_cases(lab)}
    if not known:
        raise UsageError(f"{lab.name} has no visible case, and only these can be played")
    if name and name not in known:
        names = ", ".join(case.name for case in lab.cases if case.name in known)
        raise UsageError(f"there is no visible case {name!r}", remedy=f"--case with one of {names}")
    return known.get(name)


def _of_finding(lab: Lab, found: tuple[Finding, ...], wanted: Finding, named: Case | None) -> Choice:
    alike = {each.label: each for each in reversed(found) if _is_same(each, wanted)}
    case = named or next(case for case in visible_cases(lab) if case.name in alike)
    first = alike.get(case.name, wanted)
    block = tuple(first.place.block)
    rest = [each for each in found if each is not first and each.label == case.name]
    here = (first, *(each for each in rest if _same_block(each.place.block, block)))
    return Choice(case, block, first.kernel, here, tuple(first.place.thread))


def _is_same(one: Finding, other: Finding) -> bool:
    return (one.kind, one.kernel, one.place.line) == (other.kind, other.kernel, other.place.line)


def _same_block(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return (*one, 0, 0, 0)[:3] == (*other, 0, 0, 0)[:3]


def _wrong_case(lab: Lab, result: Result) -> Case | None:
    wrong = {run.name for run in (result.run.cases if result.run else ()) if run.wrong}
    return next((case for case in visible_cases(lab) if case.name in wrong), None)


def _wrong_block(result: Result, name: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Block and thread that own the first wrong element."""
    for run in result.run.cases if result.run else ():
        if run.name == name and run.wrong and run.wrong.block:
            return tuple(run.wrong.block), tuple(run.wrong.thread or ())
    return None
