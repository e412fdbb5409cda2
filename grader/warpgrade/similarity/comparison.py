"""Pairs that are too much alike to be independent, by an inverted index of fingerprints.

A fingerprint weighs more the rarer it is: its weight is the logarithm of the number of documents over the
number of documents that have it, scaled so that a fingerprint which one document of many has weighs 1. A
fingerprint that more than half of the documents have weighs nothing, so a right and common way to write a
kernel accuses nobody. A fingerprint that two of the course's own kernels have weighs nothing either: these
kernels were written independently, so it is no sign of a copy.

The score of a pair is a mean over PTX and source of: weight of what both have over weight of what either has.
What both have must also weigh at least EVIDENCE: two small kernels can be alike by chance. If most hand-ins
of a lab have little of their own, the lab is too small to tell. If the common part of the PTX alone weighs
ALONE, the score is at least half of the likeness of the PTX: a source can be disguised completely while nvcc
still makes the same PTX.

THRESHOLD was calibrated on independent right kernels and disguised copies of them: no independent pair lies
above it, and at least 95 % of the copies do (docs/similarity.md). Copies that were rewritten from scratch lie
below it, among independent pairs, and cannot be distinguished from these. Two kinds of pairs below it are
listed for a reader: the NEAREST ones, ordered by what they have in common of the PTX, since nothing is left
of the source; and those whose launches and shared arrays have the same sizes, if at most RARE documents have
these sizes.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import tokens
from .documents import CLASS, COURSE, Candidate, Fingerprints
from .sizes import Sizes

THRESHOLD = 0.35
EVIDENCE = 12.0  # the weight of that many fingerprints that no third document has
ALONE = 2 * EVIDENCE
_LEFT = 0.5  # share of a kernel's own fingerprints that a disguised copy may still have
INDEPENDENT = 2  # a fingerprint that so many of the course's kernels have weighs nothing
COMMON = 0.5  # a fingerprint that a larger share of the documents has weighs nothing
NEAREST = 12  # pairs below the threshold that are listed
RARE = 3  # sizes that more documents have say nothing
FEW = 5  # a fingerprint of at most so many documents is never common
_PROBES = 32  # rare fingerprints of a document by which its candidates are found
_PROBED = 20  # most documents that a rare fingerprint may have, or a tenth of all if that is more
_SHARED = 3  # rare fingerprints that a candidate has in common with the document


@dataclass(frozen=True)
class AlikePair:
    one: Candidate
    other: Candidate
    score: float  # 0 to 1
    ptx: float
    source: float
    lines: tuple[frozenset[int], frozenset[int]]  # of each side: those that the other side has, too


@dataclass(frozen=True)
class Likeness:
    documents: int
    pairs: tuple[
        AlikePair, ...
    ]  # at or above the threshold, the highest first; at least one side is of the class
    nearest: tuple[AlikePair, ...]  # below the threshold, those with most of their PTX in common
    same_sizes: tuple[AlikePair, ...]  # below the threshold, those with sizes that few others have
    clusters: tuple[tuple[Candidate, ...], ...]  # connected by `pairs`, the largest first
    small: tuple[Candidate, ...]  # of the class, in no pair: too small for a copy to be noticed
    identical: tuple[
        tuple[Candidate, ...], ...
    ] = ()  # the same text but for comments and spaces, at least one of the class; largest first

    @property
    def too_small(self) -> bool:
        """Whether the lab is too small to tell copies from chance: most hand-ins have too little of their
        own.
        """
        return 2 * len(self.small) > self.documents


@dataclass(frozen=True)
class _PrintIndex:
    """One kind of fingerprints of all documents."""

    sets: Sequence[frozenset[int]]
    weight: Mapping[int, float]
    sums: Sequence[float]

    def shared(self, one: int, other: int) -> float:
        return math.fsum(self.weight[key] for key in self.sets[one] & self.sets[other])

    def alike(self, one: int, other: int, shared: float) -> float:
        both = self.sums[one] + self.sums[other] - shared
        return shared / both if both > 0 else 0.0


def compared(documents: Sequence[Candidate], threshold: float = THRESHOLD) -> Likeness:
    """All pairs of which one side is of the class. The documents lack the skeleton's fingerprints."""
    terms, grams = _view(documents, lambda each: each.terms), _view(documents, lambda each: each.grams)
    sums = [both[0] + both[1] for both in zip(terms.sums, grams.sums, strict=True)]
    able = [number for number, own in enumerate(sums) if own >= EVIDENCE]
    above: list[_Scored] = []
    below: list[_Scored] = []
    for one, other in _candidates(able, terms, grams):
        if CLASS in (documents[one].kind, documents[other].kind):
            row = _scored(one, other, terms, grams)
            is_pair = row.score >= threshold and row.evidence >= EVIDENCE
            (above if is_pair else below).append(row)
    above.sort(key=lambda row: (-row.score, documents[row.one].name, documents[row.other].name))
    below.sort(key=lambda row: (-row.nearness, documents[row.one].name, documents[row.other].name))
    alike = [_scored(one, other, terms, grams) for one, other in _of_same_sizes(documents)]
    sized = [row for row in alike if (row.one, row.other) not in {(each.one, each.other) for each in above}]
    pairs, nearest, same_sizes = (
        tuple(_pair(row, documents, (terms, grams)) for row in rows)
        for rows in (above, below[:NEAREST], sized[:NEAREST])
    )
    ours = [number for number, each in enumerate(documents) if each.kind == CLASS]
    paired = {id(side) for pair in pairs for side in (pair.one, pair.other)}
    little = [documents[number] for number in ours if sums[number] < EVIDENCE / _LEFT]
    small = tuple(each for each in little if id(each) not in paired)
    identical = tuple(_identical(documents))
    return Likeness(len(ours), pairs, nearest, same_sizes, tuple(_clusters(pairs)), small, identical)


