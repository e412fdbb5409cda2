from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import LabKind
from warpgrade.solution import planted_bugs

ROOT = Path(__file__).resolve().parents[4]
REPOSITORY = Repository(ROOT)


LABS = [item for item in lab.find(REPOSITORY) if item.kind is not LabKind.ANSWERS]  # near misses instead


@pytest.mark.parametrize("item", LABS, ids=lambda item: item.name)
def test_each_lab_has_mutants_that_apply(item: lab.Lab) -> None:
    text = (REPOSITORY.solution(item.name) / item.files[0]).read_text()
    found = planted_bugs.load(REPOSITORY, item.name)
    assert len(found) >= 10
    for mutant in found:
        assert planted_bugs.applied(mutant, text, "kernel.cu") != text
        assert bool(mutant.technique) != bool(mutant.verdict and mutant.case)


def test_a_mistake_is_named(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    (repository.solution("01-basic")).mkdir(parents=True)
    file = repository.solution("01-basic") / "mutants.toml"
    file.write_text('[[mutant]]\nname = "a"\nreason = "r"\nfind = "f"\nreplace = "g"\nverdickt = "X"\n')
    with pytest.raises(InstructorError, match=r"mutants\.toml:6: .*verdickt"):
        planted_bugs.load(repository, "01-basic")
    mutant = '[[mutant]]\nname = "a"\nreason = "r"\nfind = "f"\nreplace = "g"\n'
    file.write_text(mutant + 'case = "c"\nverdict = "UNINITIALIZED"\n')
    with pytest.raises(InstructorError, match=r"mutants\.toml:7: .*verdict.*UNINITIALIZED.*WRONG_ANSWER"):
        planted_bugs.load(repository, "01-basic")
    file.write_text(mutant + 'case = "c"\nverdict = "PASS"\n')
    with pytest.raises(InstructorError, match=r"mutants\.toml:7: "):
        planted_bugs.load(repository, "01-basic")
    file.write_text(mutant + 'case = "c"\n')
    with pytest.raises(InstructorError, match=r"mutants\.toml:1: .*lacks the key 'verdict'"):
        planted_bugs.load(repository, "01-basic")
    file.write_text("# nothing yet\n")
    with pytest.raises(InstructorError, match="lacks the key 'mutant'"):
        planted_bugs.load(repository, "01-basic")
    file.unlink()
    assert planted_bugs.load(repository, "01-basic") == ()


def test_text_that_does_not_occur_once_is_an_error() -> None:
    mutant = planted_bugs.PlantedBug("a", "r", "x", "y", "RACE", "case")
    for text in ("", "x x"):
        with pytest.raises(InstructorError, match=r"occurs \d times"):
            planted_bugs.applied(mutant, text, "kernel.cu")


def test_places_of_a_text_that_occurs_several_times() -> None:
    mutant = planted_bugs.PlantedBug("a", "r", "x", "y", "RACE", "case")
    assert planted_bugs.places(mutant, "x\n\nbx x") == " (lines 1, 3, 3)"
    assert planted_bugs.places(mutant, "none") == ""
