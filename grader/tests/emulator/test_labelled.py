"""Small kernels in labelled/, right and faulty ones. The emulator's findings must match the labels.

The first line of each says how it is launched (`//: grid 4 block 64`). A faulty one marks the line of its
fault with the codes that are to be found there (`//! WG114`); nothing else may be found.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from support.programs.labelled import REPOSITORY, Outcome, compile_all, marks, run_all
from warpgrade.student import explain
from warpgrade.tables import finding_kinds

FOLDER = Path(__file__).parents[1] / "fixtures" / "labelled"
FILES = sorted(FOLDER.glob("*/*.cu"))
SIDES = {side: [file for file in FILES if file.parent.name == side] for side in ("right", "faulty")}
pytestmark = pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, dict[str, Outcome]]]:
    """Worker threads → side → name → outcome."""
    folder = tmp_path_factory.mktemp("labelled")
    built = {side: compile_all(files, folder) for side, files in SIDES.items()}
    return {
        threads: {side: run_all(files, *built[side], threads) for side, files in SIDES.items()}
        for threads in (1, 3)
    }


@pytest.fixture(scope="module")
def unoptimised(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Outcome]]:
    """Outcomes by side and name for builds with nvcc -G, where functions are called and addresses generic."""
    folder = tmp_path_factory.mktemp("unoptimised")
    return {side: run_all(files, *compile_all(files, folder, "-G"), 1) for side, files in SIDES.items()}


Outcomes = dict[int, dict[str, dict[str, Outcome]]]


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.parent.name == "right"], ids=lambda f: f.stem
)
def test_nothing_is_found_in_a_right_kernel(file: Path, outcomes: Outcomes) -> None:
    for threads, sides in outcomes.items():
        outcome = sides["right"][file.stem]
        assert (threads, outcome.error, outcome.findings) == (threads, "cudaSuccess", ())


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.parent.name == "faulty"], ids=lambda f: f.stem
)
def test_the_fault_is_found_where_it_is(file: Path, outcomes: Outcomes) -> None:
    expect_marked(file, outcomes[1]["faulty"][file.stem])


def expect_marked(file: Path, outcome: Outcome) -> None:
    expected = marks(file)
    assert expected, "a faulty kernel marks its fault"
    assert {row["code"] for row in outcome.findings} == {code for code, _ in expected}, outcome.findings
    places = {(row["code"], row["line"]) for row in outcome.findings}
    places |= {(row["code"], row["other"]["line"]) for row in outcome.findings if row["other"]}
    assert expected <= places, outcome.findings


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_same_is_found_without_optimisation(
    file: Path, unoptimised: dict[str, dict[str, Outcome]]
) -> None:
    outcome = unoptimised[file.parent.name][file.stem]
    if file.parent.name == "right":
        assert (outcome.error, outcome.findings) == ("cudaSuccess", ())
    else:
        expect_marked(file, outcome)


def test_the_number_of_workers_changes_nothing(outcomes: Outcomes) -> None:
    one, three = (
        {
            name: [{**row, "launch": 0} for row in outcome.findings]
            for side in outcomes[threads].values()
            for name, outcome in side.items()
        }
        for threads in (1, 3)
    )
    for name, findings in one.items():
        assert findings == three[name], name


KINDS = finding_kinds.load(REPOSITORY)
MARKED = {code for file in FILES for code, _ in marks(file)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_each_finding_has_a_faulty_kernel(kind: finding_kinds.FindingKind) -> None:
    """Unless its kernel depends on how the host calls it: labelled kernels are all called in one way."""
    about = explain.FOLDER / kind.code / "explanation.toml"
    if about.is_file() and "launch" in tomllib.loads(about.read_text()):
        return
    assert kind.code in MARKED, f"no file in {FOLDER / 'faulty'} has a line marked `//! {kind.code}`"


def test_no_mark_without_a_finding() -> None:
    unknown = MARKED - {kind.code for kind in KINDS}
    assert not unknown, f"finding_kinds.def has no row of {sorted(unknown)}"


def test_the_set_is_large() -> None:
    sides = [file.parent.name for file in FILES]
    assert sides.count("right") >= 60 and sides.count("faulty") >= 60 and len(FILES) >= 140
