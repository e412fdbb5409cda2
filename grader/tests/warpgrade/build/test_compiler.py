"""From sources to a fat binary, with an imitated compiler; test_labs.py uses the real one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import GOOD, LAB
from warpgrade import build
from warpgrade.build import toolkit
from warpgrade.build.compiler import FATBIN, Compiler
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import Build, BuildStatus, Compilation, SourceFile, Submission

CHECKOUT = Path(__file__).resolve().parents[4]
PARAMETERS = ("u64", "u64", "u32")
USUAL = Compilation()


@pytest.fixture
def compiler(repository: Repository) -> Compiler:
    return Compiler(repository, toolkit.find(repository), "none")


def built(
    compiler: Compiler,
    text: str,
    parameters: tuple[str, ...] = PARAMETERS,
    compilation: Compilation = USUAL,
) -> Build:
    submission = Submission("alice", LAB, "alice", (SourceFile("kernel.cu", text),), "hash")
    item = replace(lab.load(compiler.repository.labs / LAB), compilation=compilation)
    like = Build(BuildStatus.BUILT, "", parameters=parameters) if parameters else None
    return build.compiler.build(submission, item, compiler, compiler.repository.root / "out", like)


def test_built(compiler: Compiler) -> None:
    found = built(compiler, GOOD)
    assert found.status == BuildStatus.BUILT
    assert found.resources is not None and found.resources.registers == 32
    assert found.parameters == PARAMETERS
    assert (compiler.repository.root / "out" / FATBIN).is_file()
    assert not list((compiler.repository.root / "build" / "work").iterdir()), "nothing is left behind"


def test_a_reader_of_the_last_build_keeps_its_file(compiler: Compiler) -> None:
    """Two graders may build into one folder. The file is replaced, never emptied and written again."""
    target = compiler.repository.root / "out" / FATBIN
    built(compiler, GOOD)
    before = target.read_bytes()
    with target.open("rb") as reader:
        built(compiler, GOOD + "__device__ int more = 7;\n")
        assert target.read_bytes() != before
        unchanged = reader.read() == before  # no comparison of megabytes in pytest's message
        assert unchanged
    assert [path.name for path in target.parent.iterdir()] == [FATBIN]


def test_the_hash_does_not_depend_on_the_place(compiler: Compiler) -> None:
    assert built(compiler, GOOD).fatbin_hash == built(compiler, GOOD).fatbin_hash
    assert built(compiler, GOOD).fatbin_hash != built(compiler, GOOD + "// more\n").fatbin_hash


def test_an_error_stands_on_its_line(compiler: Compiler) -> None:
    found = built(compiler, "int a;\nint SYNTAX\n")
    assert found.status == BuildStatus.BUILD_FAILED
    assert found.summary == 'kernel.cu:2: expected a ";"'
    assert found.diagnostics[0].source == "int SYNTAX"
    assert not (compiler.repository.root / "out" / FATBIN).exists()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("asm volatile", True),
        ("GLUE(a, sm) a##b", True),
        ("as\\\nm", True),
        ("__asm__", True),
        ("a / b", False),
    ],
)
def test_who_may_write_ptx(compiler: Compiler, text: str, wanted: bool) -> None:
    assert built(compiler, f"// {text}\n{GOOD}").assembly is wanted


def test_what_fatbinary_does_not_bind(compiler: Compiler) -> None:
    """fatbinary bound the solution, so the submission is at fault: it is too large, or odd."""
    (compiler.repository.toolkit / "bin" / "fatbinary").write_text("#!/bin/sh\necho too large >&2\nexit 1\n")
    found = built(compiler, GOOD)
    assert found.status == BuildStatus.BUILD_FAILED and "too large" in found.summary


def test_another_kernel_name(compiler: Compiler) -> None:
    found = built(compiler, "// OTHER\n__global__ void other(int n) {}\n")
    assert found.status == BuildStatus.BUILD_FAILED
    assert "there is no kernel named fake_kernel; this file has other" in found.summary
    assert found.diagnostics[0].line == 2


def test_another_signature(compiler: Compiler) -> None:
    found = built(compiler, GOOD, ("u64", "u64", "u64"))
    assert found.status == BuildStatus.BUILD_FAILED
    assert "(64 bits, 64 bits, 32 bits) instead of (64 bits, 64 bits, 64 bits)" in found.summary


def test_a_compiler_that_does_not_end(compiler: Compiler) -> None:
    found = built(replace(compiler, limits=replace(build.compiler.LIMITS, seconds=0.3)), "// SLEEP\n")
    assert found.status == BuildStatus.BUILD_FAILED and "did not finish" in found.summary


def test_messages_name_no_folder_of_ours(compiler: Compiler, tmp_path: Path) -> None:
    found = built(compiler, "int SYNTAX\n")
    assert str(tmp_path) not in repr(found) and "/box" not in repr(found)


def bound(compiler: Compiler) -> str:
    """What the imitated fatbinary bound: PTX, then how ptxas was called."""
    return (compiler.repository.root / "out" / FATBIN).read_bytes().decode("utf-8", "replace")


def test_ptx_and_the_machine_code_made_of_it_are_in_one_file(compiler: Compiler) -> None:
    built(compiler, GOOD)
    assert ".visible .entry fake_kernel" in bound(compiler)
    assert "-arch=sm_90 -O3" in bound(compiler)


def test_the_ptx_is_no_newer_than_the_gpu(compiler: Compiler) -> None:
    modern = Compilation(architecture=80)
    item = replace(lab.load(compiler.repository.labs / LAB), compilation=modern)
    assert build.compiler._virtual(item, compiler) == 80
    assert build.compiler._virtual(item, replace(compiler, architecture="sm_75")) == 75


def test_a_file_chooses_among_the_levels_of_the_lab(compiler: Compiler) -> None:
    two = Compilation(ptxas=("-O3", "-O1"))
    options = "// ptxas: -O1\n"
    assert built(compiler, options + GOOD, compilation=two).status == BuildStatus.BUILT
    assert "-arch=sm_90 -O1" in bound(compiler)
    found = built(compiler, "\n" + options + GOOD)
    assert found.summary == "kernel.cu:2: ptxas level -O1 is not one of this lab's: -O3"


def test_another_level_is_another_build(compiler: Compiler) -> None:
    hashes = {
        built(compiler, GOOD, compilation=Compilation(ptxas=(level,))).fatbin_hash for level in ("-O1", "-O3")
    }
    assert len(hashes) == 2


def test_a_lab_without_tensor_cores(compiler: Compiler) -> None:
    plain = Compilation(tensor_cores=False)
    found = built(
        compiler, GOOD + "  wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1};\n", compilation=plain
    )
    assert found.status == BuildStatus.BUILD_FAILED and "runs on tensor cores" in found.summary
    assert built(compiler, GOOD + "// wmma.mma.sync\n", compilation=plain).status == BuildStatus.BUILT
