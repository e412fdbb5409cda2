"""What is compared: one hand-in's source and the PTX that nvcc made of it, as fingerprints."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..build.emu import Fingerprint
from . import sizes, tokens, winnowing

CLASS, PAST, KNOWN, COURSE = "class", "past", "known", "course"
_MOST_SOURCE = 1 << 20  # characters that are read

Fingerprints = dict[int, set[int]]  # → lines of the source


@dataclass(frozen=True)
class Candidate:
    """`kind`: "class", "past" (an earlier term), "known" (a public kernel) or "course" (the lab's solution
    and styles, which were written independently).
    """

    name: str
    kind: str
    source: str
    terms: Fingerprints = field(repr=False)  # of the PTX; empty where nothing was built
    grams: Fingerprints = field(repr=False)  # of the source
    sizes: sizes.Sizes | None = None


def document(name: str, kind: str, source: str, compiled: Fingerprint | None) -> Candidate:
    """`compiled`: of its fat binary; None where nothing was built."""
    source = source[:_MOST_SOURCE]
    terms = {term: set(lines) for term, lines in (compiled and compiled.terms) or ()}
    grams = winnowing.fingerprints(tokens.normalised(source))
    return Candidate(name, kind, source, terms, grams, sizes.of(source))


def without(document: Candidate, skeleton: Candidate) -> Candidate:
    """The document without what everybody was given."""
    terms = {key: lines for key, lines in document.terms.items() if key not in skeleton.terms}
    grams = {key: lines for key, lines in document.grams.items() if key not in skeleton.grams}
    own = document.sizes if document.sizes != skeleton.sizes else None
    return replace(document, terms=terms, grams=grams, sizes=own)
