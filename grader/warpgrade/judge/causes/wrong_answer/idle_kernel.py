"""Kernels that touch no memory: their bodies are empty, or the compiler has removed what is stored nowhere.

A wrong result of such a kernel shows no mistake. What stood there before may look like one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....core import formatting
from ....records import CaseRun, Launch, Run

PATTERN = "idle-kernel"


def explained(case: CaseRun, run: Run) -> CaseRun:
    """The case with the reason for its wrong result, if only idle kernels ran in it."""
    ran = {launch.kernel for launch in run.launches if launch.label == case.name}
    idle = names(run.launches)
    if case.wrong is None or not ran or not ran <= set(idle):
        return case
    one = len(idle) == 1
    words = (
        f"{formatting.listed(idle)} {'reads' if one else 'read'} nothing and {'stores' if one else 'store'} "
        f"nothing: {'its body is' if one else 'their bodies are'} empty, or what is computed there is stored "
        "nowhere."
    )
    # Without places: none tells more than another.
    wrong = replace(case.wrong, pattern=PATTERN, explanation=words, map=(), block=None, thread=None)
    return replace(case, message=words, wrong=wrong)


def is_idle(case: CaseRun) -> bool:
    """Whether explained() has found so."""
    return case.wrong is not None and case.wrong.pattern == PATTERN


def names(launches: Sequence[Launch]) -> tuple[str, ...]:
    """The kernels that no launch of which accesses memory or branches, in the order of their launches."""
    busy = {launch.kernel for launch in launches if launch.sites or not launch.counters or not launch.kernel}
    return tuple(dict.fromkeys(launch.kernel for launch in launches if launch.kernel not in busy))
