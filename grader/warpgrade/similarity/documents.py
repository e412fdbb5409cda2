"""What is compared: one hand-in's source and the PTX that nvcc made of it, as fingerprints."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from . import dataflow, tokens, winnowing

CLASS, PAST, KNOWN = "class", "past", "known"
_MOST_SOURCE = 1 << 20  # characters that are read
_MOST_BINARY = 32 << 20  # bytes
_BEGIN = b"\n.version "

Fingerprints = dict[int, set[int]]  # → lines of the source


@dataclass(frozen=True)
class Candidate:
    """`kind`: "class", "past" (an earlier term) or "known" (a public kernel, the solution)."""

    name: str
    kind: str
    source: str
    terms: Fingerprints = field(repr=False)  # of the PTX; empty where nothing was built
    grams: Fingerprints = field(repr=False)  # of the source


def document(name: str, kind: str, source: str, ptx: str) -> Candidate:
    source = source[:_MOST_SOURCE]
    return Candidate(
        name, kind, source, dataflow.terms(ptx), winnowing.fingerprints(tokens.normalised(source))
    )


def without(document: Candidate, skeleton: Candidate) -> Candidate:
    """The document without what everybody was given."""
    terms = {key: lines for key, lines in document.terms.items() if key not in skeleton.terms}
    grams = {key: lines for key, lines in document.grams.items() if key not in skeleton.grams}
    return Candidate(document.name, document.kind, document.source, terms, grams)


def ptx_of(fatbin: Path) -> str:
    """The PTX text in a fat binary that is not compressed, as the grader makes it; "" where there is none."""
    try:
        with fatbin.open("rb") as stream:
            content = stream.read(_MOST_BINARY)
    except OSError:
        return ""
    at = content.find(_BEGIN)
    if at < 0:
        return ""
    end = content.find(b"\0", at)
    return content[at : end if end >= 0 else len(content)].decode("utf-8", "replace")
