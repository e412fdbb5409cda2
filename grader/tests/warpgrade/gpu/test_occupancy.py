"""Theoretical occupancy against worked examples; the C++ tests compare with cuda_occupancy.h."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.gpu.occupancy import limits_of, theoretical
from warpgrade.records import Occupancy

GPUS = Path(__file__).resolve().parents[3] / "gpus"
HEADER = Path(__file__).resolve().parents[4] / ".deps" / "cuda" / "include" / "cuda_occupancy.h"


def occupancy(capability: str, threads: int, registers: int, shared: int = 0) -> Occupancy:
    return theoretical(limits_of(GPUS, capability), capability, threads, registers, shared)


@pytest.mark.parametrize(
    ("capability", "threads", "registers", "shared", "blocks", "limiter"),
    [
        ("9.0", 1024, 32, 0, 2, "registers"),
        ("9.0", 1024, 33, 0, 1, "registers"),
        ("9.0", 96, 40, 0, 16, "registers"),  # 17 if the four parts of the register file are forgotten
        ("9.0", 256, 32, 2048, 8, "registers"),
        ("9.0", 256, 16, 48 * 1024, 4, "shared memory"),  # 49 KB with the reserved one: 4 in 228 KB
        ("9.0", 32, 16, 0, 32, "blocks"),
        ("9.0", 1024, 255, 0, 0, "registers"),
        ("9.0", 1025, 16, 0, 0, "threads"),
        ("9.0", 256, 16, 240_000, 0, "shared memory"),
        ("1.0", 256, 10, 0, 3, "registers"),
        ("1.0", 256, 11, 0, 2, "registers"),
        ("1.0", 512, 10, 0, 1, "registers"),
        ("1.0", 256, 8, 5 * 1024, 3, "shared memory"),
        ("7.5", 1024, 32, 0, 1, "threads"),
    ],
)
def test_blocks(
    capability: str, threads: int, registers: int, shared: int, blocks: int, limiter: str
) -> None:
    found = occupancy(capability, threads, registers, shared)
    assert (found.blocks, found.limiter) == (blocks, limiter)
    assert found.warps == blocks * -(-threads // 32)


def test_fraction() -> None:
    assert occupancy("9.0", 1024, 33).fraction == 0.5


def test_unknown_registers_do_not_limit() -> None:
    assert occupancy("9.0", 256, 0).blocks == 8


def test_no_such_capability() -> None:
    with pytest.raises(InstructorError, match="no row"):
        limits_of(GPUS, "3.3")


@pytest.mark.skipif(not HEADER.exists(), reason="needs the CUDA toolkit's headers: make prepares it")
def test_blocks_are_those_of_nvidias_header(tmp_path: Path) -> None:
    """For compute capabilities from 3.0, which cuda_occupancy.h knows."""
    oracle = tmp_path / "oracle"
    source = Path(__file__).with_name("occupancy_oracle.cpp")
    compiler = ["g++", "-std=c++17", "-isystem", str(HEADER.parent), str(source), "-o", str(oracle)]
    subprocess.run(compiler, check=True, timeout=120)
    known = tomllib.loads((GPUS / "compute_capability.toml").read_text())["limits"]
    limits = {capability: limits_of(GPUS, capability) for capability in known}
    wanted = [
        (capability, threads, registers, shared)
        for capability in known
        if int(capability.split(".")[0]) >= 3
        for threads in (1, 32, 33, 96, 128, 256, 320, 512, 1000, 1024)
        for registers in (1, 16, 32, 33, 40, 64, 72, 128, 168, 255)
        for shared in (0, 1, 1000, 2048, 8192, 33000, 49152)
        if registers <= limits[capability].thread_registers
    ]
    rows = []
    for capability, threads, registers, shared in wanted:
        sm = limits[capability]
        rows.append(
            f"{capability} {sm.threads} {sm.registers} {sm.block_registers} {sm.block_threads} {sm.shared} "
            f"{sm.block_shared} {sm.block_shared_optin} {sm.shared_reserved} {threads} {registers} {shared}"
        )
    printed = subprocess.run(
        [oracle], input="\n".join(rows), capture_output=True, text=True, check=True, timeout=120
    )
    expected = [int(line) for line in printed.stdout.split()]
    assert len(expected) == len(wanted) > 5000
    assert [occupancy(*row).blocks for row in wanted] == expected
