"""The stages of a lab of questions: read the file of answers, then mark it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ..core import store
from ..core.errors import SubmissionError, UsageError
from ..core.formatting import amount
from ..core.paths import Repository, typed
from ..course.question_file import UNANSWERED
from ..records import Build, BuildStatus, CaseRun, Diagnostic, Lab, LabKind, Run, SourceFile, Submission
from ..submission.admit import identity
from . import answer_file, marking, questions
from .answer_file import AnswerFile
from .marking import AnswerMark, MarkedAnswer
from .questions import DrawnQuestion, QuestionFile, RunFigures

_DEVICE = "emulator"  # of a run that measures no time
_MOST_NAME = 60
_MOST_SHOWN = 200  # characters of a line
_STATUS = {AnswerMark.RIGHT: "pass", AnswerMark.MISSING: "not_run"}


def name_in(path: Path) -> str | None:
    """The name in a student's own file; empty where it has none, None where the file cannot be read."""
    try:
        return answer_file.read(path).student
    except SubmissionError:
        return None


def named_by_its_sheet(submission: Submission, lab: Lab) -> Submission:
    """The submission under the name in its sheet, where nobody says who handed it in."""
    if lab.kind is not LabKind.ANSWERS:
        return submission
    try:
        text = submission.source(lab.files[0]) or ""
        name = answer_file.parse(text.encode("utf-8", "replace"), Path(lab.files[0])).student
    except SubmissionError:
        return submission
    return replace(submission, student=identity(name)) if name else submission


def drawn(found: QuestionFile, lab: Lab, student: str) -> tuple[DrawnQuestion, ...]:
    """The questions with the values of that student."""
    return found.draw(_seed(lab, student))


def drawn_run(found: QuestionFile, lab: Lab, student: str) -> RunFigures:
    """The figures of the run that the questions of that student are about; empty if they are about none."""
    return found.run(_seed(lab, student))


def _seed(lab: Lab, student: str) -> str:
    return f"{lab.seed}|{lab.name}|{identity(student).casefold()}"


def sheet(repository: Repository, lab: Lab, student: str) -> str:
    """The file that the student with that name fills in."""
    found = drawn(questions.of_lab(repository, lab.name), lab, student)
    return answer_file.sheet(lab.name, identity(student), found)


def key_sheet(repository: Repository, lab: Lab, student: str) -> str:
    """The student's sheet with the right answers."""
    found = drawn(questions.of_lab(repository, lab.name), lab, student)
    text = answer_file.sheet(lab.name, identity(student), found)
    for each in found:
        line = f'{each.name} = "{UNANSWERED}"'
        text = text.replace(f"\n{line}", f"\n{each.name} = {answer_file.written(each, each.answer)}")
    return text


def write_sheet(repository: Repository, lab: Lab, student: str, path: Path) -> None:
    """Write the student's sheet. UsageError if the file holds anything else, as nobody may lose answers."""
    if not any(letter.isalnum() for letter in student) or len(student) > _MOST_NAME:
        words = f"{student[:_MOST_NAME]!r} is no name"
        raise UsageError(words, remedy="take the one that your course knows you by")
    if path.is_dir():
        raise UsageError("is a folder", file=path, remedy=f"name a file, such as {path / lab.files[0]}")
    if path.exists() and not _is_blank(path):
        remedy = f"move it away first, or {typed(f'reset {lab.name}')}, which keeps a copy"
        raise UsageError("holds answers already", file=path, remedy=remedy)
    store.write_text(path, sheet(repository, lab, student))


def _is_blank(path: Path) -> bool:
    try:
        answers = answer_file.read(path).answers
    except SubmissionError:
        return False
    return all(value == UNANSWERED for value in answers.values())


def read_answers(submission: Submission, lab: Lab) -> Build:
    """Whether the file can be marked. It cannot if it is no TOML, or if it is another student's sheet."""
    try:
        found = _parsed(submission, lab)
    except SubmissionError as error:
        return _refused(error, submission, lab)
    answered = sum(value != UNANSWERED for value in found.answers.values())
    return Build(BuildStatus.BUILT, f"{lab.files[0]} holds {amount(answered, 'answer')}")


def mark_answers(submission: Submission, lab: Lab, found: QuestionFile) -> Run:
    """Each question as a case, with the share of its points that the answer earned."""
    answers = _parsed(submission, lab)
    own = drawn(found, lab, answers.student or submission.student)
    marked = marking.mark(own, answers.answers)
    return Run(_DEVICE, cases=tuple(map(_case, marked.answers)), notes=marked.remarks)


def _case(answer: MarkedAnswer) -> CaseRun:
    status = _STATUS.get(answer.mark, "wrong_answer")
    credit = answer.earned / answer.possible if answer.mark is AnswerMark.NEAR_MISS else None
    return CaseRun(answer.question, status, answer.sentence, credit=credit)


def _parsed(submission: Submission, lab: Lab) -> AnswerFile:
    name = lab.files[0]
    source = submission.source(name) or ""
    found = answer_file.parse(source.encode("utf-8", "replace"), Path(name))
    if found.student and not _is_of(found.student, submission):
        line = next(
            (n for n, text in enumerate(source.split("\n"), 1) if text.lstrip().startswith("student")), 1
        )
        message = f"this is the sheet of {identity(found.student)}, and {submission.student} handed it in"
        remedy = "everybody has questions with values of her own"
        raise SubmissionError(message, file=name, line=line, remedy=remedy)
    return found


def _is_of(name: str, submission: Submission) -> bool:
    """Whether the sheet's name is one of the student's. Of two students with one name, ids end in a hash."""
    own = identity(name).casefold()
    if own in (identity(each).casefold() for each in submission.names or ()):
        return True
    return re.fullmatch(rf"{re.escape(own)}(?:-[0-9a-f]{{8}})?", submission.student.casefold()) is not None


def _refused(error: SubmissionError, submission: Submission, lab: Lab) -> Build:
    name = lab.files[0]
    source = submission.source(name) or ""
    text = _line(SourceFile(name, source), error.line)
    message = f"{error.message}: {error.remedy}" if error.remedy else error.message
    item = Diagnostic("error", message, name, error.line, text)
    return Build(BuildStatus.BUILD_FAILED, f"{name} cannot be marked: {error.message}", (item,))


def _line(file: SourceFile, number: int | None) -> str:
    lines = file.text.split("\n")
    return lines[number - 1][:_MOST_SHOWN] if number and number <= len(lines) else ""
