"""Keys of lab 08-occupancy that were computed by hand, from the limits of each GPU."""

from __future__ import annotations

import pytest

from support import lab_questions
from warpgrade.core.paths import here

FOUND = lab_questions.of_lab(here(), "08-occupancy")
# Question, words that its text holds, key, and how it was found.
KEYS = [
    ("blocks-by-threads", ("8800 GTX", "of 96 threads"), 8, "768 / 96"),
    ("blocks-by-threads", ("8800 GTX", "of 64 threads"), 8, "768 / 64 = 12, but 8 blocks"),
    ("blocks-by-threads", ("GTX 280", "of 160 threads"), 6, "1024 / 160 = 6.4"),
    ("blocks-by-threads", ("GTX 480", "of 256 threads"), 6, "1536 / 256"),
    ("blocks-by-threads", ("H200", "of 64 threads"), 32, "2048 / 64"),
    ("blocks-by-shared-memory", ("8800 GTX", "64 threads", "5 KiB"), 3, "16 / 5 = 3.2"),
    ("blocks-by-shared-memory", ("GTX 480", "128 threads", "9 KiB"), 5, "48 / 9 = 5.3"),
    ("blocks-by-registers", ("8800 GTX", "11 registers", "256 threads"), 2, "8192 / 2816 = 2.9"),
    ("blocks-by-registers", ("8800 GTX", "10 registers", "256 threads"), 3, "8192 / 2560 = 3.2"),
    ("blocks-by-registers", ("GTX 480", "33 registers", "128 threads"), 7, "32768 / 4224 = 7.8"),
    (
        "warps-by-registers",
        ("H200", "40 registers", "256 threads"),
        48,
        "16384 / 1280 = 12 in each of 4 parts",
    ),
    ("warps-by-registers", ("H200", "130 registers", "256 threads"), 8, "3 in each of 4 parts, 12: 1 block"),
    ("warps-by-registers", ("4090", "72 registers", "128 threads"), 28, "7 in each of 4 parts, 28: 7 blocks"),
    ("blocks-with-all-limits", ("A100", "64 registers", "16 KiB", "128 threads"), 8, "65536 / 8192"),
    ("blocks-with-all-limits", ("T4", "32 registers", "24 KiB", "128 threads"), 2, "64 / 24 = 2.7"),
    ("blocks-with-all-limits", ("4090", "32 registers", "24 KiB", "128 threads"), 4, "100 / (24 + 1)"),
    ("blocks-with-all-limits", ("H200", "32 registers", "8 KiB", "128 threads"), 16, "2048 / 128"),
    ("warps-to-hide-latency", ("200 cycles", "4 independent", "of 4 cycles"), 13, "200 / 16 = 12.5"),
    ("operations-per-load", ("16 × 16",), 16, "8192 / 512"),
    ("bandwidth-bound", ("86.4 GB/s", "loads: 16."), 345.6, "86.4 / 4 * 16"),
    ("bandwidth-needed", ("346 GFLOP/s", "loads: 16."), 86.5, "346 * 4 / 16"),
    ("atomic-cas-returns", ("holds 7", "(p, 3, 20)"), 7, "what it found"),
    ("atomic-cas-leaves", ("holds 7", "(p, 7, 25)"), 25, "equal: stored"),
    ("atomic-cas-leaves", ("holds 7", "(p, 3, 25)"), 7, "not equal: nothing stored"),
]


@pytest.mark.parametrize(("name", "words", "key", "how"), KEYS, ids=lambda value: str(value)[:30])
def test_the_key_is_what_a_hand_computes(name: str, words: tuple[str, ...], key: float, how: str) -> None:
    all_of_it = FOUND.combinations(FOUND.names.index(name))
    (question,) = [each for each in all_of_it if all(word in each.text for word in words)]
    assert question.answer == pytest.approx(key), how


def test_every_question_with_a_number_is_computed_by_hand() -> None:
    rows = FOUND.document.data["question"]
    assert {row["name"] for row in rows if "options" not in row} == {name for name, *_ in KEYS}
