"""Sizes that are the same on every GPU with CUDA."""

from __future__ import annotations

WARP = 32  # lanes
BANKS = 32  # of shared memory
WORD = 4  # bytes of one bank's row
FLOAT = 4  # bytes
SECTOR = 32  # bytes, the unit of traffic between L1, L2 and memory
LINE = 128  # bytes of a cache line: four sectors
WAVEFRONT = 128  # bytes that one pass through the data pipe of an SM carries
