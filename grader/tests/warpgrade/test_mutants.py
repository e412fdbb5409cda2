from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade import lab, mutants
from warpgrade.errors import InstructorError
from warpgrade.house import House

ROOT = Path(__file__).resolve().parents[3]
HOUSE = House(ROOT)


@pytest.mark.parametrize("item", lab.find(HOUSE), ids=lambda item: item.name)
def test_each_lab_has_mutants_that_apply(item: lab.Lab) -> None:
    text = (HOUSE.solution(item.name) / item.files[0]).read_text()
    found = mutants.load(HOUSE, item)
    assert len(found) >= 10
    for mutant in found:
        assert mutants.applied(mutant, text, "kernel.cu") != text
        assert bool(mutant.technique) != bool(mutant.verdict and mutant.case)


def test_a_mistake_is_named(tmp_path: Path) -> None:
    house = House(tmp_path)
    (house.solution("01-basic")).mkdir(parents=True)
    file = house.solution("01-basic") / "mutants.toml"
    item = lab.find(HOUSE)[0]
    file.write_text('[[mutant]]\nname = "a"\nreason = "r"\nfind = "f"\nreplace = "g"\nverdickt = "X"\n')
    with pytest.raises(InstructorError, match=r"mutants\.toml:1: .*verdickt"):
        mutants.load(house, item)
    file.unlink()
    assert mutants.load(house, item) == ()


def test_text_that_is_not_there_once_is_an_error() -> None:
    mutant = mutants.Mutant("a", "r", "x", "y", "RACE", "case")
    for text in ("", "x x"):
        with pytest.raises(InstructorError, match="stands there"):
            mutants.applied(mutant, text, "kernel.cu")
