"""Every attack ends as its attack.toml says, on the real tools. Attacks are found by listing folders.

`pytest grader/tests/attacks -k time` runs some of them; `-rP` shows how each ended.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from support import sample
from support.attacks import definition, grading
from support.attacks.definition import Attack
from support.attacks.grading import Outcome
from warpgrade.core.paths import here

pytestmark = pytest.mark.long

REPOSITORY = here()
ATTACKS = definition.find()
GROUPS = ("archive", "compiler", "device", "imitation", "launch-shape", "program", "report", "time")
GROUPS_ON_THE_MACHINE = ("archive", "compiler", "program")  # the others are about kernels, texts and points
ENDS_THE_PROCESS = {"CRASH", "TIMEOUT"}  # verdicts of kernels whose process may end otherwise than it should


def depends_on_the_sandbox(attack: Attack) -> bool:
    """Whether the attack can end otherwise under another backend. A kernel reaches nothing but the emulator:
    only what ends or outlasts the process that runs it concerns the sandbox."""
    return attack.group in GROUPS_ON_THE_MACHINE or (
        attack.group == "device" and not ENDS_THE_PROCESS.isdisjoint(attack.verdicts)
    )


def of(kind: str) -> list[Attack]:
    """Bubblewrap, the strongest backend, runs all attacks; Landlock those that depend on it."""
    return [attack for attack in ATTACKS if kind == "bwrap" or depends_on_the_sandbox(attack)]


Outcomes = Callable[[str, str], dict[str, Outcome]]  # of a group and a backend: by attack


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> Outcomes:
    """The chosen attacks of a group as one class, graded once under that sandbox backend."""
    chosen = sample.chosen(request, "attack", "kind")

    @functools.cache
    def of_group(group: str, kind: str) -> dict[str, Outcome]:
        attacks = [
            attack.in_sandbox(kind) for attack, under in chosen if (attack.group, under) == (group, kind)
        ]
        return {outcome.attack.name: outcome for outcome in grading.run_group(REPOSITORY, attacks, kind)}

    return of_group


def under(kind: str) -> list[object]:
    """The attacks with that backend."""
    mark = pytest.mark.needs_sandbox(kind)
    return [pytest.param(each, kind, id=f"{kind}-{each.group}-{each.name}", marks=mark) for each in of(kind)]


@pytest.mark.parametrize(
    ("attack", "kind"),
    [*sample.sampled(under("bwrap"), one_in=16), *sample.sampled(under("landlock"), one_in=48)],
)
def test_it_ends_as_it_must(attack: Attack, kind: str, outcomes: Outcomes) -> None:
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
