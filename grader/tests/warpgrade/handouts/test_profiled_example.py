"""The run that a handout reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.handouts import profiled_example
from warpgrade.records import Lab, ProfiledProgram

PROFILED = [item for item in lab.find(here()) if item.profiled]


def program_of(item: Lab) -> ProfiledProgram:
    assert item.profiled is not None
    return item.profiled


@pytest.mark.parametrize("item", PROFILED, ids=lambda item: item.name)
def test_an_example_has_figures_and_the_kernels_text(item: Lab) -> None:
    for kernel, *_ in program_of(item).examples:
        found = profiled_example.named(here(), item, kernel)
        assert float(found["milliseconds"]) > 0 and found[program_of(item).arguments[0][0]] == kernel
        code = found.code.splitlines()
        assert code[0] == "```cuda" and code[1].startswith(f"__global__ void {kernel}(")
        assert code[-2:] == ["}", "```"]
        line = int(found["load.line"]) - 1
        source = (here().labs / item.name / program_of(item).file).read_text().splitlines()[line]
        assert source in code


@pytest.mark.parametrize("item", PROFILED, ids=lambda item: item.name)
def test_a_run_that_was_not_measured_is_named(item: Lab) -> None:
    with pytest.raises(InstructorError, match="has no run of 'nothing' among its examples"):
        profiled_example.named(here(), item, "nothing")
    with pytest.raises(InstructorError, match="among its examples"):
        profiled_example.named(here(), replace(item, profiled=None), program_of(item).examples[0][0])
