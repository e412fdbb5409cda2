"""Faults to name and to repair, in every lab that has some: the emulator makes the key, guesses earn nothing.

Labs are found by listing. Submissions are the solution's files, with one of them changed.
"""

from __future__ import annotations

import functools
import os
import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from support.hand_ins import handed_in
from warpgrade.answers.fault_answers import FaultName
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import here, text_hash
from warpgrade.course import lab
from warpgrade.export import check_json, checks
from warpgrade.feedback.student_lab import lab_feedback
from warpgrade.grading import faults, pipeline
from warpgrade.grading.session import Options, PreparedLab, Session, prepare
from warpgrade.judge import score
from warpgrade.records import (
    BuildStatus,
    CaseVerdict,
    FaultyKernel,
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
ANSWERS = [(name, file) for name, item in LABS.items() for file in sorted({f.answers for f in item.faults})]
SOURCES = [(name, file) for name, item in LABS.items() for file in sorted({f.file for f in item.faults})]
EACH = pytest.mark.parametrize(("name", "fault"), FAULTS)
EACH_LAB = pytest.mark.parametrize("name", LABS)
EACH_FILE_OF_ANSWERS = pytest.mark.parametrize(("name", "file"), ANSWERS)
EACH_SOURCE = pytest.mark.parametrize(("name", "file"), SOURCES)


@functools.cache
def session(practice: bool = False) -> Session:
    return prepare(REPOSITORY, list(LABS.values()), Options("emulator", practice=practice))


def prepared_lab(name: str, practice: bool = False) -> PreparedLab:
    return next(each for each in session(practice).prepared_labs if each.lab.name == name)


def prepared_fault(name: str, fault: str) -> faults.PreparedFault:
    (found,) = (each for each in prepared_lab(name).faults if each.fault.name == fault)
    return found


def in_file(item: Lab, file: str) -> list[FaultyKernel]:
    """The faults that this file has, or that are named in this file of answers."""
    return [fault for fault in item.faults if file in (fault.file, fault.answers)]


def solution(item: Lab) -> Submission:
    folder = REPOSITORY.solution(item.name)
    return handed_in.submission(item, (folder / item.files[0]).read_text(encoding="utf-8"), folder)


def original(item: Lab, file: str) -> str:
    return (REPOSITORY.labs / item.name / file).read_text(encoding="utf-8")


def changed(item: Lab, name: str, text: str | None) -> Submission:
    """The solution with another text of one file, or without it."""
    files = solution(item).files
    if text is None:
        return replace(solution(item), files=tuple(file for file in files if file.name != name))
    return replace(
        solution(item), files=tuple(SourceFile(name, text) if file.name == name else file for file in files)
    )


@functools.cache
def _outputs() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@functools.cache
def graded(handed: Submission, practice: bool = False) -> Result:
    """Submissions with the same first file share its build and its run, which is what takes time."""
    first = handed.source(LABS[handed.lab].files[0])
    alike = replace(handed, hash=text_hash(first or ""))
    folder = Path(_outputs().name, handed.lab, str(practice), alike.hash)
    return pipeline.grade_one(alike, prepared_lab(handed.lab, practice), folder, session(practice))


def parts(result: Result, fault: str) -> dict[str, Part]:
    assert result.score is not None, result.problem
    found = (part for part in result.score.parts if part.kind == "fault")
    return {part.name.removeprefix(f"{fault}-"): part for part in found if part.name.startswith(f"{fault}-")}


def named(faults: Iterable[FaultyKernel], line: int | str, verdict: str) -> str:
    """A file of answers that names each of these faults alike."""
    return "".join(f'[{fault.name}]\nline = {line}\nverdict = "{verdict}"\n' for fault in faults)


@EACH
def test_the_key_is_what_the_emulator_reports_of_the_original(name: str, fault: str) -> None:
    found = prepared_fault(name, fault)
    assert found.key is not None and found.key.lines
    text = original(LABS[name], found.fault.file).splitlines()
    assert all(0 < line <= len(text) for line in found.key.lines)


@EACH
def test_each_line_of_the_key_names_it_and_no_other_does(name: str, fault: str) -> None:
    key = prepared_fault(name, fault).key
    assert key is not None
    rows = [FaultName(line, word) for line in range(1, 400) for word in ("barrier", "race", "memory")]
    assert [row.line for row in rows if key.fits(row)] == list(key.lines)
    assert len(key.lines) <= 3, "a guess must not be worth much"


@EACH_FILE_OF_ANSWERS
def test_a_wrong_name_costs_the_points_for_naming_only(name: str, file: str) -> None:
    item = LABS[name]
    result = graded(changed(item, file, named(in_file(item, file), 1, "race")))
    for fault in in_file(item, file):
        wrong = parts(result, fault.name)
        assert wrong["named"].earned == 0 and "line 1" in wrong["named"].sentence
        assert all(part.earned == part.possible for word, part in wrong.items() if word != "named")


@EACH_SOURCE
def test_a_fault_that_is_named_and_not_repaired_gets_the_points_for_naming(name: str, file: str) -> None:
    item = LABS[name]
    result = graded(changed(item, file, original(item, file)))
    for fault in in_file(item, file):
        unrepaired = parts(result, fault.name)
        assert unrepaired["named"].earned == fault.named
        assert unrepaired["repaired"].earned == 0 if fault.repaired else True


@EACH_LAB
def test_an_equal_submission_takes_the_run_of_a_faults_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed, used, prepared = solution(LABS[name]), session(), prepared_lab(name)
    first = pipeline.grade_one(handed, prepared, tmp_path / "a", used)
    pipeline.copy_stages(tmp_path / "a", tmp_path / "b", handed.hash, prepared, used)
    monkeypatch.setattr(faults, "_built_and_run", lambda *_: pytest.fail("it was built again"))
    assert pipeline.grade_one(handed, prepared, tmp_path / "b", used).score == first.score


@EACH_FILE_OF_ANSWERS
def test_without_a_file_of_answers_nothing_is_named(name: str, file: str) -> None:
    item = LABS[name]
    result = graded(changed(item, file, None))
    assert all(parts(result, fault.name)["named"].earned == 0 for fault in in_file(item, file))


@EACH
def test_a_missing_file_or_one_that_does_not_compile_is_not_repaired(name: str, fault: str) -> None:
    item, found = LABS[name], prepared_fault(name, fault).fault
    if not found.repaired:
        return
    missing = parts(graded(changed(item, found.file, None)), fault)["repaired"]
    assert missing.earned == 0 and "not among the files" in missing.sentence
    broken = parts(graded(changed(item, found.file, "int main( {")), fault)["repaired"]
    assert broken.earned == 0 and "does not compile" in broken.sentence


@EACH_SOURCE
def test_a_kernel_that_does_nothing_is_not_repaired(name: str, file: str) -> None:
    """Without the loop there is no fault any more, and no sum either."""
    item, text = LABS[name], original(LABS[name], file)
    for fault in in_file(item, file):
        start = text.index("{", text.index(f" {fault.kernel}("))
        text = text[: start + 1] + text[text.index("\n}\n", start) :]
    result = graded(changed(item, file, text))
    assert result.judgement is not None and result.judgement.faults is not None
    judged = {each.name: each for each in result.judgement.faults}
    for fault in in_file(item, file):
        assert not judged[fault.name].repaired and "wrong" in judged[fault.name].sentence


@EACH_FILE_OF_ANSWERS
def test_a_list_of_all_lines_earns_nothing(name: str, file: str) -> None:
    item = LABS[name]
    text = named(in_file(item, file), str(list(range(1, 60))), "barrier")
    result = graded(changed(item, file, text))
    for fault in in_file(item, file):
        part = parts(result, fault.name)["named"]
        assert part.earned == 0 and part.possible == fault.named and "one line" in part.sentence


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


@EACH_FILE_OF_ANSWERS
@pytest.mark.parametrize("forge", [fifo, link, folder, megabyte, binary], ids=lambda forge: forge.__name__)
def test_a_hostile_file_of_answers_costs_its_own_points_only(
    name: str, file: str, forge: Callable[[Path], None], tmp_path: Path
) -> None:
    item = LABS[name]
    handed = tmp_path / "alice" / name
    handed.mkdir(parents=True)
    for source in solution(item).files:
        if source.name != file:
            (handed / source.name).write_text(source.text, encoding="utf-8")
    forge(handed / file)
    entry = SubmissionEntry("alice", "alice", tmp_path / "alice")
    contents = admit.read(entry)
    assert isinstance(contents, Contents), contents
    admitted = admit.admit(entry, contents, item, True)
    assert admitted is not None
    result = graded(admitted)
    assert result.status == "graded" and result.score is not None
    assert result.score.total == 100 - sum(fault.named for fault in in_file(item, file))
    assert all(parts(result, fault.name)["named"].sentence for fault in in_file(item, file))


@EACH_FILE_OF_ANSWERS
def test_check_says_the_same_of_right_and_wrong_names(name: str, file: str) -> None:
    item, said = LABS[name], []
    keys = {each.name: prepared_fault(name, each.name).key for each in item.faults}
    wrong = ""
    for fault in in_file(item, file):
        key = keys[fault.name]
        assert key is not None
        code = (
            line for line, text in enumerate(original(item, fault.file).splitlines(), 1) if "#include" in text
        )
        wrong += named([fault], next(line for line in code if line not in key.lines), key.verdict)
    for handed in (solution(item), changed(item, file, wrong)):
        result = graded(handed, practice=True)
        assert result.score is not None and result.score.total == item.practice_points
        said.append(check_json.data(item, result)["parts"])
        assert not [fault for fault in in_file(item, file) if parts(result, fault.name)["named"].possible]
    assert said[0] == said[1]


@EACH_FILE_OF_ANSWERS
def test_check_says_that_a_line_without_code_is_no_fault(name: str, file: str) -> None:
    """Of such a line nobody learns anything that the file as it was handed out does not say."""
    item = LABS[name]
    for line, words in ((1, "no code in line 1"), (9999, "line 9999 is behind its end")):
        handed = changed(item, file, named(in_file(item, file), line, "race"))
        result = graded(handed, practice=True)
        for fault in in_file(item, file):
            assert words in parts(result, fault.name)["named"].sentence
            assert fault.file in parts(result, fault.name)["named"].sentence


@EACH
def test_check_names_no_line_of_the_original(name: str, fault: str) -> None:
    item, found = LABS[name], prepared_fault(name, fault)
    if not found.fault.repaired:
        return
    assert found.key is not None
    text = original(item, found.fault.file)
    words = parts(graded(changed(item, found.fault.file, text), practice=True), fault)["repaired"].sentence
    assert found.key.verdict in words and not re.search(rf":\d|line|{found.key.lines[0]}\b", words)


@EACH_LAB
def test_pages_and_exports_show_both_parts(name: str) -> None:
    item, result = LABS[name], graded(solution(LABS[name]))
    assert result.score is not None and result.score.total == 100
    wanted = {f"{fault.name}-{word}" for fault in item.faults for word in parts(result, fault.name)}
    for shown in (
        {part.name for part in lab_feedback(item, result, {}).parts},
        {check.name for check in checks.checks(item, result)},
        {part["name"] for part in check_json.data(item, result)["parts"]},
    ):
        assert wanted <= shown
    text = checks.text(list(terminal_check.result_lines(item, result)))
    assert not [fault.name for fault in item.faults if f"{fault.name}-named" not in text]


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
