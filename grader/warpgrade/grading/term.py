"""A term's folder: what was graded today joins what the folder holds, and nothing is lost.

class.json holds every lab and every attempt. A new grading adds attempts, or grades known ones again; it
touches no lab and no student that it has nothing of. judge/late_policy.py chooses the attempt that counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter

from ..core.side_by_side import side_by_side
from ..records import Grades, Lab, Result, Student, Unread


def common(old: Grades | None, new: Grades) -> Grades:
    """What the students of both gradings have in common, with the students of `new`."""
    notes = dict.fromkeys((*new.notes, *_unread(old.students if old else (), new.students)))
    labs = _labs(old.labs if old else (), new.labs)
    return replace(new, labs=labs, notes=tuple(notes))


def students(old: Grades | None, new: Grades) -> Iterator[Student]:
    """The students of both gradings. Every attempt has a number; the last one of a lab counts."""
    known = old.students if old else ()
    lab = new.labs[0].name if len(new.labs) == 1 else ""
    for before, after in side_by_side(known, new.students, key=attrgetter("id")):
        yield _student(before, after and _with_unread(after, lab))


def joined(old: Student, new: Student) -> Student:
    """One student with the attempts of both; those of `new` are the later ones."""
    return _student(old, replace(new, results=new.attempts, earlier=()))


def _labs(old: Iterable[Lab], new: Iterable[Lab]) -> tuple[Lab, ...]:
    named = {lab.name: lab for lab in (*old, *new)}
    return tuple(named[name] for name in sorted(named))


def _unread(known: Iterable[Student], students: Iterable[Student]) -> Iterator[str]:
    """A note for each entry in which nothing fits, from a student who has results already."""
    unfit = [student for student in students if student.problem and student.entry]
    names = {student.id for student in unfit}
    graded = {student.id for student in known if student.id in names and student.results} if names else set()
    for student in unfit:
        if student.id in graded and student.problem:
            yield f"{student.id}: {student.entry} was not read: {student.problem.message}"


def _with_unread(student: Student, lab: str) -> Student:
    """The student with a hand-in for that lab that could not be read, if it is such a one."""
    if student.problem is None or not student.entry:
        return student
    return replace(student, unread=(Unread(lab, student.entry, student.problem),))


def _unread_still(old: Student, new: Student) -> tuple[Unread, ...] | None:
    """The hand-ins that could not be read, and that none which can has followed: of each lab the last one."""
    read = {result.lab for result in new.results if result.status != "refused"}
    left = {each.lab: each for each in old.unread or () if each.lab not in read and (each.lab or not read)}
    left |= {each.lab: each for each in new.unread or ()}
    return tuple(left[lab] for lab in sorted(left)) or None


def _student(old: Student | None, new: Student | None) -> Student:
    if new is None:
        assert old is not None
        return old
    attempts = list(old.attempts) if old else []
    for result in new.results:
        attempts = _with(attempts, result)
    results = {result.lab: result for result in attempts}  # the last one of each lab
    counting = tuple(results[lab] for lab in sorted(results))
    earlier = tuple(result for result in attempts if results[result.lab] is not result)
    named = new if new.entry or old is None else replace(new, entry=old.entry, notes=old.notes)
    unread = _unread_still(old, new) if old else new.unread
    problem = unread[-1].problem if unread and not new.entry else new.problem
    return replace(
        named, results=counting, earlier=earlier, problem=None if counting else problem, unread=unread
    )


def _with(attempts: list[Result], new: Result) -> list[Result]:
    """The attempts, sorted by lab and number, with one more, or with a known one graded again."""
    of_lab = [result for result in attempts if result.lab == new.lab]
    known = next((result for result in reversed(of_lab) if _same_attempt(result, new)), None)
    if known is not None:
        stamped = new if new.submitted else known
        joined = replace(
            new,
            attempt=known.attempt,
            submitted=stamped.submitted,
            by_sheet=stamped.by_sheet,
            restated=_restated(known, stamped.submitted),
        )
        rest = [result for result in attempts if result is not known]
    else:
        number = max((result.attempt for result in of_lab), default=0) + 1
        asked = next((result for result in of_lab if _same_work(result, new)), None) if new.request else None
        joined = replace(new, attempt=number)
        if asked is not None:  # a question about work that was handed in is not handed in late
            joined = replace(joined, submitted=asked.submitted, late=asked.late)
        rest = attempts
    return sorted((*rest, joined), key=lambda result: (result.lab, result.attempt))


def _restated(known: Result, now: str) -> tuple[str, ...] | None:
    """Other times that sheets have stated: the same files may have been handed in twice."""
    times = {*(known.restated or ()), known.submitted} - {now, ""}
    return tuple(sorted(times)) or None


def _same_attempt(old: Result, new: Result) -> bool:
    """Whether both are one hand-in: the same files, handed in at the same time as far as it is known. Another
    sheet of times corrects the time.
    """
    same = old.submitted == new.submitted or not (old.submitted and new.submitted)
    is_corrected = bool(old.by_sheet and new.by_sheet)
    return (same or is_corrected) and _files(old) == _files(new)


def _files(result: Result) -> str:
    """What identifies the files. Of a refused submission no files are known, but why it was refused."""
    if result.origin is not None:
        return result.origin.submission
    return f"{result.status}: {result.problem.message if result.problem else ''}"


def _same_work(old: Result, new: Result) -> bool:
    return bool(new.work) and old.work == new.work
