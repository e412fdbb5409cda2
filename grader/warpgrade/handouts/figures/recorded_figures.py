"""Figures of the memory accesses that a lab's solution makes on the emulator.

Each is drawn from a `trace.Recording` of the lab's solution, or of the solution with one text replaced.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ...core.errors import InstructorError
from ...core.messages import Messages
from ...core.paths import Repository
from ...course import lab
from ...drawing import accesses, element_accesses
from ...run import trace
from ...run.trace import Access, Recording
from ...solution import markers
from ...solution.markers import View


def elements(
    words: Messages, repository: Repository, *, lab: str, case: str, array: str, id: str, at: int = 0,
    kind: str = "global load", kernel: str = "", replace: tuple[str, str] | None = None,
) -> Markup:  # fmt: skip
    """The elements of an array, in sectors, that each lane of warp 0 accesses in its `at`-th access.

    `kernel`: whose launch is drawn, by default that of the case's first launch.
    """
    made = _recorded(repository, lab, case, replace, kernel=kernel)
    access = _chosen(made.of(0, kind, array), at, f"{kind} of {array}")
    return element_accesses.elements(words, made, access, id)


def bank_use(
    words: Messages, repository: Repository, *, lab: str, case: str, id: str, kind: str = "shared store",
    at: int = 0, kernel: str = "", replace: tuple[str, str] | None = None,
) -> Markup:  # fmt: skip
    """The bank of each lane of warp 0 in its `at`-th access of that kind to shared memory."""
    made = _recorded(repository, lab, case, replace, kernel=kernel)
    return accesses.bank_use(words, _chosen(made.of(0, kind), at, kind), id)


def timeline(
    words: Messages, repository: Repository, *, lab: str, case: str, id: str, block: tuple[int, int] = (0, 0),
    warps: int = 8, phases: int = 2, kernel: str = "", replace: tuple[str, str] | None = None,
) -> Markup:  # fmt: skip
    """The accesses and waits of each warp of a block between barriers, for the first phases."""
    made = _recorded(repository, lab, case, replace, block, kernel)
    return accesses.timeline(words, made, id, block=block, warps=warps, phases=phases)


# --- recordings --------------------------------------------------------------------------------


def _recorded(
    repository: Repository,
    name: str,
    case: str,
    replace: tuple[str, str] | None,
    block: tuple[int, int] = (0, 0),
    kernel: str = "",
) -> Recording:
    item = lab.named(repository, name)
    file = f"solutions/{name}/{item.files[0]}"
    source = markers.cut((repository.root / file).read_text(encoding="utf-8"), file, View.STAFF)
    if replace:
        if source.count(replace[0]) != 1:
            raise InstructorError(
                f"a figure replaces {replace[0]!r}, which occurs {source.count(replace[0])} times",
                file=file,
                remedy="correct the figure in the lab's handout",
            )
        source = source.replace(*replace)
    return trace.record(repository, item, source, case, block=block, kernel=kernel)


def _chosen(found: Sequence[Access], at: int, what: str) -> Access:
    if at >= len(found):
        raise ValueError(
            f"the figure needs access {at} of the kind {what}, but warp 0 made only {len(found)}"
        )
    return found[at]
