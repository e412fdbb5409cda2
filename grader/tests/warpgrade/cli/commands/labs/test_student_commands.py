"""A student's first hour at the command line, on imitated tools."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.documents import sarif_schema
from support.fake_repository import GOOD, LAB, LAB_TOML, write
from warpgrade.cli import console, main
from warpgrade.core.paths import Repository
from warpgrade.export import classrooms
from warpgrade.student import progress

Call = Callable[..., Result]
UNBOXED = ("--sandbox", "none", "--device", "emulator")


@pytest.fixture
def call(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))
    monkeypatch.setenv("COLUMNS", "80")
    kinds = Path(__file__).resolve().parents[5] / "emulator" / "machine" / "finding_kinds.def"
    write(repository.root / "grader" / "emulator" / "machine" / "finding_kinds.def", kinds.read_text())

    def run(*words: str) -> Result:
        result = CliRunner().invoke(main.cli, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "\x1b" not in result.output, "off a terminal nothing is coloured"
        return result

    return run


def own(repository: Repository, *lines: str) -> Path:
    return write(repository.labs / LAB / "kernel.cu", "".join(f"// {line}\n" for line in lines) + GOOD)


# --- check -------------------------------------------------------------------------------------


def test_a_right_kernel(call: Call) -> None:
    result = call("check", LAB, *UNBOXED)
    lines = result.output.splitlines()
    assert result.exit_code == 0 and "100 of 100 points" in result.output
    assert lines[0].startswith(LAB) and lines[-1].strip().endswith("pack")


def test_a_case_is_reported_once(call: Call, repository: Repository) -> None:
    own(repository, "first: race", "second: wrong")
    lines = call("check", LAB, *UNBOXED).output.splitlines()
    for name in ("build", "first", "second", "1 hidden case", "reuse", "performance"):
        assert sum(line[2:].startswith(f"{name} ") for line in lines) == 1, name
    assert not any(" third " in line for line in lines)


def test_the_next_command_can_be_typed(call: Call, repository: Repository) -> None:
    own(repository, "first: race")
    last = call("check", LAB, *UNBOXED).output.splitlines()[-1].split()
    assert last[-4:] == ["play", LAB, "--finding", "1"]
    assert call(*last[1:], "--help").exit_code == 0


def test_check_as_json(call: Call, repository: Repository) -> None:
    own(repository, "first: wrong")
    result = call("check", LAB, *UNBOXED, "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 1 and data["points"] < 100
    assert [case["verdict"] for case in data["cases"]] == ["WRONG_ANSWER", "PASS"]
    assert data["cases"][1]["size"] is None, "of a case known by name only its verdict is shown"
    assert "third" not in result.stdout and data["hidden"]["count"] == 1


def test_check_as_sarif_and_as_lines(call: Call, repository: Repository, tmp_path: Path) -> None:
    own(repository, "first: race", "second: wrong")
    result = call("check", LAB, *UNBOXED, "--lines", "--sarif", str(tmp_path / "out.sarif"))
    log = json.loads((tmp_path / "out.sarif").read_text())
    sarif_schema.validate(log)
    found = log["runs"][0]["results"]
    assert [row["ruleId"] for row in found] == ["WG112"]
    assert f"\nlabs/{LAB}/kernel.cu:1:" in result.output and result.exit_code == 1


def test_a_kernel_that_does_not_compile(call: Call, repository: Repository) -> None:
    own(repository, "SYNTAX")
    result = call("check", LAB, *UNBOXED)
    assert result.exit_code == 1
    assert "✗ build" in result.output and "check 07-fake" in result.output.splitlines()[-1]


def test_a_lab_is_known_by_its_beginning_or_by_the_folder(
    call: Call, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("hint", LAB[:2]).exit_code == 0
    monkeypatch.chdir(repository.labs / LAB)
    assert call("hint").exit_code == 0
    monkeypatch.chdir(repository.root)
    refused = call("hint")
    assert refused.exit_code == 2 and f"which lab? They are: {LAB}" in refused.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_calls_the_program_by_its_whole_path(
    call: Call, repository: Repository, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    path = str(repository.root / "warpgrade")
    assert path in call("completion", shell).output
    script = call("completion", shell, "--script").output
    assert (
        " warpgrade)" not in script
        and "commands[warpgrade]" not in script
        and (shell == "bash" or f" {path})" in script)
    )


def test_a_case_has_one_verdict_also_where_the_card_refuses_the_block(
    call: Call, repository: Repository
) -> None:
    g80 = Path(__file__).resolve().parents[5] / "gpus" / "g80.toml"
    write(repository.gpus / "g80.toml", g80.read_text())
    own(repository, "MANY_REGISTERS")
    result = call("check", LAB, *UNBOXED, "--gpu", "g80")
    firsts = [line for line in result.output.splitlines() if line[2:].startswith("first ")]
    assert len(firsts) == 1 and "resources" in firsts[0]
    assert result.output.count("needs 32,768 registers") == 1


def test_places_are_printed_as_they_would_be_typed(
    call: Call, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    write(repository.root / "try" / "mine 2.cu", "// first: race\n" + GOOD)
    shown = call("check", LAB, "try/mine 2.cu", *UNBOXED).output
    assert "─ try/mine 2.cu:1" in shown and "kernel.cu" not in shown
    own(repository, "first: race")
    assert f"─ labs/{LAB}/kernel.cu:1" in call("check", LAB, *UNBOXED).output


def test_the_next_command_names_the_file_that_was_given(call: Call, repository: Repository) -> None:
    mine = write(repository.root / "mine 2.cu", "// first: race\n" + GOOD)
    assert call("profile", LAB, str(mine), *UNBOXED).output.splitlines()[-1].endswith(f"check {LAB} '{mine}'")
    write(mine, "SYNTAX")
    assert f"check {LAB} '{mine}'" in call("profile", LAB, str(mine), *UNBOXED).output


# --- watch -------------------------------------------------------------------------------------


def test_watch_checks_again_at_each_save(call: Call, repository: Repository) -> None:
    own(repository, "first: wrong")

    def save() -> None:
        time.sleep(1.2)
        own(repository)

    editor = threading.Thread(target=save)
    editor.start()
    result = call("watch", LAB, *UNBOXED, "--times", "2")
    editor.join()
    assert result.exit_code == 0
    assert result.output.count("points  ") == 2 and "waiting for the next save" in result.output


@pytest.mark.parametrize(("is_there", "state"), [(True, "is empty"), (False, "is gone")])
def test_watch_says_that_the_file_has_no_text(
    is_there: bool, state: str, call: Call, repository: Repository
) -> None:
    file = own(repository)

    def save() -> None:
        time.sleep(1.2)
        if is_there:
            file.write_text("")
        else:
            file.unlink()
        time.sleep(2.4)
        own(repository, "again")

    editor = threading.Thread(target=save)
    editor.start()
    result = call("watch", LAB, *UNBOXED, "--times", "2")
    editor.join()
    assert result.exit_code == 0 and result.output.count(f"kernel.cu {state}") == 1


def test_ctrl_c_just_ends_it(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", stopped)
    result = call("watch", LAB, *UNBOXED)
    assert result.exit_code == 130 and result.output.splitlines()[-1] == "stopped"


# --- list --------------------------------------------------------------------------------------


def test_list_shows_how_far_one_is(call: Call, repository: Repository) -> None:
    assert "not checked yet" in call("list").output
    own(repository, "first: wrong")
    call("check", LAB, *UNBOXED)
    assert "2/3 cases" in call("list").output
    other = write(repository.root / "other.cu", GOOD)
    call("check", LAB, str(other), *UNBOXED)
    assert "2/3 cases" in call("list").output, "only one's own file counts"
    own(repository)
    call("check", LAB, *UNBOXED)
    listed = call("list").output.splitlines()
    assert listed[-1].endswith("pack"), "behind the path of the checkout, which may be long"
    assert max(map(len, listed[:-1])) <= 80 and "…" not in listed[0]
    data = json.loads(call("list", "--json").stdout)["labs"][0]
    assert (data["points"], data["passed"], data["cases"]) == (100, 3, 3)


def test_a_lab_that_was_reset_is_not_checked(call: Call, repository: Repository) -> None:
    own(repository, "first: wrong")
    call("check", LAB, *UNBOXED)
    call("hint", LAB)
    assert "your version is" in call("reset", LAB).output
    assert "not checked yet" in call("list").output
    assert (progress.read(repository, LAB).hints, progress.read(repository, LAB).best > 0) == (1, True)


# --- hint --------------------------------------------------------------------------------------


@pytest.fixture
def three_hints(repository: Repository) -> None:
    more = "".join(f'[[hint]]\ntodo = {n}\ntext = "Hint number {n}."\n' for n in (2, 3))
    write(repository.labs / LAB / "lab.toml", LAB_TOML + more)


@pytest.mark.usefixtures("three_hints")
def test_one_hint_more_each_time(call: Call, repository: Repository) -> None:
    own(repository, "TODO(2): something")
    first, second, third = (call("hint", LAB).output for _ in range(3))
    assert "Think." in first and "2 more" in first
    assert "Hint number 2." in second and "kernel.cu:1" in second
    assert "Hint number 3." in third and "last one" in third
    assert "Think." in call("hint", LAB).output, "from the first again"
    assert "Hint number 3." in call("hint", LAB, "3").output
    assert progress.read(repository, LAB).hints == 1, "asking for one by number moves nothing"


def test_a_hint_that_is_not_there(call: Call) -> None:
    result = call("hint", LAB, "9")
    assert result.exit_code == 2 and "there are hints for 1" in result.output


# --- explain and profile -----------------------------------------------------------------------


def test_explain(call: Call) -> None:
    text = call("explain", "WG112").output
    assert "✗ wrong" in text and "✓ right" in text and "__syncthreads();" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "WG101" in call("explain").output
    codes = re.findall(r"^WG\d+", call("explain").output, re.MULTILINE)
    assert codes == sorted(codes)
    assert call("explain", "WG999").exit_code == 2


def test_profile_writes_a_page(call: Call, repository: Repository) -> None:
    result = call("profile", LAB, *UNBOXED)
    page = repository.root / "build" / "profile" / f"{LAB}.html"
    assert result.exit_code == 0 and f"wrote {console.near(page)}" in result.output.replace("\n", "")
    assert "times as fast as the reference" in result.output
    assert "A lab for tests" in page.read_text()
    own(repository, "SYNTAX")
    assert call("profile", LAB, *UNBOXED).exit_code == 2


# --- export ------------------------------------------------------------------------------------


def test_export_of_a_folder_as_gradescope_hands_it_over(
    call: Call, repository: Repository, tmp_path: Path
) -> None:
    write(tmp_path / "in" / "some_name.cu", GOOD)
    out = tmp_path / "results.json"
    result = call("export", "gradescope", LAB, str(tmp_path / "in"), "--sandbox", "none", "--out", str(out))
    assert result.exit_code == 0, result.output
    assert json.loads(out.read_text())["score"] == 100
    empty = tmp_path / "empty"
    empty.mkdir()
    call("export", "gradescope", LAB, str(empty), "--sandbox", "none", "--out", str(out))
    data = json.loads(out.read_text())
    assert data["score"] == 0 and "kernel.cu" in data["output"]


@pytest.mark.parametrize("service", classrooms.names())
def test_a_push_is_graded_for_each_service(
    call: Call, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "SUBMITTED_AT"):
        monkeypatch.setenv(name, "x")
    write(tmp_path / "in" / "kernel.cu", "// first: wrong\n" + GOOD)
    out = tmp_path / "result"
    for _ in range(2):
        result = call("classroom", service, LAB, str(tmp_path / "in"), "--sandbox", "none", "--out", str(out))
        assert result.exit_code == 0, result.output
    assert out.read_text()


def test_export_of_a_saved_result(call: Call, repository: Repository, class_folder: Path) -> None:
    from support.fake_repository import hand_in

    hand_in(class_folder, "alice", "first: wrong")
    assert call("grade", str(class_folder), *UNBOXED).exit_code == 0
    line = call("export", "autolab", LAB, "--student", "alice").output
    assert json.loads(line)["scores"]["build"] == 10
    assert call("export", "junit", LAB, "--student", "nobody").exit_code == 2
    sheet = write(repository.root / "sheet.csv", f"Student,ID,Section,{LAB} (7)\nalice,1,A,\n")
    result = call("export", "canvas", str(sheet), LAB)
    assert result.exit_code == 0 and "1 of 1 students" in result.output
    assert (repository.root / "sheet-filled.csv").read_text().splitlines()[1].split(",")[3] not in ("", "0")
    assert call("export", "moodle", str(repository.root / "none.csv"), LAB).exit_code == 2


def test_one_lab_is_packed_alone(
    call: Call, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(repository, "first: wrong")
    monkeypatch.chdir(tmp_path)
    assert f"wrote {LAB}.zip: {LAB}" in call("pack", "7").output
    assert (tmp_path / f"{LAB}.zip").is_file()


# --- run ---------------------------------------------------------------------------------------


def test_an_option_behind_the_file_is_the_program_s_and_is_named(call: Call, tmp_path: Path) -> None:
    program = str(write(tmp_path / "mine.cu", "int main() {}"))
    assert "note: --gpu behind mine.cu" in call("run", program, "--gpu", "--gpu", "10").output
    assert "note:" not in call("run", program, "10", "--fast").output
