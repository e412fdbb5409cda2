"""Theoretical occupancy: how many blocks of a kernel one SM can hold, and which limit that is.

The rules are those of the CUDA C++ Programming Guide and of cuda_occupancy.h; the limits are the
rows of grader/gpus/compute_capability.toml.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from ..core import toml
from ..records import Occupancy
from ..tables.hardware import WARP

UNLIMITED = 1 << 30


@dataclass(frozen=True)
class SmLimits:
    """What one SM can hold at a time. Memory in bytes; see the head of compute_capability.toml."""

    threads: int
    warps: int
    blocks: int
    registers: int
    block_registers: int
    thread_registers: int
    register_unit: int
    warp_unit: int
    shared: int
    block_shared: int
    block_shared_optin: int
    shared_unit: int
    shared_reserved: int
    block_threads: int


_LIMITS = [field.name for field in fields(SmLimits)]
_SCHEMA = {
    "type": "object",
    "required": ["limits"],
    "additionalProperties": False,
    "properties": {
        "limits": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": _LIMITS,
                "additionalProperties": False,
                "properties": {name: {"type": "integer", "minimum": 0} for name in _LIMITS},
            },
        }
    },
}


@cache
def limits_of(gpus: Path, compute_capability: str) -> SmLimits:
    """The row of that compute capability, "9.0". InstructorError if the table has no such row."""
    document = toml.load(gpus / "compute_capability.toml", _SCHEMA)
    rows = document.data["limits"]
    if compute_capability not in rows:
        known = ", ".join(rows)
        raise document.error(f"has no row {compute_capability!r}", remedy=f"known are {known}")
    return SmLimits(**rows[compute_capability])


def theoretical(
    limits: SmLimits, compute_capability: str, threads: int, registers: int, shared_bytes: int
) -> Occupancy:
    """How many blocks of `threads` threads fit; `registers` of a thread. 0: the kernel cannot be launched."""
    warps = -(-threads // WARP)
    by_limit = {
        "threads": limits.threads // threads if threads <= limits.block_threads else 0,
        "warps": limits.warps // warps,
        "blocks": limits.blocks,
        "registers": _by_registers(limits, compute_capability, warps, registers),
        "shared memory": _by_shared(limits, shared_bytes),
    }
    blocks = min(by_limit.values())
    # Of several equal limits, one that the programmer can change is named first.
    order = ("registers", "shared memory", "threads", "warps", "blocks")
    limiter = next(name for name in order if by_limit[name] == blocks)
    return Occupancy(compute_capability, blocks, blocks * warps, limits.warps, limiter)


def _by_registers(limits: SmLimits, compute_capability: str, warps: int, registers: int) -> int:
    if registers == 0:
        return UNLIMITED
    if registers > limits.thread_registers:
        return 0
    if compute_capability.startswith("1."):
        a_block = _round_up(_round_up(warps, limits.warp_unit) * WARP * registers, limits.register_unit)
        return limits.registers // a_block
    a_warp = _round_up(WARP * registers, limits.register_unit)
    if a_warp * warps > limits.block_registers:
        return 0
    # The register file is split between the SM's schedulers; a warp has all its registers in one part.
    parts = limits.warp_unit
    return parts * (limits.registers // parts // a_warp) // warps


def _by_shared(limits: SmLimits, shared_bytes: int) -> int:
    if shared_bytes > limits.block_shared_optin:
        return 0
    a_block = _round_up(shared_bytes + limits.shared_reserved, limits.shared_unit)
    return limits.shared // a_block if a_block else UNLIMITED


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
