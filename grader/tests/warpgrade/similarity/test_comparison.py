"""Pairs and clusters: copies are found, what is common accuses nobody, and a class of 1,000 is quick."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from warpgrade.similarity.comparison import NEAREST, THRESHOLD, compared
from warpgrade.similarity.documents import CLASS, COURSE, KNOWN, PAST, Candidate, without


def document(name: str, keys: set[int], kind: str = CLASS) -> Candidate:
    lines = {key: {key % 50 + 1} for key in keys}
    return Candidate(
        name, kind, f"// {name}\n" + f"{name}\n" * 60, lines, {key + 10**6: {key % 50 + 1} for key in keys}
    )


def own(seed: int, count: int = 60) -> set[int]:
    return set(random.Random(seed).sample(range(10**6), count))


def names(documents: list[Candidate]) -> set[frozenset[str]]:
    return {frozenset((pair.one.name, pair.other.name)) for pair in compared(documents).pairs}


def test_a_copy_is_found_and_shows_its_lines() -> None:
    some = own(1)
    documents = [document("ann", some), document("bob", set(sorted(some)[:50]) | own(2, 10))]
    documents += [document(f"s{seed}", own(seed)) for seed in range(10, 30)]
    (pair,) = compared(documents).pairs
    assert {pair.one.name, pair.other.name} == {"ann", "bob"} and pair.score > 0.6
    assert pair.lines[0] and pair.lines[0] <= set(range(1, 51))


def test_what_most_have_accuses_nobody() -> None:
    common = own(1)
    documents = [document(f"s{seed}", common | own(seed, 4)) for seed in range(10, 40)]
    found = compared(documents)
    assert found.pairs == () and found.too_small and len(found.small) == 30


def test_the_same_text_is_listed_however_many_hand_it_in() -> None:
    common, text = own(1), "the same line\n" * 60
    documents = [replace(document(f"s{seed}", common), source=text) for seed in range(10, 20)]
    documents += [document(f"t{seed}", own(seed)) for seed in range(20, 24)]
    untouched = [replace(document(name, set()), source="skeleton") for name in ("ann", "bob")]
    (group,) = compared([*documents, *untouched]).identical
    assert [each.name for each in group] == [f"s{seed}" for seed in range(10, 20)]


def test_the_same_tokens_are_the_same_text() -> None:
    """Comments and spaces aside; of what most hand in, only with the same comments."""
    texts = {
        "ann": "int i = 0;  // mine\ni += 2;",
        "bob": "int  i=0; /* ours */ i += 2;",
        "cid": "int i = 1; i += 2;",
    }
    few = [replace(document(name, own(1)), source=text) for name, text in texts.items()]
    others = [replace(document(f"t{n}", own(n)), source=f"int i = {n};") for n in range(20, 28)]
    (group,) = compared([*few, *others]).identical
    assert [each.name for each in group] == ["ann", "bob"]
    most = [replace(document(f"m{n}", own(2)), source=f"int k = 0; // {n // 2}") for n in range(8)]
    found = compared([*few, *most]).identical
    assert sorted([each.name for each in group] for group in found) == [
        ["ann", "bob"], ["m0", "m1"], ["m2", "m3"], ["m4", "m5"], ["m6", "m7"],
    ]  # fmt: skip


def test_the_skeleton_goes() -> None:
    given = own(1)
    skeleton = document("skeleton", given)
    documents = [without(document(f"s{seed}", given | own(seed)), skeleton) for seed in (10, 11)]
    assert compared(documents).pairs == ()
    assert compared([document("a", given), document("b", given)]).pairs


def test_a_cluster_and_other_terms() -> None:
    some, last = own(1), own(2)
    documents = [document(name, some | own(seed, 5)) for seed, name in enumerate(("ann", "bob", "cid"), 50)]
    documents += [document("dan", last), document("2025/eve", last, PAST), document("2025/fay", own(3), PAST)]
    documents += [document("known", own(3), KNOWN)]
    documents += [document(f"s{seed}", own(seed)) for seed in range(10, 30)]
    found = compared(documents)
    assert [[each.name for each in cluster] for cluster in found.clusters] == [
        ["ann", "bob", "cid"], ["2025/eve", "dan"],
    ]  # fmt: skip
    assert frozenset(("2025/fay", "known")) not in names(documents), "nobody of the class"


def test_a_class_of_a_thousand() -> None:
    common = own(0, 200)
    chance = random.Random(1)
    documents = [
        document(f"s{seed}", set(chance.sample(sorted(common), 80)) | own(seed)) for seed in range(1, 1_000)
    ]
    documents.append(document("copy", {*documents[7].terms} | own(2_000, 10)))
    begun = time.process_time()
    assert names(documents) == {frozenset(("s8", "copy"))}
    assert time.process_time() - begun < 60


def test_the_nearest_below_the_threshold_are_listed_and_in_no_cluster() -> None:
    some = own(1)
    documents = [document("ann", some), document("rewritten", set(sorted(some)[:20]) | own(2, 40))]
    documents += [document(f"s{seed}", own(seed)) for seed in range(10, 30)]
    found = compared(documents)
    assert found.pairs == () and found.clusters == ()
    (pair,) = found.nearest
    assert {pair.one.name, pair.other.name} == {"ann", "rewritten"} and 0 < pair.score < THRESHOLD
    assert pair.lines[0], "the lines that both have"


def test_few_of_the_nearest_are_listed() -> None:
    some = own(1)
    documents = [document(f"s{seed}", set(sorted(some)[:20]) | own(seed, 40)) for seed in range(10, 20)]
    documents += [document(f"t{seed}", own(seed)) for seed in range(30, 60)]
    found = compared(documents)
    scores = [pair.score for pair in found.nearest]
    assert found.pairs == () and len(scores) == NEAREST and scores == sorted(scores, reverse=True)


def test_what_two_of_the_courses_own_kernels_have_accuses_nobody() -> None:
    textbook = own(1)
    students = [document(name, textbook | own(seed, 3)) for seed, name in enumerate(("ann", "bob"), 50)]
    others = [document(f"s{seed}", own(seed)) for seed in range(10, 30)]
    course = [document(name, textbook | own(seed, 6), COURSE) for seed, name in enumerate("xy", 60)]
    assert names([*students, *others, course[0]]) >= {frozenset(("ann", "bob"))}, "one may be copied"
    found = compared([*students, *others, *course])
    assert found.pairs == () and [each.name for each in found.small] == ["ann", "bob"]


def test_a_lab_whose_independent_kernels_are_all_alike_is_too_small() -> None:
    textbook = own(1)
    course = [document(name, textbook | own(seed, 6), COURSE) for seed, name in enumerate("xy", 60)]
    few = [document(f"s{seed}", textbook | own(seed, 4)) for seed in range(2)]
    assert compared([*few, *course]).too_small and not compared(few).too_small


def test_who_has_too_little_for_a_disguised_copy_is_small_unless_in_a_pair() -> None:
    some, little = own(1), own(2, 10)  # twenty fingerprints, as source and PTX have ten each
    others = [document(f"s{seed}", own(seed)) for seed in range(10, 30)]
    alone = compared([document("ann", little), document("bob", some), *others])
    assert [each.name for each in alone.small] == ["ann"]
    paired = compared([document("ann", little), document("copy", little), *others])
    assert paired.small == () and names([document("ann", little), document("copy", little), *others])


def with_other_source(like: Candidate, name: str, seed: int, changed: int) -> Candidate:
    """What nvcc makes is as of the other but for some terms, and the source is another one."""
    kept = dict(list(like.terms.items())[changed:])
    return Candidate(name, CLASS, like.source, kept | document("", own(seed, changed)).terms,
                     document("", own(seed)).grams)  # fmt: skip


def test_the_same_ptx_of_a_large_kernel_is_a_pair_whatever_the_source() -> None:
    others = [document(f"s{seed}", own(seed)) for seed in range(10, 30)]
    for count, paired in ((60, True), (25, False)):
        ann = document("ann", own(1, count))
        found = names([ann, with_other_source(ann, "copy", 2, 5), *others])
        assert (frozenset(("ann", "copy")) in found) == paired, count
    ann = document("ann", own(1))
    assert names([ann, with_other_source(ann, "bob", 2, 30), *others]) == set(), "half of it may be chance"
