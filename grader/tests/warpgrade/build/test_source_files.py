"""The same source gives the same bytes, whenever and wherever it is built."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support import sample
from warpgrade.build import toolkit
from warpgrade.build.compiler import FATBIN, Compiler, build
from warpgrade.build.program import PROGRAM, build_program
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.records import Build, BuildStatus, Lab, LabKind
from warpgrade.sandbox import process
from warpgrade.submission import admit

REPOSITORY = here()
Builds = Callable[..., Build]
pytestmark = pytest.mark.skipif(
    not (REPOSITORY.emu.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)


def of_kind(kind: LabKind) -> list[Lab]:
    return [item for item in lab.find(REPOSITORY) if item.kind is kind]


@pytest.mark.parametrize(
    "sandbox",
    sample.sampled(
        (pytest.param(kind, marks=pytest.mark.needs_sandbox(kind)) for kind in process.KINDS), one_in=2
    ),
)
@pytest.mark.parametrize(
    ("item", "builds", "name"),
    [
        pytest.param(of_kind(LabKind.KERNELS)[0], build, FATBIN, id="first kernels"),
        pytest.param(of_kind(LabKind.KERNELS)[-1], build, FATBIN, id="last kernels"),
        pytest.param(of_kind(LabKind.PROGRAM)[0], build_program, PROGRAM, id="program"),
    ],
)
def test_two_builds_are_equal(sandbox: str, item: Lab, builds: Builds, name: str, tmp_path: Path) -> None:
    """The second begins more than a second later, as tools record in seconds when a file was written. The
    last lab's kernels have functions whose names hold that of their module.
    """
    compiler = Compiler(REPOSITORY, toolkit.find(REPOSITORY), sandbox=sandbox)
    submission = admit.from_file(REPOSITORY.solution(item.name) / item.files[0], item, "you")
    made = []
    for wait in (0.0, 1.1):
        time.sleep(wait)
        out = tmp_path / str(len(made))
        assert builds(submission, item, compiler, out).status is BuildStatus.BUILT
        made.append((out / name).read_bytes())
    assert made[0] == made[1]