@dataclass(frozen=True)
class _Scored:
    """What the fingerprints of two documents, given by their numbers, have in common."""

    one: int
    other: int
    ptx: float
    source: float
    of_ptx: float  # weight of the common part of the PTX
    evidence: float  # weight of the common parts of PTX and source

    @property
    def score(self) -> float:
        """The power mean of exponent 1/2: some likeness of both says more than much likeness of one alone."""
        mean = ((math.sqrt(self.ptx) + math.sqrt(self.source)) / 2) ** 2
        return max(mean, self.ptx / 2 if self.of_ptx >= ALONE else 0.0)

    @property
    def nearness(self) -> float:
        """Orders the pairs below the threshold. A copy that was rewritten from scratch has nothing of the
        source, and more of the PTX than chance gives.
        """
        return self.ptx * min(1.0, self.of_ptx / EVIDENCE)


def _scored(one: int, other: int, terms: _PrintIndex, grams: _PrintIndex) -> _Scored:
    of_ptx, of_source = terms.shared(one, other), grams.shared(one, other)
    alike = (terms.alike(one, other, of_ptx), grams.alike(one, other, of_source))
    return _Scored(one, other, *alike, of_ptx, of_ptx + of_source)


def _pair(row: _Scored, documents: Sequence[Candidate], views: tuple[_PrintIndex, _PrintIndex]) -> AlikePair:
    """The pair, with the lines of each side from which the common fingerprints come."""
    one, other = documents[row.one], documents[row.other]
    lines: list[frozenset[int]] = []
    for side in (one, other):
        found: set[int] = set()
        against = other if side is one else one
        for view, mine, theirs in zip(views, _kinds(side), _kinds(against), strict=True):
            for key in mine.keys() & theirs.keys():
                if view.weight[key] > 0:
                    found |= mine[key]
        lines.append(frozenset(found - {0}))
    return AlikePair(one, other, row.score, row.ptx, row.source, (lines[0], lines[1]))


def _kinds(document: Candidate) -> tuple[Fingerprints, Fingerprints]:
    return document.terms, document.grams


