"""Kernels of PTX against those of the lab, without a compiler."""

from __future__ import annotations

from dataclasses import replace

from support.fake_repository import LAB
from warpgrade.build import kernel_check
from warpgrade.build.ptx import PtxSummary, SourceLocations
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.records import Build, BuildStatus, SourceFile, Submission

TWO = replace(lab.load(here().labs / "01-basic"), kernels=("first", "second"))
LIKE = Build(BuildStatus.BUILT, "", parameters=("u64",), others={"second": ("u64", "u32")})


def with_kernels(**found: tuple[str, ...]) -> Build:
    text = "".join(f"__global__ void {name}() {{}}\n" for name in found)
    submission = Submission("alice", LAB, "alice", (SourceFile("kernel.cu", text),), "hash")
    summary = PtxSummary(found, 0, None, None, {"ret": 2, "atom.add.u32": 3}, False, None)
    none = SourceLocations({}, ())
    return kernel_check.checked(Build(BuildStatus.BUILT, ""), submission, TWO, lambda: none, summary, LIKE)


def test_each_kernel_is_there_with_its_own_parameters() -> None:
    right = with_kernels(first=("u64",), second=("u64", "u32"))
    assert right.status == BuildStatus.BUILT
    assert (right.parameters, right.others) == (LIKE.parameters, LIKE.others)
    assert "there is no kernel named second" in with_kernels(first=("u64",)).summary
    other = with_kernels(first=("u64",), second=("u64",))
    assert "second takes other parameters than the lab's kernel: (64 bits)" in other.summary
    assert other.diagnostics[0].line == 2


def test_of_a_file_without_the_kernel_the_message_names_its_kernels() -> None:
    assert kernel_check._no_kernel("k", [], " \n") == "the file is empty; the lab's kernel is k"
    assert "no kernel in this file" in kernel_check._no_kernel("k", [], "int a;")
    assert 'extern "C"' in kernel_check._no_kernel("k", ["_Z1kPf"], "int a;")
