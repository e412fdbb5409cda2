"""A roster that was written, or changed, after a class was graded: saved students become the people in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath

from ..core.lazy_sequence import LazySequence
from ..records import Grades, Result, Student
from ..submission.admit import identity, printable
from ..submission.roster import People, Person
from . import term


def listed(grades: Grades, people: People | None) -> Grades:
    """The grades with name, section, group and grader from the roster, and the identity that it gives; a note
    names each student who had another one. What that identity has already handed in is joined.

    Where the roster takes several students for one person, they keep theirs: who it is nobody knows.
    """
    persons = _persons(grades.students, people) if people else {}
    if not persons:
        return grades
    old = [student.id for student in grades.students]
    ids = [identity(persons[at].student) if at in persons else id for at, id in enumerate(old)]
    order = sorted(range(len(ids)), key=lambda at: (ids[at], ids[at] == old[at]))
    groups = [list(group) for _, group in groupby(order, key=ids.__getitem__)]

    def student(number: int) -> Student:
        first, *others = (_called(grades.students[at], persons.get(at)) for at in groups[number])
        return term.joined(first, others[0]) if others else first

    found: Sequence[Student] = LazySequence(len(groups), student)
    if not isinstance(grades.students, LazySequence):
        found = tuple(found)
    renamed = (f"{old[at]}: is {ids[at]} in the roster" for at in order if ids[at] != old[at])
    return replace(grades, students=found, notes=(*grades.notes, *renamed))


def _persons(students: Sequence[Student], people: People) -> dict[int, Person]:
    """By the student's index: the person in the roster."""
    own: dict[int, Person] = {}
    others = defaultdict(list)  # persons, and students with another identity than theirs
    for at, student in enumerate(students):
        person = people.find((student.id, student.name, PurePath(student.entry).stem))
        if person and identity(person.student) == student.id:
            own[at] = person
        elif person:
            others[person].append(at)
    return own | {ats[0]: person for person, ats in others.items() if len(ats) == 1}


def _called(student: Student, person: Person | None) -> Student:
    """The student as that person. Records of results stay in the folders that they have."""
    if person is None:
        return student

    def kept(results: tuple[Result, ...]) -> tuple[Result, ...]:
        return tuple(replace(each, folder=each.folder or f"{student.id}/{each.lab}") for each in results)

    return replace(
        student, id=identity(person.student), name=printable(person.name),
        section=person.section, group=person.group, grader=person.grader,
        results=kept(student.results), earlier=kept(student.earlier),
    )  # fmt: skip
