"""The GPUs of this machine: a list of them, their device nodes, and a pool that lends them to jobs.

The driver describes each GPU in /proc/driver/nvidia/gpus/BUS/information. All runs of a submission use the
same GPU. The sandbox contains only that GPU's device node, and CUDA_VISIBLE_DEVICES is its UUID, which names
the same GPU whichever others are visible. If a batch system has set CUDA_VISIBLE_DEVICES, only those GPUs are
used.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import GraderError, UsageError
from ..core.paths import typed

CHOICES = ("auto", "gpu", "emulator")  # values of --device; the number of one GPU is another
_INFORMATION = "proc/driver/nvidia/gpus"
_NODE = re.compile(r"nvidia\d+")
_VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True)
class Device:
    """`number` counts by bus, as nvidia-smi does; `minor` is that of its node."""

    number: int
    minor: int
    uuid: str = ""  # empty if the driver does not report it
    name: str = ""


def find(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> tuple[Device, ...]:
    """The GPUs that have a device node and that CUDA_VISIBLE_DEVICES allows, by number."""
    folder = root / _INFORMATION
    known = [_described(path, number) for number, path in enumerate(sorted(folder.glob("*/information")))]
    nodes = sorted(
        int(path.name[6:]) for path in (root / "dev").glob("nvidia*") if _NODE.fullmatch(path.name)
    )
    gpus = [gpu for gpu in known if gpu.minor in nodes] or [Device(minor, minor) for minor in nodes]
    return tuple(gpu for gpu in gpus if _allowed(gpu, environment.get(_VISIBLE)))


def present(root: Path = Path("/")) -> bool:
    """Whether there is a GPU to be used, also where only Windows has its node."""
    return bool(find(root)) or (root / "dev" / "dxg").exists()


def _described(path: Path, number: int) -> Device:
    """The GPU that this file of the driver describes."""
    rows = dict(re.findall(r"^([^:\n]+):\s*(.*?)\s*$", path.read_text(encoding="utf-8"), re.MULTILINE))
    return Device(
        number, int(rows.get("Device Minor", number)), rows.get("GPU UUID", ""), rows.get("Model", "")
    )


def _allowed(gpu: Device, visible: str | None) -> bool:
    if visible is None:
        return True
    words = [word.strip() for word in visible.split(",")]
    return str(gpu.number) in words or any(word and gpu.uuid.startswith(word) for word in words)


def chosen(gpus: Sequence[Device], wanted: str) -> tuple[Device, ...]:
    """All GPUs, or the one whose number is `wanted`. UsageError if no GPU has that number."""
    if not wanted.isdigit():
        return tuple(gpus)
    one = tuple(gpu for gpu in gpus if gpu.number == int(wanted))
    if not one:
        there = ", ".join(str(gpu.number) for gpu in gpus)
        remedy = f"the GPUs are: {there}" if there else "this machine has no GPU: leave --device out"
        raise UsageError(f"there is no GPU {wanted} here", remedy=remedy)
    return one


def nodes(gpu: Device | None, root: Path = Path("/")) -> tuple[Path, ...]:
    """The GPU's own device node and those that all GPUs share; all nodes for None."""
    found = sorted((root / "dev").glob("nvidia*"))
    if gpu is None:
        return tuple(found)
    return tuple(
        path for path in found if not _NODE.fullmatch(path.name) or path.name == f"nvidia{gpu.minor}"
    )


def environment(gpu: Device | None) -> dict[str, str]:
    """The environment variables that make CUDA use this GPU."""
    if gpu is None:
        return {name: os.environ[name] for name in (_VISIBLE, "CUDA_DEVICE_ORDER") if name in os.environ}
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", _VISIBLE: gpu.uuid or "0"}


class DevicePool:
    """Lends each GPU to `shares` jobs at a time, which take turns on it (turns.py).

    A GPU that fails is removed from the pool. If no GPU is known, the pool holds None: the one that CUDA
    finds.
    """

    def __init__(self, gpus: Sequence[Device] = (), shares: int = 1) -> None:
        working: Sequence[Device | None] = gpus or [None]
        self._jobs = dict.fromkeys(working, 0)
        self._shares = shares
        self._change = threading.Condition()

    @contextmanager
    def one(self) -> Iterator[Device | None]:
        """Wait for a share of a GPU, of that with the fewest jobs. GraderError if no GPU is left."""
        with self._change:
            self._change.wait_for(lambda: not self._jobs or min(self._jobs.values()) < self._shares)
            if not self._jobs:
                raise GraderError("no GPU is left that works", remedy=f"{typed('doctor')}, or nvidia-smi")
            gpu = min(self._jobs, key=lambda each: self._jobs[each])
            self._jobs[gpu] += 1
        try:
            yield gpu
        except BrokenDevice:
            with self._change:
                self._jobs.pop(gpu, None)
            raise
        finally:
            with self._change:
                if gpu in self._jobs:
                    self._jobs[gpu] -= 1
                self._change.notify_all()


class BrokenDevice(GraderError):
    """The reference solution failed on this GPU as well, so the GPU is not used again."""
