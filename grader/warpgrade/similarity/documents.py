"""What is compared: one hand-in's source and the PTX that nvcc made of it, as fingerprints."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..build.emu import Fingerprint
from . import tokens, winnowing

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


def document(name: str, kind: str, source: str, compiled: Fingerprint | None) -> Candidate:
    """`compiled`: of its fat binary; None where nothing was built."""
    source = source[:_MOST_SOURCE]
    terms = {term: set(lines) for term, lines in (compiled and compiled.terms) or ()}
    return Candidate(name, kind, source, terms, winnowing.fingerprints(tokens.normalised(source)))


def without(document: Candidate, skeleton: Candidate) -> Candidate:
    """The document without what everybody was given."""
    terms = {key: lines for key, lines in document.terms.items() if key not in skeleton.terms}
    grams = {key: lines for key, lines in document.grams.items() if key not in skeleton.grams}
    return Candidate(document.name, document.kind, document.source, terms, grams)
