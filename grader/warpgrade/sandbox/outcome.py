"""How a command ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """`status` is its exit code, 128 + signal where a signal ended it."""

    status: int
    stdout: str
    stderr: str
    timed_out: bool = False
    flooded: bool = False  # killed because it wrote more than output_bytes (limits.py)
    overfull: bool = False  # killed because it used more than memory_bytes
    spilled: bool = False  # killed because its files took more than disk_bytes, or one more than file_bytes

    @property
    def signal(self) -> int | None:
        return self.status - 128 if 128 < self.status < 128 + 65 else None

    @property
    def is_over_a_limit(self) -> bool:
        return self.timed_out or self.flooded or self.overfull or self.spilled
