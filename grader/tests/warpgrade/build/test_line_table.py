"""Lines of PTX, from a table written by hand and from what ptxas writes here."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from warpgrade.build import line_table, sass, toolkit
from warpgrade.core.paths import Repository

REPOSITORY = Repository(Path(__file__).resolve().parents[4])
KERNEL = r"""
extern "C" __global__ void k(const float* A, float* C, int n) {
  __shared__ float s[256];
  for (int p = 0; p < n; ++p) {
    s[threadIdx.x] = A[p * 256 + threadIdx.x];
    __syncthreads();
    C[p * 256 + threadIdx.x] = s[255 - threadIdx.x];
    __syncthreads();
  }
}
"""
# Header: instructions of 1 byte, lines from -5 in 14, special codes from 10; nine standard codes' operands.
HEADER = struct.pack("<BBbBB", 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0\0"


def table(program: bytes) -> bytes:
    unit = struct.pack("<HI", 2, len(HEADER)) + HEADER + program
    return struct.pack("<I", len(unit)) + unit


def set_address(to: int) -> bytes:
    return b"\0\x09\x02" + struct.pack("<Q", to)


# At address 0 line 8, at 16 line 9 (two special codes), at 48 line 7.
PROGRAM = set_address(0) + b"\x03\x07\x01" + b"\x02\x10\x03\x01\x01" + b"\x02\x20\x03\x7e\x01" + b"\0\x01\x01"


def relocation() -> bytes:
    """The address in PROGRAM is of symbol 5."""
    at = 4 + 6 + len(HEADER) + 3
    return struct.pack("<QQq", at, 5 << 32, 0)


def test_lines_by_address() -> None:
    lines = line_table.read(table(PROGRAM), relocation(), {5: 11})
    assert set(lines) == {11}
    assert [lines[11].of(address) for address in (0, 15, 16, 32, 48, 1000)] == [8, 8, 9, 9, 7, 7]


def test_special_codes_move_both() -> None:
    program = set_address(0) + bytes([10 + 5 + 3, 10 + 14 * 4 + 5 + 1])  # 0 and +3 lines; 4 and +1
    lines = line_table.read(table(program), relocation(), {5: 2})[2]
    assert (lines.of(0), lines.of(3), lines.of(4)) == (4, 4, 5)


def test_sequences_of_no_section_are_left_out() -> None:
    assert line_table.read(table(PROGRAM), b"", {}) == {}
    assert line_table.read(b"", b"", {}) == {}


@pytest.mark.parametrize("cut", [5, 12, 30, 50])
def test_a_table_that_is_cut_off_is_an_error(cut: int) -> None:
    with pytest.raises(ValueError, match="cut off"):
        line_table.read(table(PROGRAM)[:cut], relocation(), {5: 1})


def test_machine_code_comes_from_the_lines_that_do_the_same(tmp_path: Path) -> None:
    tools = toolkit.find(REPOSITORY).folder / "bin"
    (tmp_path / "k.cu").write_text(KERNEL)
    ptx, cubin = tmp_path / "k.ptx", tmp_path / "k.cubin"
    subprocess.run(
        [tools / "nvcc", "-ptx", "-lineinfo", "-arch=sm_90", "-o", ptx, tmp_path / "k.cu"], check=True
    )
    subprocess.run([tools / "ptxas", "-lineinfo", "-arch=sm_90", "-o", cubin, ptx], check=True)
    text = ptx.read_text().splitlines()
    words = {"global load": "ld.global", "global store": "st.global", "shared load": "ld.shared",
             "shared store": "st.shared", "barrier": "bar"}  # fmt: skip
    seen = set()
    for each in sass.read(cubin.read_bytes())["k"].instructions:
        if each.kind in words:
            assert words[each.kind] in text[each.line - 1]
            seen.add(each.kind)
    assert seen == set(words)