def _view(documents: Sequence[Candidate], which: Callable[[Candidate], Fingerprints]) -> _PrintIndex:
    sets = [frozenset(which(each)) for each in documents]
    count = Counter(itertools.chain.from_iterable(sets))
    ours = (own for each, own in zip(documents, sets, strict=True) if each.kind == COURSE)
    of_course = Counter(itertools.chain.from_iterable(ours))
    total = len(documents)
    common = max(FEW, COMMON * total)
    scale = math.log(total + 1)
    weight = {
        key: math.log((total + 1) / times) / scale
        if times <= common and of_course[key] < INDEPENDENT
        else 0.0
        for key, times in count.items()
    }
    return _PrintIndex(sets, weight, [math.fsum(weight[key] for key in each) for each in sets])


def _candidates(able: Sequence[int], *views: _PrintIndex) -> Iterator[tuple[int, int]]:
    """Pairs that have at least _SHARED rare fingerprints in common. The index finds them, so that not every
    pair has to be compared.
    """
    found: set[tuple[int, int]] = set()
    most = max(_PROBED, len(able) // 10)
    for view in views:
        places: dict[int, list[int]] = {}
        for number in able:
            for key in view.sets[number]:
                if view.weight[key] > 0:
                    places.setdefault(key, []).append(number)
        for number in able:
            rare = [key for key in view.sets[number] if 1 < len(places.get(key, ())) <= most]
            probes = sorted(rare, key=lambda key: (-view.weight[key], key))
            shared: Counter[int] = Counter()
            for key in probes[:_PROBES]:
                shared.update(places.get(key, ()))
            found |= {
                (min(number, other), max(number, other))
                for other, times in shared.items()
                if other != number and times >= _SHARED
            }
    return iter(sorted(found))


def _of_same_sizes(documents: Sequence[Candidate]) -> Iterator[tuple[int, int]]:
    """Pairs with a side of the class whose sizes are the same, where hardly anybody else has them."""
    groups: dict[Sizes, list[int]] = {}
    for number, each in enumerate(documents):
        if each.sizes is not None:
            groups.setdefault(each.sizes, []).append(number)
    for group in groups.values():
        kinds = Counter(documents[number].kind for number in group)
        if len(group) <= RARE and kinds[COURSE] < INDEPENDENT:
            for one, other in itertools.combinations(group, 2):
                if CLASS in (documents[one].kind, documents[other].kind):
                    yield one, other


def _identical(documents: Sequence[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    """Documents with the same text but for comments and spaces; what most documents have in common is listed
    where the comments are the same, too. The weights do not see them where they are more than half of the
    class. The unchanged skeleton is none: nothing of it is left in a document.
    """
    groups: dict[str, list[Candidate]] = {}
    able = [each for each in documents if each.kind != COURSE and (each.terms or each.grams)]
    texts = [tokens.without_comments(each.source) for each in able]
    count = Counter(texts)
    for each, text in zip(able, texts, strict=True):
        is_common = count[text] > max(RARE, COMMON * len(documents))
        groups.setdefault(each.source.strip() if is_common else text, []).append(each)
    found = [
        tuple(sorted(group, key=lambda each: each.name))
        for group in groups.values()
        if len(group) > 1 and any(each.kind == CLASS for each in group)
    ]
    yield from sorted(found, key=_by_size)


def _by_size(group: tuple[Candidate, ...]) -> tuple[int, str]:
    return -len(group), group[0].name


def _clusters(pairs: Iterable[AlikePair]) -> Iterator[tuple[Candidate, ...]]:
    """The connected components of the pairs, the largest first."""
    root: dict[int, int] = {}
    known: dict[int, Candidate] = {}

    def find(key: int) -> int:
        while root.setdefault(key, key) != key:
            key = root[key] = root[root[key]]
        return key

    for pair in pairs:
        for each in (pair.one, pair.other):
            known[id(each)] = each
        root[find(id(pair.one))] = find(id(pair.other))
    groups: dict[int, list[Candidate]] = {}
    for key, each in known.items():
        groups.setdefault(find(key), []).append(each)
    ordered = [tuple(sorted(group, key=lambda each: each.name)) for group in groups.values()]
    yield from sorted(ordered, key=_by_size)
