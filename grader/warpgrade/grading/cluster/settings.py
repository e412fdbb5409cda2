"""What a task may take, from cluster.toml and the command line: docs/cluster.md has an example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core import toml
from ...core.errors import UsageError

FILE = "cluster.toml"  # in the top folder
_SCHEMA = Path(__file__).with_name("cluster.schema.json")


@dataclass(frozen=True)
class TaskSettings:
    """The settings for the tasks of one stage."""

    partition: str = ""
    account: str = ""
    constraint: str = ""
    memory: str = ""
    gres: str = ""
    minutes: int = 60
    cpus: int = 2
    at_once: int = 64
    chunk: int = 0  # submissions; 0: from measured costs
    options: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()  # words before the command on a node

    def words(self) -> list[str]:
        """The options of sbatch."""
        named = {
            "partition": self.partition,
            "account": self.account,
            "constraint": self.constraint,
            "mem": self.memory,
            "gres": self.gres,
            "time": self.minutes,
            "cpus-per-task": self.cpus,
        }
        return [*(f"--{name}={value}" for name, value in named.items() if value), *self.options]


@dataclass(frozen=True)
class ClusterSettings:
    emulate: TaskSettings = TaskSettings()
    time: TaskSettings | None = None  # None: times are modelled
    largest_array: int = 1000
    poll_seconds: float = 2.0
    settle_seconds: float = 5.0


def load(file: Path | None, standard: Path, given: Mapping[str, Any]) -> ClusterSettings:
    """The settings of `file`, else of `standard` if it exists, else defaults. `given`: settings from the
    command line, for the tasks of every stage.

    InstructorError with the line of a mistake; UsageError if `file` is missing.
    """
    if file is not None and not file.exists():
        raise UsageError("is missing", file=file, remedy="docs/cluster.md has an example")
    place = file or standard
    data = toml.load(place, _SCHEMA).data if place.exists() else {}
    gpu = data.pop("gpu", None)
    own = {
        name: data.pop(name) for name in ("largest_array", "poll_seconds", "settle_seconds") if name in data
    }
    emulate = _overridden(_stage(data), given)
    time = None if gpu is None else _overridden(_stage({"gres": "gpu:1", **data, "chunk": 0, **gpu}), given)
    return ClusterSettings(emulate, time, **own)


def with_gpu(settings: ClusterSettings) -> ClusterSettings:
    """The settings with a stage that times, for `--device gpu` without a table [gpu]."""
    return replace(settings, time=settings.time or replace(settings.emulate, gres="gpu:1", chunk=0))


def _stage(data: Mapping[str, Any]) -> TaskSettings:
    lists = {name: tuple(data.get(name, ())) for name in ("options", "prefix")}
    return TaskSettings(**{**data, **lists})


def _overridden(stage: TaskSettings, given: Mapping[str, Any]) -> TaskSettings:
    set_ones = {name: value for name, value in given.items() if value}
    options = (*stage.options, *set_ones.pop("options", ()))
    return replace(stage, **set_ones, options=options)
