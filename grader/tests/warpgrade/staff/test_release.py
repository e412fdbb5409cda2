"""The students' archive: made, searched, unpacked in an empty place, and a lab run there."""

from __future__ import annotations

import ast
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from support import drawn_sizes
from support.fake_repository import LAB, LAB_TOML
from support.hand_ins.solution_lines import secrets, squeeze
from support.sample import sampled
from warpgrade.answers import questions, stages
from warpgrade.cli.main import student_modules
from warpgrade.core.errors import GraderError, InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab, question_file
from warpgrade.export import classrooms
from warpgrade.records import LabKind
from warpgrade.run.timed_launch import size_name
from warpgrade.solution import planted_bugs
from warpgrade.staff import release

ROOT = Path(__file__).resolve().parents[4]
REPOSITORY = Repository(ROOT)
LABS = lab.find(REPOSITORY)
QUESTIONS = [item for item in LABS if item.kind is LabKind.ANSWERS]
RUN = [item for item in LABS if item not in QUESTIONS]
TIMED = [item for item in RUN if item.performance.drawn]
SALT = "a course's own secret"
MARKER = re.compile(r"^\s*(//[<>][ \t]*[a-z][a-z0-9-]*|/\*>[ \t]*stub|<\*/)\s*$", re.MULTILINE)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools"),
]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a course with a secret, unpacked; the toolkit is lent, as setup would find it."""
    folder = tmp_path_factory.mktemp("release")
    with pytest.MonkeyPatch.context() as course_secret:
        course_secret.setenv("WARPGRADE_SALT", SALT)
        made = release.make(REPOSITORY, folder / "out", student_modules())
    empty = folder / "empty"
    with tarfile.open(made) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        archive.extractall(empty)
    assert [path.name for path in empty.iterdir()] == [release.FOLDER]
    course = empty / release.FOLDER
    (course / ".deps").mkdir()
    for name in ("cuda", "debian"):
        if (ROOT / ".deps" / name).exists():
            (course / ".deps" / name).symlink_to((ROOT / ".deps" / name).resolve())
    return course


def files(course: Path) -> list[Path]:
    return [path for path in course.rglob("*") if path.is_file() and ".deps" not in path.parts]


def texts(course: Path) -> dict[str, str]:
    """Every file as text, also programs: a solution would show in their strings."""
    return {str(path.relative_to(course)): path.read_bytes().decode("latin-1") for path in files(course)}


def typed(course: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A warpgrade command in the unpacked course, with its own grader."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WARPGRADE_")}
    environment |= {"PYTHONPATH": str(course / "grader"), "COLUMNS": "100"}
    command = [sys.executable, "-m", "warpgrade", *words]
    return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, timeout=300)


def test_it_holds_what_students_need(unpacked: Path) -> None:
    names = texts(unpacked)
    for item in RUN:
        given = (item.files[0], f"original/{item.files[0]}")
        for file in (*given, "lab.toml", "harness.cpp", "reference.json"):
            assert f"labs/{item.name}/{file}" in names
        assert f"handouts/{item.name}.html" in names and f"build/harness/{item.name}" in names
    for item in QUESTIONS:
        for file in ("answers.toml", "original/answers.toml", "lab.toml", question_file.SEALED):
            assert f"labs/{item.name}/{file}" in names
        assert f"handouts/{item.name}.html" in names
    assert {"Makefile", "README.md", "handouts/index.html", "build/emulator/libcudart.so.13"} <= names.keys()
    assert {".devcontainer/devcontainer.json", "Containerfile", ".gitignore"} <= names.keys()
    assert names["Containerfile"].count("FROM ") == 1
    assert (unpacked / "build" / "harness" / LABS[0].name).stat().st_mode & 0o100
    assert not [name for name in names if name.startswith("grader/emulator/tests/")]  # they need a GPU


def test_headers_beside_a_harness_are_in_it(unpacked: Path) -> None:
    names = texts(unpacked)
    headers = [
        path.relative_to(ROOT).as_posix()
        for item in RUN
        for path in (ROOT / "labs" / item.name).glob("*.hpp")
    ]
    assert headers and set(headers) <= names.keys()


def test_no_solution_reaches_it(unpacked: Path) -> None:
    assert len(secrets()) >= 15
    for name, text in texts(unpacked).items():
        if not name.startswith("build/"):
            held = "".join(text.split())
            assert [line for squeezed, line in secrets().items() if squeezed in held] == [], name


def test_no_mutant_marker_hidden_case_or_salt_reaches_it(unpacked: Path) -> None:
    names = texts(unpacked)
    assert not [name for name in names if "mutants" in name or "solutions" in name or ".salt" in name]
    reasons = [squeeze(mutant.reason) for item in LABS for mutant in planted_bugs.load(REPOSITORY, item.name)]
    hidden = {item.name: [c.name for c in item.cases if c.visibility == "hidden"] for item in RUN}
    assert len(reasons) > 40 and all(hidden.values())
    for name, text in names.items():
        held = "".join(text.split())
        assert not [reason for reason in reasons if reason in held and not name.startswith("handouts/")], name
        assert name.startswith("build/") or MARKER.search(text) is None, name
        for item, cases in hidden.items():
            if f"/{item}" in name:
                assert not [case for case in cases if case in text], name


def test_every_module_that_the_command_line_needs_is_there(unpacked: Path) -> None:
    package = unpacked / "grader" / "warpgrade"
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level and node.module:
                module = file.parents[node.level - 1].joinpath(*node.module.split("."))
                assert module.is_dir() or module.with_suffix(".py").is_file(), f"{file}: {node.module}"


def test_no_module_of_staff_reaches_it(unpacked: Path) -> None:
    package = unpacked / "grader" / "warpgrade"
    assert not {"staff", "handouts"} & {path.name for path in package.iterdir()}
    commands = {
        path.relative_to(package / "cli" / "commands").as_posix() for path in package.glob("cli/commands/*/*")
    }
    assert {"labs/check.py", "labs/pack.py", "labs/model.py"} < commands
    assert all(name.startswith("labs/") for name in commands)


def test_a_right_kernel_gets_all_points_there(unpacked: Path) -> None:
    kernel = unpacked / "labs" / "02-tiled" / "kernel.cu"
    skeleton = kernel.read_text()
    try:
        shutil.copyfile(ROOT / "solutions" / "02-tiled" / "kernel.cu", kernel)
        done = typed(unpacked, "check", "02-tiled", "--device", "emulator")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "83" in done.stdout and "224x64x96-zero-mean" not in done.stdout
    finally:
        kernel.write_text(skeleton)


@pytest.mark.parametrize("item", sampled(TIMED, one_in=4), ids=lambda item: item.name)
def test_a_right_kernel_is_timed_there_although_the_course_has_a_secret(
    unpacked: Path, item: lab.Lab
) -> None:
    kernel = ROOT / "solutions" / item.name / item.files[0]
    done = typed(unpacked, "check", item.name, str(kernel), "--device", "emulator", "--json")
    (part,) = (each for each in json.loads(done.stdout)["parts"] if each["kind"] == "performance")
    assert part["earned"] == part["possible"], part


def test_counters_of_solutions_there_are_of_the_sizes_that_a_students_check_uses(unpacked: Path) -> None:
    for item in TIMED:
        text = (unpacked / "labs" / item.name / "reference.json").read_text()
        for size in item.performance.sizes:
            assert f'"time/{size_name(size)}/reference"' in text, item.name


def test_no_size_that_the_course_has_drawn_reaches_it(unpacked: Path) -> None:
    patterns = {item.name: drawn_sizes.pattern(item, SALT) for item in TIMED}
    for name, text in texts(unpacked).items():
        numbers = drawn_sizes.numbers(text)
        assert not {item for item, sizes in patterns.items() if sizes.search(numbers)}, name


@pytest.mark.parametrize("name", sampled([item.name for item in RUN], one_in=4))
def test_a_skeleton_is_judged_there(unpacked: Path, name: str) -> None:
    done = typed(unpacked, "check", name, "--device", "emulator", "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["status"] == "graded"
    assert result["points"] < lab.load(unpacked / "labs" / name).practice_points


@pytest.mark.parametrize("item", QUESTIONS, ids=lambda item: item.name)
def test_answers_are_marked_there_and_their_formulas_not_readable(unpacked: Path, item: lab.Lab) -> None:
    document = question_file.load(Path(item.folder))
    formulas = [row["answer"] for row in document.data["question"]]
    for name, text in texts(unpacked).items():
        held = name.startswith("labs/") and [each for each in formulas if f'answer = "{each}"' in text]
        assert not held, name
    sheet = unpacked / "sheet.toml"
    written = typed(unpacked, "sheet", item.name, "alice", sheet.name)
    assert written.returncode == 0 and f"check {item.name} {sheet.name}`" in written.stdout
    assert sheet.read_text() == stages.sheet(REPOSITORY, item, "alice")
    assert typed(unpacked, "check", item.name, sheet.name).returncode == 1
    sheet.write_text(stages.key_sheet(REPOSITORY, item, "alice"))
    done = typed(unpacked, "check", item.name, sheet.name)
    assert done.returncode == 0 and "100 of 100" in done.stdout, done.stdout + done.stderr
    sheet.unlink()


@pytest.mark.parametrize("item", [item for item in QUESTIONS if item.profiled], ids=lambda item: item.name)
def test_the_run_that_a_sheet_is_about_is_profiled_there(unpacked: Path, item: lab.Lab) -> None:
    sheet = unpacked / "labs" / item.name / item.files[0]
    blank = sheet.read_text()
    done = typed(unpacked, "profile", item.name)
    assert done.returncode == 2 and f"sheet {item.name}" in done.stderr, done.stdout + done.stderr
    assert typed(unpacked, "sheet", item.name, "alice").returncode == 0
    done = typed(unpacked, "profile", item.name, "--json")
    run = stages.drawn_run(questions.of_lab(REPOSITORY, item.name), item, "alice")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert math.isclose(found["milliseconds"], float(run["milliseconds"]), rel_tol=1e-5)
    sheet.write_text(blank)


def test_each_command_that_is_offered_there_starts(unpacked: Path) -> None:
    """No module that a command imports was left out."""
    program = unpacked / "program.cu"
    program.write_text("__global__ void nothing() {} int main() { nothing<<<1, 32>>>(); }")
    done = typed(unpacked, "model", program.name)
    program.unlink()
    assert done.returncode == 0 and "nothing" in done.stdout, done.stdout + done.stderr
    for name in ("explain", "hint", "doctor", "play"):
        done = typed(unpacked, name, *(["02"] if name in ("hint", "play") else []))
        assert "a bug in Warpgrade" not in done.stderr, done.stderr


def test_each_classroom_service_is_known_there(unpacked: Path) -> None:
    """Templates grade with the archive, by modules that nothing but their names leads to."""
    said = typed(unpacked, "classroom", "--help").stdout
    assert classrooms.names() and all(name in said for name in classrooms.names())


def test_the_labs_are_listed_there(unpacked: Path) -> None:
    done = typed(unpacked, "list")
    assert done.returncode == 0 and all(item.name in done.stdout for item in LABS)


def test_only_students_commands_are_offered_there(unpacked: Path) -> None:
    offered = typed(unpacked, "--help").stdout
    assert "check" in offered and "Course staff" not in offered and "handouts" not in offered
    assert (unpacked / "warpgrade").stat().st_mode & 0o100


def test_it_lies_by_itself(unpacked: Path) -> None:
    """No file of the archive names this checkout."""
    # In a container that may be /warpgrade, which ./warpgrade and ${workspaceFolder}/warpgrade do not name.
    checkout = re.compile(r"(?<![\w.}])" + re.escape(str(ROOT)) + r"\b")
    for name, text in texts(unpacked).items():
        assert not checkout.search(text) or name.startswith("build/"), name


@pytest.mark.parametrize("item", RUN, ids=lambda item: item.name)
def test_hidden_cases_are_cut_and_their_points_kept(item: lab.Lab, tmp_path: Path) -> None:
    text = (ROOT / "labs" / item.name / "lab.toml").read_text()
    folder = tmp_path / item.name
    folder.mkdir()
    (folder / "lab.toml").write_text(release.without_hidden(text, item))
    cut = lab.load(folder)
    hidden = [case for case in item.cases if case.visibility == "hidden"]
    assert cut.cases == tuple(case for case in item.cases if case not in hidden)
    assert cut.elsewhere_points == sum(case.points for case in hidden) > 0
    assert (cut.techniques, cut.hints, cut.performance) == (item.techniques, item.hints, item.performance)


def test_a_case_is_cut_by_what_it_is_and_the_rest_stays_as_written(tmp_path: Path) -> None:
    """Spaces, quotes and the order of keys are the author's; a comment above a hidden case goes with it."""
    folder = tmp_path / LAB
    folder.mkdir()
    hidden = LAB_TOML[LAB_TOML.index('[[case]]\nname = "third"') : LAB_TOML.index("[[technique]]")]
    oddly = "# rows that nobody expects\n" + hidden.replace(
        'name = "third"', "'name'   =   'third' # the last"
    )
    others = LAB_TOML.replace("build = 10", "build  =  1_0 # for compiling").replace(
        '[[case]]\nname = "second"', "# how the second is made\n[[case]] # more\n'name'='second'"
    )
    text = others.replace(hidden, oddly)
    (folder / "lab.toml").write_text(text)
    cut = release.without_hidden(text, lab.load(folder))
    written = "1_0 # for compiling\nelsewhere = 20 # for cases that your instructor has"
    assert cut == others.replace(hidden, "").replace("1_0 # for compiling", written)
    (folder / "lab.toml").write_text(cut)
    assert [case.name for case in lab.load(folder).cases] == ["first", "second"]


def test_a_technique_on_a_hidden_case_is_refused() -> None:
    item = next(each for each in LABS if each.techniques)
    name = item.techniques[0].case
    text = (ROOT / "labs" / item.name / "lab.toml").read_text()
    cases = tuple(
        replace(case, visibility=lab.Visibility.HIDDEN) if case.name == name else case for case in item.cases
    )
    with pytest.raises(InstructorError, match="is measured on the hidden case"):
        release.without_hidden(text, replace(item, cases=cases))


def test_an_emulator_for_this_machine_alone_is_not_packed(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.emu.parent.mkdir(parents=True)
    repository.emu.write_text(
        '#!/bin/sh\n[ "$WARPGRADE_LANES" != v1 ] || { echo "emu: not built" >&2; exit 1; }\n'
    )
    repository.emu.chmod(0o755)
    with pytest.raises(GraderError, match="students have others") as caught:
        list(release._tools(repository, ()))
    assert "LEVELS=all" in caught.value.remedy
