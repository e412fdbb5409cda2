"""Slurm's commands: submit an array, ask what is queued and which nodes have a GPU, cancel.

The answer of squeue never decides a verdict. If squeue fails, the state of the queue counts as unknown.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...core.errors import GraderError
from ...sandbox import process

# What a command may take. It waits for the controller, so wall time counts: three times as much.
_LIMITS = process.ResourceLimits(seconds=20, output_bytes=64 << 20)
# States in which Slurm keeps an element back although a node may be free, and reasons of pending elements.
_HELD_STATES = {"RH", "SE", "RD"}
_HELD_REASONS = {"BeginTime", "JobHeldUser", "JobHeldAdmin"}
# The reason where each node that an element may use is down, drained or reserved.
_NO_NODE = "ReqNodeNotAvail"
# States of nodes that take jobs now or later; a suffix such as * or ~ is left out.
_UP = {"idle", "mix", "alloc", "comp", "resv", "plnd"}


@dataclass(frozen=True)
class Queued:
    """An array's element as squeue lists it. `is_kept_back`: in a requeue delay, or held. `has_no_node`: no
    node that it may use is up.
    """

    job: str  # number of the array
    element: int
    name: str
    is_running: bool
    is_kept_back: bool
    has_no_node: bool = False


class SlurmRefused(Exception):
    """sbatch ended with an error; the text is that of sbatch."""


def need_commands() -> None:
    """GraderError where Slurm's commands are missing."""
    missing = [name for name in ("sbatch", "squeue", "scancel") if shutil.which(name) is None]
    if missing:
        raise GraderError(
            f"{missing[0]} is missing: this machine has no Slurm",
            remedy="type this on the head node of a cluster, or leave --executor out",
        )


def submit(words: Sequence[str]) -> str:
    """Submit the job and return its number. SlurmRefused if sbatch fails for any reason."""
    found = _run(["sbatch", "--parsable", *words])
    if found is None or found.status != 0:
        raise SlurmRefused(found.stderr.strip() if found else "sbatch does not answer")
    return found.stdout.strip().splitlines()[-1].split(";")[0]


def queue() -> tuple[Queued, ...] | None:
    """The elements of this user that wait or run; None if squeue fails."""
    user = str(os.getuid())
    found = _run(["squeue", "--noheader", "--array", f"--user={user}", "--format=%F|%K|%j|%t|%r"])
    if found is None or found.status != 0:
        return None
    return tuple(filter(None, map(_queued, found.stdout.splitlines())))


def cancel(jobs: Iterable[str]) -> bool:
    """Cancel jobs, or single elements such as "12_3". Returns whether scancel could be called."""
    listed = list(jobs)
    if not listed:
        return True
    found = _run(["scancel", *listed])
    return found is not None and found.status == 0


def gpu_nodes(partition: str) -> tuple[str, ...]:
    """Nodes that are up and have a GPU, by name; `partition`: of this one, "" for all.

    GraderError where sinfo fails.
    """
    chosen = [f"--partition={partition}"] if partition else []
    found = _run(["sinfo", "--noheader", "--Node", "--format=%N|%G|%t", *chosen])
    if found is None or found.status != 0:
        words = found.stderr.strip() if found else "it does not answer"
        raise GraderError(f"sinfo fails: {words}", remedy="type sinfo: the controller must answer")
    rows = (line.split("|") for line in found.stdout.splitlines() if line.count("|") == 2)
    up = (name for name, resources, state in rows if "gpu" in resources and state.rstrip("*~#!%$@^-+") in _UP)
    return tuple(sorted(set(up)))


def _queued(line: str) -> Queued | None:
    """The element that a line of squeue describes; None for a job that is not an array."""
    words = line.split("|")
    if len(words) != 5 or not words[1].isdecimal():
        return None
    job, element, name, state, reason = words
    kept = state in _HELD_STATES or (state == "PD" and (reason in _HELD_REASONS or "held" in reason))
    no_node = state == "PD" and reason.startswith(_NO_NODE)
    return Queued(job, int(element), name, state not in {"PD", *_HELD_STATES}, kept, no_node)


def _run(command: Sequence[str]) -> process.Outcome | None:
    kept = {name: value for name, value in os.environ.items() if _is_wanted(name)}
    try:
        return process.run_trusted(command, kept, _LIMITS)
    except GraderError:
        return None


def _is_wanted(name: str) -> bool:
    """Whether Slurm's commands need the environment variable. SBATCH_… would change the request."""
    return name in ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LD_LIBRARY_PATH") or name.startswith(
        "SLURM_C"
    )
