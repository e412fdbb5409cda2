"""nvcc's passes for host and device at the same time give what nvcc gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.build import dry_run, program, toolkit
from warpgrade.build.compiler import LIMITS, Compiler, box_of
from warpgrade.core.paths import here
from warpgrade.core.scratch import scratch_folder
from warpgrade.course import lab
from warpgrade.sandbox import process
from warpgrade.sandbox.process import Outcome

REPOSITORY = here()
PROGRAM = r"""
#include <cstdio>
static __device__ int kept;
__global__ void twice(int* x) { x[threadIdx.x] *= 2 + kept; kept = x[0]; }
int main() {
  twice<<<1, 32>>>(nullptr);
  std::printf("%d\n", static_cast<int>(cudaGetLastError()));
}
"""
STEPS = (
    "rm ./program_dlink.reg.c",
    'gcc -E "program.cu" -o "./program.cpp4.ii"',
    'cudafe++ --gen_module_id_file --module_id_file_name "./program.module_id" "./program.cpp4.ii"',
    'gcc -E "program.cu" -o "./program.cpp1.ii"',
    '"$CICC_PATH/cicc" --module_id_file_name "./program.module_id" "./program.cpp1.ii"',
    'ptxas "./program.ptx"',
    'fatbinary --create="./program.fatbin"',
    'gcc -c "./program.cudafe1.cpp" -o "./program.o"',
)


def compiled(text: str, passes: bool, work: Path) -> tuple[Outcome, bytes]:
    """What nvcc says and makes of a program: by its own commands side by side, or by itself."""
    found = lab.load(REPOSITORY.labs / "10-host-program")
    compiler = Compiler(REPOSITORY, toolkit.find(REPOSITORY))
    (work / "program.cu").write_text(text)
    options = ("--keep", "--keep-dir", "/box", "-o", "/box/program", "./program.cu")
    command = (*program._nvcc(found, compiler), *options)
    if passes:
        outcome = program._compiled(command, compiler, work)
        assert (work / "device.messages").is_file()
    else:
        outcome = process.run(command, box_of(compiler, work), LIMITS, compiler.sandbox)
    made = work / "program"
    return outcome, made.read_bytes() if made.is_file() else b""


def both(text: str) -> tuple[tuple[Outcome, bytes], tuple[Outcome, bytes]]:
    with scratch_folder(REPOSITORY) as work, scratch_folder(REPOSITORY) as other:
        return compiled(text, True, work), compiled(text, False, other)


@pytest.mark.needs_sandbox
def test_a_program_gives_the_same_by_both_runtimes() -> None:
    (one, mine), (two, theirs) = both(PROGRAM)
    assert (one.status, one.stdout, one.stderr) == (two.status, two.stdout, two.stderr) == (0, "", "")
    assert len(mine) == len(theirs)


@pytest.mark.needs_sandbox
@pytest.mark.parametrize(
    "line",
    [
        "int unused = 1; x[1] == 2;",  # a warning of both passes
        "x[0] = missing;",  # an error of the host's pass
        "__shared__ int many[1 << 20]; many[x[0]] = 1; x[0] = many[x[1]];",  # an error of ptxas
    ],
    ids=["warning", "error", "ptxas"],
)
def test_messages_are_those_of_nvcc_in_its_order(line: str) -> None:
    (one, mine), (two, theirs) = both(PROGRAM.replace("kept = x[0];", line))
    assert (one.stdout, one.stderr) == (two.stdout, two.stderr)
    assert one.stderr
    assert (one.status == 0) == (two.status == 0)
    assert bool(mine) == bool(theirs)


def test_a_script_runs_the_passes_side_by_side() -> None:
    script = dry_run.side_by_side(dry_run.DryRun("export A=b\n", STEPS), "program")
    assert script is not None
    assert script.startswith("export A=b\n")
    assert "--gen_module_id_file" not in script
    assert script.index("ptxas") < script.index("&\n") < script.index("cudafe++") < script.index("gcc -c")


@pytest.mark.parametrize("without", [2, 4, 6])
def test_commands_that_are_not_as_expected_are_left_to_nvcc(without: int) -> None:
    steps = (*STEPS[:without], *STEPS[without + 1 :])
    assert dry_run.side_by_side(dry_run.DryRun("", steps), "program") is None


def test_settings_and_steps_are_distinguished() -> None:
    dry = dry_run.read('#$ TOP=/a b/..\nnvcc warning : old\n#$ ptxas "x.ptx"\n')
    assert dry == dry_run.DryRun("export TOP='/a b/..'\n", ('ptxas "x.ptx"',))
