"""How the remarks and overrides of course staff change a score. Pure; course/reviews.py reads the files.

Remarks with points and overrides become parts of kind "review", so the parts of a score add up and a page
shows who changed what. They count before late days. The parts of an earlier review are removed first, so that
grading or reporting again gives the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..core.formatting import amount, points
from ..course.reviews import About, Override, Reviews
from ..records import Grades, Part, Remark, Result, Score, SourceFile, Student, Submission
from .score import with_part, without_parts

_KIND = "review"


def reviewed(student: Student, reviews: Reviews, pseudonyms: Mapping[str, str] | None = None) -> Student:
    """The student with remarks and overrides in all attempts that they are about.

    `pseudonyms`: the name of a student on anonymous pages, by id.
    """
    names = {student.id, (pseudonyms or {}).get(student.id, student.id)}
    reviews = _held(reviews, names, student.attempts)
    return replace(
        student,
        results=tuple(_reviewed(result, names, reviews) for result in student.results),
        earlier=tuple(_reviewed(result, names, reviews) for result in student.earlier),
    )


def _held(reviews: Reviews, names: set[str], attempts: Sequence[Result]) -> Reviews:
    """The reviews; remarks of this student on a line that is not there are comments without points."""
    return replace(
        reviews,
        remarks=tuple(
            (about, replace(remark, points=0.0, item=""))
            if about.student in names and any(_no_such_line(about, remark, attempts))
            else (about, remark)
            for about, remark in reviews.remarks
        ),
    )


def unmatched(reviews: Reviews, grades: Grades, pseudonyms: Mapping[str, str] | None = None) -> list[str]:
    """A sentence for each entry to which no attempt or part in the class belongs."""
    named = {about.student for about in reviews.entries()}
    known = {
        (name, result.lab): [each for each in student.attempts if each.lab == result.lab]
        for student in grades.students
        for name in named & {student.id, (pseudonyms or {}).get(student.id, student.id)}
        for result in student.results
    }
    found = []
    for about in reviews.entries():
        if not any(_is_about(about, result) for result in known.get((about.student, about.lab), ())):
            which = f"attempt {about.attempt}" if about.attempt else "attempt"
            found.append(f"{about.place}: {about.student} has no {which} at {about.lab}")
    for override in reviews.overrides:
        parts = _parts_of(override.about, known)
        if parts and not any(override.part in _called(part) for part in parts):
            where = f"{override.about.place}: {override.about.lab}"
            found.append(f"{where} has no part {override.part!r}; its parts are {_names(parts)}")
        found += _too_many_points(override, parts)
        found += _same_points(override, parts)
    for about, remark in reviews.remarks:
        found += _no_such_line(about, remark, known.get((about.student, about.lab), ()))
    return list(dict.fromkeys(found))


def _too_many_points(override: Override, parts: Sequence[Part]) -> Iterator[str]:
    """A sentence where the part can have fewer points than the override gives."""
    most = next((part.possible for part in parts if override.part in _called(part)), math.inf)
    if override.points > most:
        given = f"{points(override.points)} points for {override.part!r}, which has {points(most)}"
        remedy = "correct the points, or give more by a comment with points"
        yield f"{override.about.place}: {given}, is not applied; {remedy}"


def _same_points(override: Override, parts: Sequence[Part]) -> Iterator[str]:
    """A sentence where the part has the override's points in any case."""
    meant = [part for part in parts if override.part in _called(part)]
    if meant and all(part.earned == override.points for part in meant):
        has = f"{override.about.student} has {points(override.points)} points for {override.part!r} already"
        yield f"{override.about.place}: {has}, and the override changes nothing"


def _no_such_line(about: About, remark: Remark, results: Sequence[Result]) -> Iterator[str]:
    """A sentence where no attempt that the remark is about has its file or its line."""
    named = remark.line is not None or bool(remark.file)
    held = "; its points are not applied" if remark.points else ""
    handed_in = [each.submission for each in results if _is_about(about, each)] if named else []
    files = [file for each in handed_in if each for file in _files_meant(each, remark)]
    if not any(handed_in):
        return
    if not files:
        lacks = f"{about.student} handed in no file {remark.file!r} at {about.lab}"
        yield f"{about.place}: {lacks}{held}; correct it"
        return
    longest = max(files, key=_line_count)
    if remark.line and remark.line > _line_count(longest):
        has = f"{longest.name} of {about.student} has {amount(_line_count(longest), 'line')}"
        yield f"{about.place}: {has}, and no line {remark.line}{held}; correct line or file"


def _files_meant(submission: Submission, remark: Remark) -> tuple[SourceFile, ...]:
    """The file that the remark names, else the first one, as pages show it."""
    named = tuple(file for file in submission.files if file.name == remark.file)
    return named if remark.file else submission.files[:1]


def _line_count(file: SourceFile) -> int:
    return len(file.text.removesuffix("\n").split("\n"))


def _parts_of(about: About, known: Mapping[tuple[str, str], list[Result]]) -> tuple[Part, ...]:
    results = known.get((about.student, about.lab), ())
    scores = [result.score for result in results if result.score and _is_about(about, result)]
    return tuple(part for score in scores for part in score.parts if part.possible)


def _names(parts: tuple[Part, ...]) -> str:
    return ", ".join(dict.fromkeys(part.full_name for part in parts))


def _is_about(about: About, result: Result) -> bool:
    return about.lab == result.lab and about.attempt in (None, result.attempt)


def _reviewed(result: Result, names: set[str], reviews: Reviews) -> Result:
    def concerns(about: About) -> bool:
        return about.student in names and _is_about(about, result)

    remarks = tuple(remark for about, remark in reviews.remarks if concerns(about))
    answers = [text for about, text in reviews.answers if concerns(about)]
    score = result.score and without_parts(result.score, _KIND)
    if score:
        for override in reviews.overrides:
            if concerns(override.about):
                score = _overridden(score, override)
        for name, earned, sentence in _added(remarks):
            score = with_part(score, _KIND, name, earned, sentence)
    return replace(result, score=score, remarks=remarks, answer=" ".join(answers))


def _called(part: Part) -> tuple[str, ...]:
    """The names by which an override may refer to the part."""
    return (part.full_name, part.name, f"{part.kind} {part.name}")


def _overridden(score: Score, override: Override) -> Score:
    part = next((part for part in score.parts if part.possible and override.part in _called(part)), None)
    # unmatched() speaks of each of these.
    if part is None or override.points > part.possible or override.points == part.earned:
        return score
    by = f" ({override.by})" if override.by else ""
    words = f"{points(override.points)} instead of {points(part.earned)}: {override.reason}{by}"
    return with_part(score, _KIND, part.full_name, override.points - part.earned, words)


def _added(remarks: tuple[Remark, ...]) -> Iterator[tuple[str, float, str]]:
    for remark in remarks:
        if remark.points or remark.item:
            place = f"line {remark.line}: " if remark.line else ""
            by = f" ({remark.by})" if remark.by else ""
            yield remark.item or "comment", remark.points, f"{place}{remark.text}{by}"
