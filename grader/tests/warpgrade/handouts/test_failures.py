from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.hand_ins.solution_lines import squeeze
from support.sample import sampled
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.handouts import failures
from warpgrade.records import Finding, Lab, LabKind, Place
from warpgrade.solution import markers, planted_bugs

ROOT = Path(__file__).resolve().parents[4]
REPOSITORY = Repository(ROOT)

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


def the(name: str) -> Lab:
    return lab.named(REPOSITORY, name)


def test_a_race_names_its_threads() -> None:
    seen = failures.named(REPOSITORY, the("02-tiled"), "no-second-barrier")
    assert "no barrier between them" in seen.report and "thread (" in seen.report
    assert seen.size == (32, 32, 32) and seen.mutant.verdict == "RACE"


def test_an_out_of_bounds_access_names_its_array() -> None:
    assert (
        "row 1 of B, which has rows 0 to 0" in failures.named(REPOSITORY, the("01-basic"), "no-guard").report
    )


def test_a_wrong_answer_is_drawn_where_the_drawing_says_something() -> None:
    partly = failures.named(REPOSITORY, the("04-register-tiled"), "only-half-of-the-rows-stored").report
    drawn = partly.splitlines()[2:]
    assert any("." in line for line in drawn) and any("?" in line or "#" in line for line in drawn)
    assert max(len(line) for line in drawn) <= 32 and len(partly.splitlines()) <= 18
    entirely = failures.named(REPOSITORY, the("02-tiled"), "row-and-column-swapped-in-the-tiles").report
    assert "##" not in entirely


PROGRAMS = [item for item in lab.find(REPOSITORY) if item.kind is LabKind.PROGRAM]


@pytest.mark.parametrize("item", PROGRAMS, ids=lambda item: item.name)
def test_a_program_s_report_says_what_was_found_or_how_it_ended(item: Lab) -> None:
    bugs = [each for each in planted_bugs.load(REPOSITORY, item.name) if each.case]
    seen = [each for each in bugs if item.case(each.case).visibility != "hidden"][:2]
    for bug in seen:
        report = failures.named(REPOSITORY, item, bug.name).report
        assert report and not re.search(r"\.cu:\d|#define|said:", report), report
    assert seen


def test_no_number_of_a_line_is_said_in_whatever_words() -> None:
    message = "freed at program.cu:5; program.cu:55 again (see program.cu:5)"
    finding = Finding(
        "", "memory", "", "", "error", message, Place(), named=("program.cu:5", "program.cu:55")
    )
    assert failures._without_lines(finding) == "freed at program.cu:…; program.cu:… again (see program.cu:…)"


LABS = [item for item in lab.find(REPOSITORY) if item.kind is not LabKind.ANSWERS]


@pytest.mark.parametrize("item", sampled(LABS, one_in=6), ids=lambda item: item.name)
def test_a_report_holds_no_line_of_the_solution(item: Lab) -> None:
    source = REPOSITORY.solution(item.name) / item.files[0]
    lines = [squeeze(line) for line in markers.solution_lines(source.read_text(), "kernel.cu")]
    for mutant in planted_bugs.load(REPOSITORY, item.name)[:6]:
        if mutant.case and item.case(mutant.case).visibility != "hidden":
            held = squeeze(failures.named(REPOSITORY, item, mutant.name).report)
            assert not [line for line in lines if len(line) > 8 and line in held]


def test_hidden_cases_and_unknown_mutants_are_refused() -> None:
    item = the("01-basic")
    hidden = next(
        mutant for mutant in planted_bugs.load(REPOSITORY, item.name)
        if mutant.case and item.case(mutant.case).visibility == "hidden"
    )  # fmt: skip
    with pytest.raises(ValueError, match="is hidden from students"):
        failures.named(REPOSITORY, item, hidden.name)
    with pytest.raises(ValueError, match="has no mutant 'none'"):
        failures.named(REPOSITORY, item, "none")
    with pytest.raises(ValueError, match="that fails a case"):
        failures.named(REPOSITORY, the("02-tiled"), "tiles-of-4")  # loses a technique only


def test_thinned_maps_show_the_worst_of_neighbours() -> None:
    assert failures._thinned(("..", ".#")) == ("..", ".#")
    tall = ("....",) * 30 + ("...?", "..#?")
    assert failures._thinned(tall) == ("..",) * 15 + (".#",)
    assert failures._thinned(("....",) * 31 + ("...?",)) == ("..",) * 15 + (".?",)


def test_a_place_in_a_shared_array_is_written_as_in_the_program() -> None:
    report = failures.named(REPOSITORY, the("02-tiled"), "no-second-barrier").report
    assert re.search(r"\w+\[\d+\]\[\d+\]", report) and " byte " not in report
