"""A program that questions ask about, compiled and run."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.core.errors import UsageError
from warpgrade.core.paths import here
from warpgrade.gpu import spec
from warpgrade.records import ProfiledProgram
from warpgrade.student import profiled_program

GPU = spec.load(here(), "h200")
SOURCE = """
__global__ void twice(float* x) {
  x[threadIdx.x] *= 2;  // [twice]
}
int main(int argc, char**) {
  if (argc > 3) return 7;
  float* x;
  cudaMalloc(&x, 1 << 20);
  if (argc > 1) twice<<<1, 32>>>(x);
  if (argc > 2) twice<<<4096, 1024>>>(x);
}
"""


def test_the_longest_launch_is_profiled(tmp_path: Path) -> None:
    file = tmp_path / "program.cu"
    file.write_text(SOURCE)
    with profiled_program.compiled_program(here(), file, GPU) as program:
        assert program.profile(("a", "b")).launch.grid == (4096, 1, 1)
        found = program.profile(("a",))
        with pytest.raises(UsageError, match="launches no kernel with"):
            program.profile(())
        with pytest.raises(UsageError, match="does not run on the emulator: exit code 7") as refused:
            program.profile(("a", "b", "c"))
    assert str(refused.value).startswith(f"{file}: ") and "'a' 'b' 'c'" in refused.value.remedy
    assert found.launch.block == (32, 1, 1) and found.registers > 0
    assert [(access.kind, access.mark, access.sectors) for access in found.accesses] == [
        ("global load", "twice", 4), ("global store", "twice", 4),
    ]  # fmt: skip


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="does not exist"),
        profiled_program.compiled_program(here(), tmp_path / "none.cu", GPU),
    ):
        raise AssertionError


def test_arguments_stand_in_the_programs_order() -> None:
    program = ProfiledProgram("p.cu", "h200", (("kernel", ("a",)), ("n", ("1",))))
    assert profiled_program.arguments(program, {"n": 1, "threads": 3, "kernel": "a"}) == ("a", "1")
