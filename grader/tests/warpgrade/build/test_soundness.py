"""A damaged tool of the CUDA compiler is named; no submission is blamed for it."""

from __future__ import annotations

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
