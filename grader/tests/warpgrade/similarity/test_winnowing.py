"""Fingerprints: any common run that is long enough is found, and neighbours may change places."""

from __future__ import annotations

import random

from warpgrade.similarity import winnowing

RUN = winnowing.GRAM + winnowing.WINDOW - 1


def sequence(seed: int, count: int) -> list[tuple[str, int]]:
    chance = random.Random(seed)
    return [(str(chance.randrange(1_000)), line) for line in range(1, count + 1)]


def test_a_common_run_has_a_common_fingerprint() -> None:
    for seed in range(20):
        shared = sequence(seed, RUN)
        one = sequence(seed + 100, 50) + shared + sequence(seed + 200, 30)
        other = sequence(seed + 300, 20) + shared
        assert winnowing.fingerprints(one).keys() & winnowing.fingerprints(other).keys()


def test_unlike_sequences_have_none() -> None:
    assert (
        not winnowing.fingerprints(sequence(1, 500)).keys() & winnowing.fingerprints(sequence(2, 500)).keys()
    )


def test_neighbours_that_change_places_keep_most() -> None:
    one = sequence(1, 400)
    other = list(one)
    for at in range(0, 400, 50):
        other[at], other[at + 1] = other[at + 1], other[at]
    both = winnowing.fingerprints(one).keys() & winnowing.fingerprints(other).keys()
    assert len(both) > 0.7 * len(winnowing.fingerprints(one))


def test_short_sequences() -> None:
    assert winnowing.fingerprints(sequence(1, winnowing.GRAM - 1)) == {}
    assert len(winnowing.fingerprints(sequence(1, winnowing.GRAM))) == 1
