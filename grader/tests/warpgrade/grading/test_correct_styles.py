"""Right kernels in unlike styles: none of them may lose a point for correctness, in any lab that it fits.

A style is a file in `grader/tests/fixtures/submissions/styles`, found by listing. Its second line says for
which
sizes it is right. It is built once, and that one binary is given the cases of each lab.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import pytest

from support.backends import strongest
from support.sample import sampled
from warpgrade.build import toolkit
from warpgrade.build.compiler import FATBIN, Compiler, build
from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.records import BuildStatus, Lab, SourceFile, Submission
from warpgrade.run import datasets, harness
from warpgrade.run.harness import HarnessJob, RunnerConfig

pytestmark = pytest.mark.long

REPOSITORY = here()
STYLES = {
    path.stem: path.read_text("utf-8")
    for path in sorted(
        (REPOSITORY.root / "grader" / "tests" / "fixtures" / "submissions" / "styles").glob("*.cu")
    )
}
SIZES = ("// Fits: any size.", "// Fits: multiples of 32.")
KERNEL = "KERNEL"
LABS = lab.find(REPOSITORY)


def fits(text: str, item: Lab) -> bool:
    """Whether a style fits a lab: by its parameters, of which lab 09 has more, and by its sizes."""
    skeleton = (REPOSITORY.labs / item.name / item.files[0]).read_text("utf-8")
    if "const float* A, const float* B, float* C, int m, int n, int k)" not in " ".join(skeleton.split()):
        return False
    whole_tiles = all(size % 32 == 0 for case in item.cases for size in case.size)
    return text.splitlines()[1] == SIZES[0] or whole_tiles


@functools.cache
def data_of(item: Lab) -> Path:
    return datasets.prepare(REPOSITORY, item, datasets.PUBLIC_SALT)


@pytest.mark.parametrize("style", sampled(STYLES, one_in=16))
def test_it_is_right_in_every_case_of_every_lab_that_it_fits(style: str, tmp_path: Path) -> None:
    tools = toolkit.find(REPOSITORY)
    source = SourceFile("kernel.cu", STYLES[style])
    submission = Submission(style, LABS[0].name, style, (source,), "")
    compiler = Compiler(REPOSITORY, tools, sandbox=strongest())
    built = build(submission, replace(LABS[0], kernels=(KERNEL,)), compiler, tmp_path)
    assert built.status == BuildStatus.BUILT, built.summary
    tried = [item for item in LABS if fits(STYLES[style], item)]
    assert tried
    for item in tried:
        own = replace(item, kernels=(KERNEL,))
        job = HarnessJob(own, tmp_path / FATBIN, data_of(item), ("--mode", "check"))
        report = harness.start(
            job, RunnerConfig(REPOSITORY, tools, sandbox=strongest(), threads=1), submission
        )
        assert report.findings == (), [(f.label, f.place.line, f.message) for f in report.findings]
        assert {case.name: case.status for case in report.cases} == {case.name: "pass" for case in item.cases}


def test_there_are_enough_and_each_says_what_it_fits() -> None:
    assert len(STYLES) >= 30
    for style, text in STYLES.items():
        first, second = text.splitlines()[:2]
        assert first.startswith("// ") and first.endswith(".") and second in SIZES, style
        assert text.count(f"{KERNEL}(") == 1, style
