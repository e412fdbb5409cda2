"""The file of runs that questions ask about, and the changes of the program."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from support.fake_repository import LAB_TOML as FAKE_TOML
from support.fake_repository import make_repository, write
from warpgrade.answers import questions
from warpgrade.cli.main import cli
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import Repository, here
from warpgrade.course import lab, question_file
from warpgrade.records import Lab, LabKind
from warpgrade.staff import recorded_runs

REPOSITORY = here()
PROFILED = [item for item in lab.find(REPOSITORY) if item.profiled]
NAME = "20-runs"
LAB_TOML = """\
title = "Runs"
kind = "answers"
teaches = ["Runs"]
files = ["answers.toml"]
sizes = "your own run"
seed = "a term"

[profiled]
program = "two.cu"
gpu = "h200"
arguments = { kernel = ["a", "b"], n = [1, 2] }

[points]
build = 0
"""
QUESTIONS = """\
[[question]]
name = "threads"
text = "{run.kernel} {run.n}: how many threads?"
answer = "run.threads * run.n"
points = 60
feedback = "Count."

[[question]]
name = "bound"
text = "What bounds it?"
answer = "run.bound"
options = ["L2 cache", "L1 cache"]
points = 40
feedback = "Look."
"""
RUNS = """\
[recorded]
inputs = "x"

[runs]
kernel = ["a", "a", "b", "b"]
n = [1, 2, 1, 2]
threads = [32, 64, 128, 256]
bound = ["L1 cache", "L2 cache", "L2 cache", "L2 cache"]
"only.b" = ["", "", 1, 2]
"""
CHANGE = """\
[[change]]
name = "A"
when = { kernel = "a" }
text = "more"
edit = [{ find = "32", replace = "64" }]
"""


@pytest.fixture
def course(tmp_path: Path) -> Repository:
    repository = make_repository(tmp_path)
    write(repository.labs / NAME / "lab.toml", LAB_TOML)
    write(repository.labs / NAME / "two.cu", "int main() { return 32; }\n")
    write(repository.solution(NAME) / question_file.FILE, QUESTIONS)
    write(repository.solution(NAME) / question_file.RUNS, RUNS)
    return repository


@pytest.mark.parametrize("item", PROFILED, ids=lambda item: item.name)
def test_a_change_has_the_recorded_gain(item: Lab) -> None:
    """Of one change, which the content of the files selects: each takes two seconds to compile."""
    known = recorded_runs.changes(REPOSITORY, item)
    names = sorted({change.name for change in known})
    name = names[int(recorded_runs.inputs(REPOSITORY, item), 16) % len(names)]
    recorded = questions.of_lab(REPOSITORY, item.name).runs
    runs = list(recorded_runs.combinations(recorded_runs.program_of(item)))
    kept = {run["kernel"]: (run, figures) for run, figures in zip(runs, recorded, strict=True)}
    first = [run for run, _ in kept.values()]
    together = [change for change in known if change.name == name]
    found = recorded_runs.measured(REPOSITORY, item, together, first)
    for (run, figures), measured in zip(kept.values(), found, strict=True):
        now, then = measured["milliseconds"], figures[f"{name}.milliseconds"]
        assert isinstance(now, float) and isinstance(then, float)
        assert math.isclose(now, then, rel_tol=1e-5), f"{run}: type: ./warpgrade runs {item.name}"


def test_a_run_has_the_figures_that_it_has(course: Repository) -> None:
    found = questions.of_lab(course, NAME)
    assert [run.get("only.b") for run in found.runs] == [None, None, 1, 2]
    assert {(run["kernel"], run["n"]) for run in (found.run(str(seed)) for seed in range(100))} == {
        ("a", 1), ("a", 2), ("b", 1), ("b", 2),
    }  # fmt: skip
    first, second = found.draw("one")
    run = found.run("one")
    assert first.text == f"{run['kernel']} {run['n']}: how many threads?"
    assert first.answer == run["threads"] * run["n"]  # type: ignore[operator]
    assert second.options[int(second.answer)] == run["bound"]


def test_a_text_that_is_no_option_is_a_mistake(course: Repository) -> None:
    write(course.solution(NAME) / question_file.FILE, QUESTIONS.replace('"L1 cache"]', '"DRAM"]'))
    with pytest.raises(InstructorError, match=r"questions.toml:8: bound: 'run.bound'"):
        questions.of_lab(course, NAME)


def test_a_file_that_was_cut_is_a_mistake(course: Repository) -> None:
    write(course.solution(NAME) / question_file.RUNS, RUNS.replace("128, 256]", "128]"))
    with pytest.raises(InstructorError, match="has figures that some runs lack"):
        questions.of_lab(course, NAME)


def test_stale_runs_are_named(course: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    item = lab.named(course, NAME)
    assert not recorded_runs.is_fresh(course, item)
    text = RUNS.replace('"x"', f'"{recorded_runs.inputs(course, item)}"')
    write(course.solution(NAME) / question_file.RUNS, text)
    assert recorded_runs.is_fresh(course, item)
    gpu = course.root / "grader" / "gpus" / "newer.toml"
    write(gpu, "# the model of time was fitted again")
    assert not recorded_runs.is_fresh(course, item), "the times are the model's"
    gpu.unlink()
    assert recorded_runs.is_fresh(course, item)
    write(course.solution(NAME) / recorded_runs.CHANGES, CHANGE)
    assert not recorded_runs.is_fresh(course, item)
    monkeypatch.setenv("WARPGRADE_ROOT", str(course.root))
    done = CliRunner().invoke(cli, ["runs", NAME, "--check"])
    assert done.exit_code == 3 and "the runs are stale" in done.output


def test_a_change_must_find_its_text_once(course: Repository) -> None:
    item = lab.named(course, NAME)
    file = course.solution(NAME) / recorded_runs.CHANGES
    write(file, CHANGE)
    (change,) = recorded_runs.changes(course, item)
    assert change.concerns({"kernel": "a", "n": "1"}) and not change.concerns({"kernel": "b", "n": "1"})
    write(file, CHANGE.replace('"32"', '"31"'))
    with pytest.raises(InstructorError, match=r"changes.toml:5: change A: '31' occurs 0 times in two.cu"):
        recorded_runs.changes(course, item)


def test_a_lab_without_a_program_has_no_runs() -> None:
    other = next(item for item in lab.find(REPOSITORY) if item.kind is LabKind.ANSWERS and not item.profiled)
    with pytest.raises(UsageError, match="asks about no program"):
        recorded_runs.program_of(other)


def test_mistakes_of_the_table_have_their_line(course: Repository) -> None:
    file = course.labs / NAME / "lab.toml"
    write(file, LAB_TOML.replace("\n[points]", 'examples = [{ kernel = "a" }]\n\n[points]'))
    with pytest.raises(InstructorError, match=r"lab.toml:12: an example has the arguments kernel, n"):
        lab.load(file.parent)
    table = LAB_TOML[LAB_TOML.index("[profiled]") : LAB_TOML.index("[points]")]
    write(file, FAKE_TOML + "\n" + table)
    with pytest.raises(InstructorError, match="only a lab of the kind 'answers' has a table"):
        lab.load(file.parent)
