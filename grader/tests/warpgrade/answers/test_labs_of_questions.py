"""The promises of every lab of questions: the key earns all, a blank sheet nothing, a near miss its share."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from support import lab_questions
from warpgrade.answers import stages
from warpgrade.cli.main import cli
from warpgrade.core.paths import here, text_hash
from warpgrade.course import lab, question_file
from warpgrade.export import gradescope
from warpgrade.gpu import spec
from warpgrade.judge import score, verdict
from warpgrade.records import Judgement, Lab, LabKind, Score, SourceFile, Submission
from warpgrade.staff.lab_gaps.hints import FEWEST_NEAR_MISSES
from warpgrade.student import hints

REPOSITORY = here()
LABS = [item for item in lab.find(REPOSITORY) if item.kind is LabKind.ANSWERS]
STUDENTS = ("alice", "Bob Ernst", "carol", "Đặng-Thị")
EACH = pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
FOUND = {item.name: lab_questions.of_lab(REPOSITORY, item.name) for item in LABS}


def graded(item: Lab, student: str, text: str) -> tuple[Judgement, Score]:
    files = (SourceFile(item.files[0], text),)
    submission = Submission(student, item.name, "answers.toml", files, text_hash(text))
    built = stages.read_answers(submission, item)
    ran = None
    if built.status == "BUILT":
        ran = stages.mark_answers(submission, item, FOUND[item.name])
    judged = verdict.judge(built, ran, item, spec.load(REPOSITORY, "h200"))
    return judged, score.score(judged, item)


@EACH
def test_the_key_earns_everything(item: Lab) -> None:
    for student in STUDENTS:
        id = stages.identity(student)
        assert graded(item, id, stages.key_sheet(REPOSITORY, item, student))[1].total == 100


@EACH
def test_an_empty_sheet_earns_nothing(item: Lab) -> None:
    for text in (question_file.blank_sheet(item.name), stages.sheet(REPOSITORY, item, "alice")):
        judged, scored = graded(item, "alice", text)
        assert (scored.total, scored.possible) == (0, 100)
        assert {case.verdict for case in judged.cases} == {"SKIPPED"}


@EACH
def test_each_near_miss_gets_its_feedback_and_its_share(item: Lab) -> None:
    """Tried with some values only: with others, two ways of computing can agree."""
    found = FOUND[item.name]
    wanted = {
        (row["name"], miss["name"])
        for row in found.document.data["question"]
        for miss in row.get("near_miss", [])
    }
    assert len(wanted) >= FEWEST_NEAR_MISSES
    for number in range(200):
        student = f"student-{number}"
        for question in stages.drawn(found, item, student):
            for miss in question.near_misses:
                if (question.name, miss.name) not in wanted:
                    continue
                answer = stages.answer_file.written(question, miss.answer)
                text = f'student = "{student}"\n[answers]\n{question.name} = {answer}\n'
                judged, scored = graded(item, student, text)
                case = next(case for case in judged.cases if case.name == question.name)
                if case.sentence == miss.feedback:
                    assert case.verdict == "WRONG_ANSWER"
                    assert math.isclose(scored.total or 0, round(question.points * miss.share, 2))
                    wanted.remove((question.name, miss.name))
        if not wanted:
            break
    assert not wanted


@EACH
def test_no_feedback_holds_the_answer(item: Lab) -> None:
    """A wrong answer never gets a sentence with the number that would be right."""
    for student in STUDENTS:
        id = stages.identity(student)
        for question in stages.drawn(FOUND[item.name], item, student):
            text = f"[answers]\n{question.name} = {'-12345' if not question.options else '3'}\n"
            judged, scored = graded(item, id, text)
            case = next(case for case in judged.cases if case.name == question.name)
            assert scored.total == 0
            right = stages.answer_file.written(question, question.answer)
            assert question.options or f" {right}" not in f" {case.sentence}"


@EACH
def test_another_students_sheet_earns_nothing(item: Lab) -> None:
    text = stages.key_sheet(REPOSITORY, item, "bob")
    judged, scored = graded(item, "alice", text)
    assert (judged.build, scored.total) == ("BUILD_FAILED", 0)
    renamed = text.replace('student = "bob"', 'student = "alice"')
    assert (graded(item, "alice", renamed)[1].total or 0) < 100


@EACH
def test_changed_values_in_the_sheet_change_nothing(item: Lab) -> None:
    text = stages.key_sheet(REPOSITORY, item, "alice")
    changed = "\n".join("# 1 2 3" if line.startswith("#") else line for line in text.splitlines())
    assert graded(item, "alice", changed)[1].total == 100


@EACH
def test_an_exported_result_depends_on_who_handed_it_in(item: Lab, tmp_path: Path) -> None:
    file = tmp_path / item.files[0]
    file.write_text(stages.key_sheet(REPOSITORY, item, "alice"))
    for by, points in (([], 100), (["--by", "Alice"], 100), (["--by", "bob"], 0)):
        out = tmp_path / "out.json"
        command = ["export", "gradescope", item.name, str(file), "--sandbox", "none", "--out", str(out), *by]
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, done.output
        assert json.loads(out.read_text())["score"] == points


@EACH
def test_gradescopes_scripts_name_the_file_and_who_handed_it_in(item: Lab) -> None:
    with zipfile.ZipFile(io.BytesIO(gradescope.autograder(REPOSITORY, item))) as archive:
        run, setup = (archive.read(name).decode() for name in ("run_autograder", "setup.sh"))
    assert '--by "$(python3 -c' in run and "submission_metadata.json" in run
    assert f"labs/{item.name}/{item.files[0]}" in setup and "@" not in run + setup.replace("@@", "")


@EACH
def test_each_question_has_its_hint(item: Lab) -> None:
    assert [hint.todo for hint in item.hints] == list(range(1, len(item.cases) + 1))
    for case, hint in zip(item.cases, item.hints, strict=True):
        (first, *text) = hints.lines(REPOSITORY, item, hint.todo, 80)
        assert case.name in first and text
