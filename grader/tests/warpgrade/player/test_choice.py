"""Which case and block are played, and that no hidden case ever is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from support import sample_results
from support.programs.recordings import REPOSITORY
from warpgrade.build.compiler import Compiler
from warpgrade.core.errors import UsageError
from warpgrade.feedback import playable
from warpgrade.player import choice, scene
from warpgrade.records import BuildStatus, Result, Visibility
from warpgrade.run.harness import RecordRequest

LAB = sample_results.lab()
BOB = sample_results.racy_student().results[0]
ADA = sample_results.right_student().results[0]
HIDDEN = [case for case in LAB.cases if case.visibility is not Visibility.VISIBLE]


def with_findings(*labels: str) -> Result:
    assert BOB.run
    one = replace(BOB.run.findings[0], place=replace(BOB.run.findings[0].place, block=(1, 0, 0)))
    run = replace(BOB.run, findings=tuple(replace(one, label=label) for label in labels))
    return sample_results.with_records(BOB, run=run)


def test_the_smallest_case_that_shows_the_first_finding() -> None:
    cases = [case.name for case in choice.visible_cases(LAB)]
    found = choice.choose(LAB, with_findings(*reversed(cases)))
    assert (found.case.name, found.block) == (cases[0], (1, 0, 0))
    assert found.findings[0].label == cases[0]


def test_without_findings_the_smallest_visible_case() -> None:
    found = choice.choose(LAB, ADA)
    assert (found.case, found.block, found.findings) == (choice.visible_cases(LAB)[0], (0, 0, 0), ())


def test_a_race_between_blocks_has_another_block_to_play() -> None:
    assert BOB.run and BOB.run.findings[0].other
    first = replace(BOB.run.findings[0], label=choice.visible_cases(LAB)[0].name)
    assert first.other
    across = replace(first, other=replace(first.other, block=(1, 0, 0)))
    here = choice.Choice(LAB.cases[0], findings=(across,))
    there = here.other_block
    assert there and there.block == (1, 0, 0) and there.findings[0].other == across.place
    assert there.other_block == replace(here, thread=tuple(across.place.thread), findings=(across,))
    assert (
        replace(here, findings=(first,)).other_block is None
        and replace(here, findings=()).other_block is None
    )


def test_options_choose() -> None:
    case = choice.visible_cases(LAB)[-1].name
    assert choice.choose(LAB, ADA, case=case).case.name == case
    assert choice.choose(LAB, ADA, block=(2, 1, 0)).block == (2, 1, 0)
    with pytest.raises(UsageError, match="no finding 7"):
        choice.choose(LAB, ADA, number=7)


@pytest.mark.parametrize("launch", [1, 3])
def test_the_launch_is_that_of_the_choice(launch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel without so many launches is an error that says so."""
    asked: list[RecordRequest] = []
    monkeypatch.setattr(scene, "build", lambda *_, **__: SimpleNamespace(status=BuildStatus.BUILT))
    monkeypatch.setattr(scene.trace, "recorded", lambda *args: asked.append(args[-1]) or b"")
    chosen = choice.Choice(choice.visible_cases(LAB)[0], (1, 0, 0), "matmul", launch=launch)
    compiler = Compiler(REPOSITORY, None, "none")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=rf"no launch {launch} with a block \(1,0,0\)") as raised:
        scene.record(None, LAB, chosen, compiler, None, Path())  # type: ignore[arg-type]
    assert "--launch" in (raised.value.remedy or "")
    assert [(each.launch, each.kernel, each.block) for each in asked] == [(launch, "matmul", (1, 0, 0))]


@pytest.mark.parametrize("case", HIDDEN, ids=lambda case: case.name)
def test_a_case_that_is_not_visible_is_refused_like_one_that_is_not_there(case: object) -> None:
    name = case.name  # type: ignore[attr-defined]
    with pytest.raises(UsageError) as known:
        choice.choose(LAB, ADA, case=name)
    with pytest.raises(UsageError) as unknown:
        choice.choose(LAB, ADA, case="x")
    assert known.value.message.replace(name, "x") == unknown.value.message
    assert all(each.name not in (known.value.remedy or "") for each in HIDDEN)


def test_findings_of_hidden_cases_are_not_played() -> None:
    names = [case.name for case in HIDDEN]
    assert names and playable.findings(LAB, with_findings(*names)) == ()
    assert choice.choose(LAB, with_findings(*names)).case.visibility is Visibility.VISIBLE
