"""Fingerprints of a sequence of tokens: winnowing.

After Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting" (SIGMOD 2003):
the least hash of each window is a fingerprint, so two documents with a common run of GRAM + WINDOW - 1 tokens
have a fingerprint in common. The tokens of a gram are sorted before they are hashed, so exchanging
neighbouring tokens changes little.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from hashlib import blake2b

GRAM = 10  # tokens
WINDOW = 4  # hashes


def fingerprints(tokens: Sequence[tuple[str, int]]) -> dict[int, set[int]]:
    """Each fingerprint with the lines of the tokens of its gram. `tokens`: each with its line."""
    found: dict[int, set[int]] = {}
    least: deque[tuple[int, int]] = deque()  # (hash, place), increasing
    for at in range(len(tokens) - GRAM + 1):
        number = _hash(tokens[at : at + GRAM])
        while least and least[-1][0] >= number:
            least.pop()
        least.append((number, at))
        if least[0][1] <= at - WINDOW:
            least.popleft()
        if at >= WINDOW - 1 or at == len(tokens) - GRAM:
            chosen, place = least[0]
            found.setdefault(chosen, set()).update(line for _, line in tokens[place : place + GRAM])
    return found


def _hash(gram: Sequence[tuple[str, int]]) -> int:
    words = " ".join(sorted(word for word, _ in gram))
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest(), "big")
