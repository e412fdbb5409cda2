"""Letters that give a path a CRC-32."""

from __future__ import annotations

import random
import zlib

from warpgrade.core import crc_name


def test_the_sum_is_the_wanted_one() -> None:
    drawn = random.Random(1)
    for _ in range(1000):
        before, wanted = drawn.randbytes(drawn.randrange(60)), drawn.getrandbits(32)
        letters = crc_name.letters(before, wanted)
        assert zlib.crc32(before + letters.encode()) == wanted


def test_they_are_letters_of_one_number() -> None:
    made = {crc_name.letters(b"", wanted) for wanted in range(1000)}
    assert len(made) == 1000
    assert all(len(letters) == 12 and set(letters) <= set("pqrstuvw") for letters in made)
