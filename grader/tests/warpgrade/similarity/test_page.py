"""The page: pairs above the threshold, and those below it, which are no evidence."""

from __future__ import annotations

import random
from pathlib import Path

from support import sample_results
from warpgrade.similarity import page
from warpgrade.similarity.comparison import compared
from warpgrade.similarity.documents import CLASS, Candidate


def document(name: str, keys: set[int]) -> Candidate:
    lines = {key: {key % 50 + 1} for key in keys}
    return Candidate(
        name, CLASS, f"// {name}\n" + "line\n" * 60, lines, {key + 10**6: {key % 50 + 1} for key in keys}
    )


def own(seed: int, count: int = 60) -> set[int]:
    return set(random.Random(seed).sample(range(10**6), count))


def written(documents: list[Candidate], out: Path) -> str:
    grades = sample_results.grades()
    return page.write(grades, grades.labs[0], compared(documents), out).read_text("utf-8")


def test_pairs_below_the_threshold_stand_apart(tmp_path: Path) -> None:
    some = own(1)
    part = set(sorted(some)[:20])
    documents = [document("ann", some), document("bob", some), document("rewritten", part | own(2, 40))]
    text = written([*documents, *(document(f"s{seed}", own(seed)) for seed in range(10, 30))], tmp_path)
    above, below = text.split('id="nears-head"')
    assert 'href="#pair-1"' in above and "rewritten" not in above.partition("</head>")[2]
    assert 'href="#near-1"' in below and 'id="near-2"' in below and 'id="near-3"' not in below
    assert "say nothing by themselves" in below


def test_a_page_without_pairs_lists_nothing_below(tmp_path: Path) -> None:
    text = written([document(f"s{seed}", own(seed)) for seed in range(10, 30)], tmp_path)
    assert "No pair is above the threshold." in text and "nears-head" not in text
