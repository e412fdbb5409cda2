"""Faults to name and to repair, in every lab that has some: the emulator makes the key, guesses earn nothing.

Labs are found by listing. Submissions are the solution's files, with one of them changed.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support import handed_in
from warpgrade.answers.fault_answers import FaultName
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import here, text_hash
from warpgrade.course import lab
from warpgrade.export import check_json, checks
from warpgrade.feedback.student_lab import lab_feedback
from warpgrade.grading import faults, pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.judge import score
from warpgrade.records import (
    BuildStatus,
    CaseVerdict,
    Finding,
    Judgement,
    Lab,
    Part,
    Place,
    Result,
    SourceFile,
    Submission,
    Verdict,
)
from warpgrade.report import terminal_check
from warpgrade.submission import admit
from warpgrade.submission.admit import SubmissionEntry
from warpgrade.submission.archive import Contents

pytestmark = pytest.mark.long

REPOSITORY = here()
LABS = {item.name: item for item in lab.find(REPOSITORY) if item.faults}
FAULTS = [(name, fault.name) for name, item in LABS.items() for fault in item.faults]
EACH = pytest.mark.parametrize(("name", "fault"), FAULTS)


@functools.cache
def session(practice: bool = False) -> Session:
    return prepare(REPOSITORY, list(LABS.values()), Options("emulator", practice=practice))


def prepared_fault(name: str, fault: str) -> faults.PreparedFault:
    (found,) = (
        each for lab in session().prepared_labs if lab.lab.name == name
        for each in lab.faults if each.fault.name == fault
    )  # fmt: skip
    return found


def solution(item: Lab) -> Submission:
    folder = REPOSITORY.solution(item.name)
    return handed_in.submission(item, (folder / item.files[0]).read_text(encoding="utf-8"), folder)


def changed(item: Lab, name: str, text: str | None) -> Submission:
    """The solution with another text of one file, or without it."""
    given = solution(item)
    files = [file for file in given.files if file.name != name]
    if text is not None:
        files.append(SourceFile(name, text))
    hashed = text_hash(*(part for file in files for part in (file.name, file.text)))
    return replace(given, files=tuple(files), hash=hashed)


def graded(handed: Submission, folder: Path, practice: bool = False) -> Result:
    used = session(practice)
    prepared = next(each for each in used.prepared_labs if each.lab.name == handed.lab)
    return pipeline.grade_one(handed, prepared, folder, used)


def parts(result: Result, fault: str) -> dict[str, Part]:
    assert result.score is not None, result.problem
    found = (part for part in result.score.parts if part.kind == "fault")
    return {part.name.removeprefix(f"{fault}-"): part for part in found if part.name.startswith(f"{fault}-")}


def named(fault: str, line: int | str, verdict: str) -> str:
    return f'[{fault}]\nline = {line}\nverdict = "{verdict}"\n'


@EACH
def test_the_key_is_what_the_emulator_reports_of_the_original(name: str, fault: str) -> None:
    found = prepared_fault(name, fault)
    assert found.key is not None and found.key.lines
    text = (REPOSITORY.labs / name / found.fault.file).read_text(encoding="utf-8").splitlines()
    assert all(0 < line <= len(text) for line in found.key.lines)


@EACH
def test_each_line_of_the_key_names_it_and_no_other_does(name: str, fault: str) -> None:
    key = prepared_fault(name, fault).key
    assert key is not None
    rows = [FaultName(line, word) for line in range(1, 400) for word in ("barrier", "race", "memory")]
    assert [row.line for row in rows if key.fits(row)] == list(key.lines)
    assert len(key.lines) <= 3, "a guess must not be worth much"


@EACH
def test_naming_and_mending_are_points_apart(name: str, fault: str, tmp_path: Path) -> None:
    item, found = LABS[name], prepared_fault(name, fault).fault
    wrong = parts(graded(changed(item, found.answers, named(fault, 1, "race")), tmp_path / "a"), fault)
    assert wrong["named"].earned == 0 and "line 1" in wrong["named"].sentence
    assert all(part.earned == part.possible for word, part in wrong.items() if word != "named")
    original = (REPOSITORY.labs / name / found.file).read_text(encoding="utf-8")
    unrepaired = parts(graded(changed(item, found.file, original), tmp_path / "b"), fault)
    assert unrepaired["named"].earned == found.named
    assert unrepaired["repaired"].earned == 0 if found.repaired else True


@EACH
def test_an_equal_submission_takes_the_run_of_a_faults_file(
    name: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed, used = solution(LABS[name]), session()
    prepared = next(each for each in used.prepared_labs if each.lab.name == name)
    first = pipeline.grade_one(handed, prepared, tmp_path / "a", used)
    pipeline.copy_stages(tmp_path / "a", tmp_path / "b", handed.hash, prepared, used)
    monkeypatch.setattr(faults, "_built_and_run", lambda *_: pytest.fail("it was built again"))
    assert pipeline.grade_one(handed, prepared, tmp_path / "b", used).score == first.score


@EACH
def test_a_missing_file_or_one_that_does_not_compile_earns_nothing(
    name: str, fault: str, tmp_path: Path
) -> None:
    item, found = LABS[name], prepared_fault(name, fault).fault
    assert parts(graded(changed(item, found.answers, None), tmp_path / "a"), fault)["named"].earned == 0
    if not found.repaired:
        return
    missing = parts(graded(changed(item, found.file, None), tmp_path / "b"), fault)["repaired"]
    assert missing.earned == 0 and "not among the files" in missing.sentence
    broken = parts(graded(changed(item, found.file, "int main( {"), tmp_path / "c"), fault)["repaired"]
    assert broken.earned == 0 and "does not compile" in broken.sentence


@EACH
def test_a_kernel_that_does_nothing_is_not_repaired(name: str, fault: str, tmp_path: Path) -> None:
    """Without the loop there is no fault any more, and no sum either."""
    item, found = LABS[name], prepared_fault(name, fault).fault
    original = (REPOSITORY.labs / name / found.file).read_text(encoding="utf-8")
    start = original.index("{", original.index(f" {found.kernel}("))
    result = graded(changed(item, found.file, f"{original[:start]}{{}}\n"), tmp_path)
    assert result.judgement is not None and result.judgement.faults is not None
    (judged,) = (each for each in result.judgement.faults if each.name == fault)
    assert not judged.repaired and "wrong" in judged.sentence


@EACH
def test_a_list_of_all_lines_earns_nothing(name: str, fault: str, tmp_path: Path) -> None:
    item, found = LABS[name], prepared_fault(name, fault).fault
    text = named(fault, str(list(range(1, 60))), "barrier")
    part = parts(graded(changed(item, found.answers, text), tmp_path), fault)["named"]
    assert part.earned == 0 and part.possible == found.named and "one line" in part.sentence


def fifo(place: Path) -> None:
    os.mkfifo(place)


def link(place: Path) -> None:
    place.symlink_to("/etc/passwd")


def folder(place: Path) -> None:
    place.mkdir()


def megabyte(place: Path) -> None:
    place.write_text("# " + "x" * (1 << 20), encoding="utf-8")


def binary(place: Path) -> None:
    place.write_bytes(bytes(range(256)))


@EACH
@pytest.mark.parametrize("forge", [fifo, link, folder, megabyte, binary], ids=lambda forge: forge.__name__)
def test_a_hostile_file_of_answers_costs_its_own_points_only(
    name: str, fault: str, forge: Callable[[Path], None], tmp_path: Path
) -> None:
    item, found = LABS[name], prepared_fault(name, fault).fault
    handed = tmp_path / "alice" / name
    handed.mkdir(parents=True)
    for file in solution(item).files:
        if file.name != found.answers:
            (handed / file.name).write_text(file.text, encoding="utf-8")
    forge(handed / found.answers)
    entry = SubmissionEntry("alice", "alice", tmp_path / "alice")
    contents = admit.read(entry)
    assert isinstance(contents, Contents), contents
    admitted = admit.admit(entry, contents, item, True)
    assert admitted is not None
    result = graded(admitted, tmp_path / "graded")
    assert result.status == "graded" and result.score is not None
    assert result.score.total == 100 - found.named
    assert parts(result, fault)["named"].sentence


@EACH
def test_check_says_nothing_that_a_guess_could_learn_from(name: str, fault: str, tmp_path: Path) -> None:
    """Right and wrong names get the same words, and the report of the original has no line."""
    item, found = LABS[name], prepared_fault(name, fault)
    assert found.key is not None
    said = []
    for at, line in enumerate((found.key.lines[0], 1)):
        text = named(fault, line, found.key.verdict)
        result = graded(changed(item, found.fault.answers, text), tmp_path / f"{at}", practice=True)
        assert result.score is not None and result.score.total == item.practice_points
        said.append(check_json.data(item, result)["parts"])
        assert parts(result, fault)["named"].possible == 0
    assert said[0] == said[1]
    original = (REPOSITORY.labs / name / found.fault.file).read_text(encoding="utf-8")
    if not found.fault.repaired:
        return
    result = graded(changed(item, found.fault.file, original), tmp_path / "original", practice=True)
    words = parts(result, fault)["repaired"].sentence
    assert found.key.verdict in words and not re.search(rf":\d|line|{found.key.lines[0]}\b", words)


@EACH
def test_pages_and_exports_show_both_parts(name: str, fault: str, tmp_path: Path) -> None:
    item = LABS[name]
    result = graded(solution(item), tmp_path)
    assert result.score is not None and result.score.total == 100
    for shown in (
        {part.name for part in lab_feedback(item, result, {}).parts},
        {check.name for check in checks.checks(item, result)},
        {part["name"] for part in check_json.data(item, result)["parts"]},
    ):
        assert {f"{fault}-{word}" for word in parts(result, fault)} <= shown
    text = checks.text(list(terminal_check.result_lines(item, result)))
    assert f"{fault}-named" in text


def test_a_fault_without_a_finding_is_the_instructors_mistake() -> None:
    name, fault = FAULTS[0]
    found = prepared_fault(name, fault)
    used = session()
    repaired = REPOSITORY.solution(name) / found.fault.file
    # The original is read from the lab's folder: an absolute path in its place names the solution.
    harmless = replace(found, fault=replace(found.fault, file=str(repaired)), fingerprint="harmless",
                       lab=replace(found.lab, files=(repaired.name,)))  # fmt: skip
    with pytest.raises(InstructorError, match="nothing that the emulator reports"):
        faults._key(harmless, used.compiler, used.runner)


# --- the key of findings -----------------------------------------------------------------------


def finding(check: str, line: int, other: int = 0, severity: str = "error") -> Finding:
    beside = Place("kernel.cu", other) if other else None
    return Finding(
        "case", check, f"{check}-kind", "WG1", severity, "", Place("kernel.cu", line), other=beside
    )


def test_both_sides_of_a_race_name_it() -> None:
    assert faults.key_of((finding("race", 12, 9),)) == faults.FaultKey((9, 12), "race")


def test_a_barrier_explains_the_races_after_it() -> None:
    found = (finding("race", 12, 9), finding("barrier", 30), finding("init", 4))
    assert faults.key_of(found) == faults.FaultKey((30,), "barrier")


def test_warnings_and_findings_without_a_line_name_nothing() -> None:
    assert faults.key_of((finding("race", 12, severity="warning"), finding("memory", 0))) is None
    assert faults.key_of(()) is None


def test_points_of_a_fault_that_was_not_judged() -> None:
    item = next(iter(LABS.values()))
    cases = tuple(CaseVerdict(case.name, Verdict.SKIPPED, "") for case in item.cases)
    found = score.score(Judgement(BuildStatus.BUILD_FAILED, cases), item)
    assert all(part.earned == 0 for part in found.parts if part.kind == "fault")
    assert found.possible == 100
