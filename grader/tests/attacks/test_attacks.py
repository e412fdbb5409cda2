"""Every attack ends as its attack.toml says, on the real tools. Attacks are found by listing folders.

`pytest grader/tests/attacks -k time` runs some of them; `-rP` shows how each ended.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pytest

from support.attacks import definition, grading
from support.attacks.definition import Attack
from support.attacks.grading import Outcome
from warpgrade.core.paths import here

pytestmark = pytest.mark.long

REPOSITORY = here()
ATTACKS = definition.find()
GROUPS = ("archive", "compiler", "device", "imitation", "launch-shape", "program", "report", "time")
GROUPS_ON_THE_MACHINE = ("archive", "compiler", "device", "program")  # the others are about texts and points


@functools.cache
def outcomes(group: str, kind: str) -> dict[str, Outcome]:
    """The group's class, graded once under that sandbox backend."""
    attacks = [attack.in_sandbox(kind) for attack in ATTACKS if attack.group == group]
    return {outcome.attack.name: outcome for outcome in grading.run_group(REPOSITORY, attacks, kind)}


def under(kind: str, groups: Sequence[str]) -> list[object]:
    """The attacks of these groups with that backend."""
    marks = pytest.mark.needs_sandbox(kind)
    return [
        pytest.param(attack, kind, id=f"{kind}-{attack.group}-{attack.name}", marks=marks)
        for attack in ATTACKS
        if attack.group in groups
    ]


@pytest.mark.parametrize(
    ("attack", "kind"), [*under("bwrap", GROUPS), *under("landlock", GROUPS_ON_THE_MACHINE)]
)
def test_it_ends_as_it_must(attack: Attack, kind: str) -> None:
    outcome = outcomes(attack.group, kind)[attack.name]
    print(f"{attack.title}: {outcome.ending}, points: {outcome.points}")
    assert outcome.failures == (), outcome.ending


def test_there_are_enough_of_each_group() -> None:
    assert len(ATTACKS) >= 60
    assert {attack.group for attack in ATTACKS} == set(GROUPS)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.group}-{attack.name}")
def test_it_says_what_it_tries(attack: Attack) -> None:
    assert attack.title and not attack.title.endswith(".")
    assert attack.tries.endswith(".") and attack.stops and not attack.stops.endswith(".")
    assert attack.most_points in (0, 10) or attack.allowed, "points need a reason"
