"""What each lane of a warp does at a moment: as the page computes it (page/moments.js), for pictures."""

from __future__ import annotations

from collections.abc import Sequence

from .recording import BlockRecording, Group

_RUNNABLE, _AT_BARRIER, _AT_COLLECTIVE = range(3)
States = tuple[str, ...]  # of 32 lanes


def states(recording: BlockRecording, moment: int) -> tuple[States, ...]:
    """The state of each lane of each warp: absent, exited, barrier, meets, waits (its warp has diverged),
    off, runs or ready.
    """
    groups: list[tuple[int, Sequence[Group]]] = list(recording.groups)
    last = [-1] * len(groups)
    for number, step in enumerate(recording.steps[: moment + 1]):
        last[step.warp] = number
        if step.alive is not None and step.groups is not None:
            groups[step.warp] = (step.alive, step.groups)
        for warp, alive, list_ in step.others:
            groups[warp] = (alive, list_)
    x, y, z = recording.head["block"]
    return tuple(
        tuple(
            _state(recording, moment, last[warp], lane, *groups[warp])
            if 32 * warp + lane < x * y * z
            else "absent"
            for lane in range(32)
        )
        for warp in range(len(groups))
    )


def _state(
    recording: BlockRecording, moment: int, last: int, lane: int, alive: int, groups: Sequence[Group]
) -> str:
    running = last == moment
    group = next((each for each in groups if each.mask >> lane & 1), None)
    if running and recording.steps[last].has(lane):
        return "barrier" if group and group.state == _AT_BARRIER else "runs"
    if not alive >> lane & 1:
        return "exited"
    if group is None:
        return "off" if running else "ready"
    if group.state == _AT_BARRIER:
        return "barrier"
    if group.state == _AT_COLLECTIVE:
        return "meets"
    return "waits" if len(groups) > 1 or running else "ready"
