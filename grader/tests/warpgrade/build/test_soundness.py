"""A damaged tool of the CUDA compiler is named; no submission is blamed for it."""

from __future__ import annotations

import base64
import hashlib

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.build import toolkit
from warpgrade.build.compiler import Compiler, build
from warpgrade.build.program import build_program
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import Build, BuildStatus, SourceFile, Submission

# As where nvcc starts a damaged tool: no message on a line of a file.
_DAMAGED = 'echo "sh: 1: cicc: Exec format error" >&2; exit 126'
_DAMAGED_FOR = f'for source; do :; done; if grep -q CRASH "$source"; then {_DAMAGED}; fi; touch sound'


def _replace_nvcc(repository: Repository, script: str) -> None:
    version = 'if [ "$1" = --version ]; then echo V13.0.88; exit 0; fi'
    write(repository.toolkit / "bin" / "nvcc", f"#!/bin/sh\n{version}\n{script}\n")


def _built(repository: Repository, text: str, kind: str) -> Build:
    submission = Submission("alice", LAB, "alice", (SourceFile("kernel.cu", text),), "hash")
    compiler = Compiler(repository, toolkit.find(repository), "none")
    make = build_program if kind == "program" else build
    return make(submission, lab.load(repository.labs / LAB), compiler, repository.root / "out")


@pytest.mark.parametrize("make", ["kernel", "program"])
def test_a_damaged_tool_is_named_and_not_the_submission(repository: Repository, make: str) -> None:
    _replace_nvcc(repository, _DAMAGED)
    with pytest.raises(GraderError, match="cicc: Exec format error") as caught:
        _built(repository, GOOD, make)
    assert caught.value.file == repository.toolkit.resolve() and "make tools" in caught.value.remedy


@pytest.mark.parametrize("make", ["kernel", "program"])
def test_errors_on_right_lines_after_half_a_header(repository: Repository, make: str) -> None:
    """As with half of the toolkit's crt/host_runtime.h: the first error is in no file of the submission."""
    where = "/toolkit/include/crt/host_runtime.h:91: error: unterminated #else"
    _replace_nvcc(
        repository, f'echo "{where}" >&2; echo "kernel.cu:1:1: error: not allowed here" >&2; exit 1'
    )
    with pytest.raises(GraderError, match="unterminated #else"):
        _built(repository, GOOD, make)


@pytest.mark.parametrize("make", ["kernel", "program"])
def test_a_submission_that_breaks_a_sound_tool_is_to_blame(repository: Repository, make: str) -> None:
    _replace_nvcc(repository, _DAMAGED_FOR)
    assert _built(repository, GOOD + "// CRASH\n", make).status == BuildStatus.BUILD_FAILED


def test_a_damaged_assembler_is_named(repository: Repository) -> None:
    """The front end works, as its tool does; nvcc fails once it makes machine code."""
    nvcc = repository.toolkit / "bin" / "nvcc"
    sound = nvcc.read_text().removeprefix("#!/bin/sh\n")
    write(nvcc, f'#!/bin/sh\ncase "$*" in *code=[*) {_DAMAGED};; esac\n{sound}')
    write(repository.toolkit / "bin" / "ptxas", "#!/bin/sh\nexit 139\n")
    with pytest.raises(GraderError, match="Exec format error"):
        _built(repository, GOOD, "kernel")


def _listed_toolkit(repository: Repository, header: str) -> None:
    """The toolkit as its wheels leave it, with a header of ten lines in the list of its files; then with
    `header` in place of it, if any, and an nvcc that finds fault with the student's line."""
    wheels, text = repository.root / "wheels", b"half __float2half(float);\n" * 10
    folder = wheels / "nvidia" / "cu13"
    folder.parent.mkdir(parents=True)
    repository.toolkit.resolve().rename(folder)
    repository.toolkit.symlink_to(folder)
    write(folder / "include" / "cuda_fp16.h", header or text.decode())
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    rows = f"nvidia/cu13/include/cuda_fp16.h,sha256={digest},{len(text)}\nnvidia/cu13/bin/gone,,\n"
    write(wheels / "nvidia_cuda_runtime-13.0.96.dist-info" / "RECORD", rows)
    _replace_nvcc(
        repository,
        f'for source; do :; done; if grep -q __float2half "$source"; then {_ON_A_LINE}; fi; touch sound',
    )


_ON_A_LINE = "echo 'kernel.cu(2): error: identifier \"__float2half\" is undefined' >&2; exit 1"
_CALL = GOOD + "// __float2half(x)\n"


@pytest.mark.parametrize("make", ["kernel", "program"])
@pytest.mark.parametrize("header", ["half __float2h", "half __float2half(flaat);\n" * 10])
def test_a_damaged_header_that_only_the_submission_includes(
    repository: Repository, make: str, header: str
) -> None:
    """The first error is on a line of the submission. The second text is as long as the right one."""
    _listed_toolkit(repository, header)
    with pytest.raises(GraderError, match="not as it was installed") as caught:
        _built(repository, _CALL, make)
    assert caught.value.file is not None and caught.value.file.name == "cuda_fp16.h"


def test_a_whole_header_leaves_the_submission_to_blame(repository: Repository) -> None:
    _listed_toolkit(repository, "")
    assert _built(repository, _CALL, "kernel").status == BuildStatus.BUILD_FAILED
