"""The command line: exit codes, files, and messages without stack traces."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.fake_repository import GOOD, LAB, hand_in, write
from warpgrade.cli import main
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.grading import batch
from warpgrade.sandbox import process

Call = Callable[..., Result]


@pytest.fixture
def call(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: str) -> Result:
        result = CliRunner().invoke(main.cli, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    return run


UNBOXED = ("--sandbox", "none", "--device", "emulator")


def test_grade(call: Call, repository: Repository, class_folder: Path) -> None:
    hand_in(class_folder, "alice")
    hand_in(class_folder, "bob", "SYNTAX")
    result = call("grade", str(class_folder), *UNBOXED)
    assert result.exit_code == 0, result.output
    assert "alice" in result.output and "without a sandbox" in result.output
    out = repository.grades
    assert {"index.html", "gradebook.csv", "results.json"} <= {path.name for path in out.iterdir()}
    before = (out / "results.json").read_bytes()
    assert call("report").exit_code == 0
    assert (out / "results.json").read_bytes() == before


def test_grade_as_json(call: Call, class_folder: Path, tmp_path: Path) -> None:
    hand_in(class_folder, "alice")
    result = call(
        "grade", str(class_folder), *UNBOXED, "--json", "--out", str(tmp_path / "out"), "--jobs", "1"
    )
    data = json.loads(result.stdout)
    assert data["students"][0]["results"][0]["score"]["total"] == 100


def test_withheld_has_an_exit_code_of_its_own(call: Call, class_folder: Path) -> None:
    hand_in(class_folder, "alice", "first: crash")
    result = call("grade", str(class_folder), *UNBOXED)
    assert result.exit_code == 4 and "withheld because of an error in the grader" in result.output
    assert "alice 07-fake  first: the process that runs the kernel broke down" in result.output


def test_withheld_says_where_and_what_to_do(call: Call, class_folder: Path, tmp_path: Path) -> None:
    hand_in(class_folder, "alice")
    command = ("grade", str(class_folder), *UNBOXED, "--out", str(tmp_path / "out"))
    assert call(*command).exit_code == 0
    (kept,) = (tmp_path / "out" / "alice").rglob("run.json")
    kept.unlink()
    kept.mkdir()
    result = call(*command)
    printed = "".join(result.output.split())
    assert result.exit_code == 4 and f"{kept}:cannotbewritten" in printed and "removethatfolder" in printed


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("grade", "/nowhere"), 2, "is not there"),
        (("grade", ""), 2, "an empty name"),
        (("check", LAB, ""), 2, "an empty name"),
        (("grade", __file__), 2, "is neither a folder nor an archive"),
        (("grade", ".", "--lab", "99-none"), 2, "there is no lab '99-none'"),
        (("grade", ".", "--gpu", "h900", *UNBOXED), 2, "there is no GPU model"),
        (("grade", "--nonsense"), 2, "No such option"),
        (("grade", "--nonsense"), 2, "It has --"),
        (("reset", "--nonsense"), 2, "Type: cli reset [LAB]"),
        (("hint", "04", "--all"), 2, "Type: cli hint [LAB] [TODO]"),
        (("chek", "1"), 2, "Did you mean check?"),
        (("lab", "chek"), 2, "Did you mean check?"),
        (("check", "99-none"), 2, "there is no lab"),
        (("check", "fkae"), 2, f"did you mean {LAB}?"),
        (("check", LAB, "/nowhere.cu", *UNBOXED), 2, "is not there"),
        (("check", "/nowhere.cu"), 2, "/nowhere.cu: is not there"),
        (("grade", ".", "--roster", "/nowhere.csv", *UNBOXED), 2, "name the list of the class"),
        (("grade", ".", "--times", "/nowhere.csv", *UNBOXED), 2, "name the list of times"),
        (("plan", "--students", "3", "--nodes", "2", "--costs", "/nowhere.toml"), 2, "costs.toml is an"),
        (("model", "/", "--counters", "/nowhere.json"), 2, "is a folder"),
        (("run", "/"), 2, "is a folder"),
        (("run", "/bin/true"), 2, "is no .cu file"),
    ],
)
def test_bad_usage(call: Call, words: tuple[str, ...], code: int, message: str) -> None:
    result = call(*words)
    assert result.exit_code == code, result.output
    assert message in result.output


def test_a_report_on_no_grades_leaves_no_folder(call: Call, tmp_path: Path) -> None:
    result = call("report", "--out", str(tmp_path / "none"))
    assert result.exit_code == 2 and "no saved grades" in result.output
    assert not (tmp_path / "none").exists()


def test_a_mistake_of_the_instructor(call: Call, repository: Repository, class_folder: Path) -> None:
    hand_in(class_folder, "alice")
    file = repository.labs / LAB / "lab.toml"
    file.write_text(file.read_text().replace("build = 10", "build = 11"))
    result = call("grade", str(class_folder), *UNBOXED)
    assert result.exit_code == 3 and "lab.toml:25" in result.output


def test_check(call: Call, repository: Repository, tmp_path: Path) -> None:
    assert call("check", LAB, *UNBOXED).exit_code == 0
    wrong = write(tmp_path / "mine.cu", "// second: wrong\n" + GOOD)
    result = call("check", LAB, str(wrong), *UNBOXED)
    assert result.exit_code == 1 and "≠ second" in result.output
    assert call("check", LAB, str(write(tmp_path / "bad.cu", "SYNTAX")), *UNBOXED).exit_code == 1
    assert not repository.grades.exists(), "checking leaves no grades"


def test_list_and_doctor(call: Call) -> None:
    listed = call("list")
    assert listed.exit_code == 0 and "not checked yet" in listed.output
    assert "3 cases (1 hidden)" in call("list", "--points").output
    assert "CUDA compiler" in call("doctor").output


def test_stale_skeletons(call: Call, repository: Repository) -> None:
    assert call("skeletons").exit_code == 0
    assert call("skeletons", "--check").exit_code == 0
    (repository.labs / LAB / "kernel.cu").write_text("stale")
    result = call("skeletons", "--check")
    assert result.exit_code == 3 and "stale" in result.output
    assert "kernel.cu.2" in call("skeletons").output  # beside the copy of the first call


def test_ctrl_c(call: Call, class_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    hand_in(class_folder, "alice")
    monkeypatch.setattr(batch, "grade_class", stopped)
    result = call("grade", str(class_folder), *UNBOXED)
    assert result.exit_code == 130 and "continues where it was" in result.output


def test_exit_codes_are_in_the_help(call: Call) -> None:
    for words in (("--help",), ("grade", "--help"), ("check", "--help")):
        text = call(*words).output
        assert all(f"\n  {code}  " in text for code in (0, 1, 2, 3, 4, 5, 130))


@pytest.mark.parametrize("group", [(), ("export",)], ids=["all", "export"])
def test_the_help_fits_a_terminal_and_no_summary_is_cut(
    call: Call, monkeypatch: pytest.MonkeyPatch, group: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = call(*group, "--help").output.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines[1:] if line.endswith("...")]


def test_version(call: Call, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("--version").output == "warpgrade 1.0, CUDA 13.0.88\n", (
        "no commit where there is no repository"
    )
    (repository.root / ".git").mkdir()
    for tools in ("", str(repository.root / "nothing")):
        monkeypatch.setattr(process, "_PATH", tools or process._PATH)
        assert "commit" not in call("--version").output, "no repository, no git"
    (repository.toolkit / "bin" / "nvcc").unlink()
    assert "no CUDA compiler" in call("--version").output


def test_what_cannot_be_written_is_no_stack_trace(call: Call, repository: Repository, tmp_path: Path) -> None:
    write(repository.labs / LAB / "kernel.cu", "// mine\n" + GOOD)
    out = str(write(tmp_path / "file", "") / "labs.zip")
    result = call("pack", "--out", out)
    assert result.exit_code == 4 and "cannot be written" in result.output
    inside = tmp_path / "new" / "labs.zip"
    assert call("pack", "--out", str(inside)).exit_code == 0 and inside.is_file()


def test_an_unexpected_error_of_the_disk_is_reported(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/some/file")

    monkeypatch.setattr(lab, "find", full)
    result = call("list")
    assert result.exit_code == 4 and "/some/file: cannot be used: No space left" in result.output


def test_labs_have_short_names_everywhere(call: Call, repository: Repository, class_folder: Path) -> None:
    hand_in(class_folder, "alice")
    assert call("grade", str(class_folder), "--lab", "7", *UNBOXED).exit_code == 0
    for word in ("07", "fake", f"labs/{LAB}/", "ak"):
        assert call("hint", word).exit_code == 0
    grade = ("grade", str(class_folder), "--lab")
    others = (
        ("reset",),
        ("mutants", "--auto"),
        ("spread",),
        ("calibrate", "--lab"),
    )
    for words in (grade, *others):
        shown = call(*words, "kernel.cu").output
        assert "there is no lab 'kernel.cu'" in shown and "as in LAB kernel.cu" in shown, words
    for word in ("check", "profile", "watch"):  # which take a file alone
        assert "kernel.cu: is not there" in call(word, "kernel.cu").output, word


def test_a_bug_ends_with_a_message_and_a_log(
    call: Call, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no such number")

    monkeypatch.setattr(lab, "find", broken)
    result = call("list")
    assert result.exit_code == 4 and "a bug in Warpgrade" in result.output
    (log,) = (repository.root / "build" / "logs").iterdir()
    assert str(log) in result.output
    text = log.read_text()
    assert "ValueError: no such number" in text and "in broken" in text and "warpgrade 1.0, Python" in text


def test_a_bug_without_a_place_for_the_log(
    call: Call, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no such number")

    monkeypatch.setattr(lab, "find", broken)
    monkeypatch.setattr(tempfile, "tempdir", str(write(tmp_path / "file", "")))
    monkeypatch.setenv("WARPGRADE_OUTPUT", str(tmp_path / "file"))
    result = call("list")
    assert result.exit_code == 4 and "(ValueError: no such number)" in result.output
