"""Every attack ends as its attack.toml says, on the real tools. Attacks are found by listing folders.

Some of them only: `pytest grader/tests/attacks -k time`; `-rP` shows how each ended.
"""

from __future__ import annotations

import functools

import pytest

from support.attacks import definition, grading
from support.attacks.definition import Attack
from support.attacks.grading import Outcome
from warpgrade.core.paths import here

pytestmark = pytest.mark.long

REPOSITORY = here()
ATTACKS = definition.find()
GROUPS = ("archive", "compiler", "device", "imitation", "launch-shape", "program", "report", "time")


@functools.cache
def outcomes(group: str) -> dict[str, Outcome]:
    """The group's class, graded once."""
    found = grading.run_group(REPOSITORY, [attack for attack in ATTACKS if attack.group == group])
    return {outcome.attack.name: outcome for outcome in found}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.group}-{attack.name}")
def test_it_ends_as_it_must(attack: Attack) -> None:
    outcome = outcomes(attack.group)[attack.name]
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
