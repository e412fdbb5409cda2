"""Advice on threads that wait for ever, by what they wait for: a lock, a value, lanes of their warp."""

from __future__ import annotations

import re
from dataclasses import replace

from ...records import Finding

_DEADLOCK, _STEP_LIMIT, _MASK = "barrier-deadlock", "step-limit", "warp-mask"
# The emulator's names of a loop that executes nothing but its jumps, and of a wait for a smaller blockIdx.
_IDLE, _ORDER = "idle-loop", "block-order"

_HELD = (
    "lock-held",
    "Whoever has taken the lock must give it back on each way out: look for a return, a break or a condition "
    "between the line that takes it and the line that gives it back.",
)
_NEVER_FREE = (
    "lock-never-free",
    "Nobody writes the value that this loop waits for: set it before the launch, or look at who should write "
    "it.",
)
_REPEATED = (
    "swap-repeated",
    "The loop compares with the same value again, which does not stand there any more, as another thread "
    "came between: compare next with what atomicCAS has returned.",
)
# found = atomicCAS(place, seen, wanted): a lock is taken by numbers.
_SWAP = re.compile(r"=\s*+atomicCAS\s*+\([^,;]{1,80}+,\s*+[^\W\d]\w*+\s*+,")
_BARRIER_OF_WARP = re.compile(r"\b__syncwarp\s*+\(")
# while (atomicCAS(place, seen, seen + value) …: what is to be written depends on what was seen.
_COMPARED = re.compile(r"\batomicCAS\s*+\([^,;]{1,80}+,([^,;]{1,80}+),([^;]{1,120}+)")
_VARIABLE = re.compile(r"\b[^\W\d]\w*+(?!\s*+\()")
_NOT_SENT = (
    "value-not-sent",
    "Nobody is left to write what this loop waits for: look at who should, and at what keeps that thread or "
    "block from coming there.",
)
_EXCHANGE = (
    "lanes-missing",
    "A shuffle, a vote or __syncwarp() waits for each lane that its mask names, and some of them went "
    "another way: let all of them execute it, outside of the branch, and put only the use of its result "
    "under the condition.",
)
_DRAWN = (
    _ORDER,
    "A block may wait for those only that have begun: let it draw the number of its part by an atomicAdd() "
    "when it begins, and do not take that number from blockIdx.",
)
_READ_ONCE = (
    _IDLE,
    "Nothing changes in this loop, and it reads nothing: the compiler has read memory once, before it. What "
    "another thread is to change needs volatile on its pointer, or an atomic; else let the loop move towards "
    "its bound.",
)


def advised(finding: Finding) -> Finding:
    """The finding with its cause and advice; unchanged where barriers are waited for."""
    found = None
    if finding.kind == _DEADLOCK and finding.cause == _ORDER:
        found = _DRAWN
    elif finding.kind == _DEADLOCK:
        of_atomic = _HELD if finding.other else _NEVER_FREE
        if _is_of_what_was_seen(finding.place.source):
            of_atomic = _REPEATED
        found = {"atomic": of_atomic, "read": _NOT_SENT, "exchange": _EXCHANGE}.get(finding.place.access)
    elif finding.kind == _MASK and finding.other and _BARRIER_OF_WARP.search(finding.place.source):
        found = _EXCHANGE
    elif finding.kind == _STEP_LIMIT and finding.cause == _IDLE:
        found = _READ_ONCE
    return replace(finding, cause=found[0], help=found[1]) if found else finding


def _is_of_what_was_seen(source: str) -> bool:
    """Whether a line compares and swaps a value that was read before, as a lock does not."""
    swap = _COMPARED.search(source)
    seen = set(_VARIABLE.findall(swap[1])) if swap else set()
    return bool(_SWAP.search(source)) or bool(
        swap and seen & set(_VARIABLE.findall(swap[2].partition("!=")[0]))
    )
