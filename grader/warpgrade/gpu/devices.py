"""The GPUs of this machine: which there are, their device nodes, and who has which.

The driver tells of each in /proc/driver/nvidia/gpus/BUS/information. A submission gets one card for all it
does on a GPU; only that card's node is in its box, and CUDA is told its UUID, which means the same card
whatever else is visible. CUDA_VISIBLE_DEVICES of a batch system bounds what we take.
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
    uuid: str = ""  # empty where the driver does not tell
    name: str = ""


def find(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> tuple[Device, ...]:
    """Cards that have a node and that we may use, by number."""
    folder = root / _INFORMATION
    told = [_told(path, number) for number, path in enumerate(sorted(folder.glob("*/information")))]
    nodes = sorted(
        int(path.name[6:]) for path in (root / "dev").glob("nvidia*") if _NODE.fullmatch(path.name)
    )
    cards = [card for card in told if card.minor in nodes] or [Device(minor, minor) for minor in nodes]
    return tuple(card for card in cards if _allowed(card, environment.get(_VISIBLE)))


def _told(path: Path, number: int) -> Device:
    rows = dict(re.findall(r"^([^:\n]+):\s*(.*?)\s*$", path.read_text(encoding="utf-8"), re.MULTILINE))
    return Device(
        number, int(rows.get("Device Minor", number)), rows.get("GPU UUID", ""), rows.get("Model", "")
    )


def _allowed(card: Device, visible: str | None) -> bool:
    if visible is None:
        return True
    words = [word.strip() for word in visible.split(",")]
    return str(card.number) in words or any(word and card.uuid.startswith(word) for word in words)


def chosen(cards: Sequence[Device], wanted: str) -> tuple[Device, ...]:
    """All of them, or the one whose number is `wanted`. UsageError where there is no such card."""
    if not wanted.isdigit():
        return tuple(cards)
    one = tuple(card for card in cards if card.number == int(wanted))
    if not one:
        there = ", ".join(str(card.number) for card in cards)
        remedy = f"the GPUs are: {there}" if there else "there is none at all: leave --device out"
        raise UsageError(f"there is no GPU {wanted} here", remedy=remedy)
    return one


def nodes(card: Device | None, root: Path = Path("/")) -> tuple[Path, ...]:
    """The card's own device node and those that all cards share; all nodes for None."""
    found = sorted((root / "dev").glob("nvidia*"))
    if card is None:
        return tuple(found)
    return tuple(
        path for path in found if not _NODE.fullmatch(path.name) or path.name == f"nvidia{card.minor}"
    )


def environment(card: Device | None) -> dict[str, str]:
    """What tells CUDA which card to use."""
    if card is None:
        return {name: os.environ[name] for name in (_VISIBLE, "CUDA_DEVICE_ORDER") if name in os.environ}
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", _VISIBLE: card.uuid or "0"}


class DevicePool:
    """Hands out cards, each to one at a time: two on a card would take each other's time.

    A card that fails is taken out. Without cards that we know of there is a nameless one: what CUDA finds.
    """

    def __init__(self, cards: Sequence[Device] = ()) -> None:
        self._free: list[Device | None] = list(cards) or [None]
        self._used = 0
        self._change = threading.Condition()

    @contextmanager
    def one(self) -> Iterator[Device | None]:
        """Waits for a card that nobody has. GraderError where none is left."""
        with self._change:
            self._change.wait_for(lambda: self._free or not self._used)
            if not self._free:
                raise GraderError("no GPU is left that works", remedy=f"{typed('doctor')}, or nvidia-smi")
            card = self._free.pop(0)
            self._used += 1
        broken = True
        try:
            yield card
            broken = False
        except BrokenDevice:
            raise
        except BaseException:
            broken = False
            raise
        finally:
            with self._change:
                self._used -= 1
                if not broken:
                    self._free.append(card)
                self._change.notify_all()


class BrokenDevice(GraderError):
    """The reference solution failed on this card as well: it is not used again."""
