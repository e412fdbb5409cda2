"""Kernels with one mistake: its line is found, and no other is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import sample
from support.hand_ins import handed_in
from warpgrade.core.paths import here
from warpgrade.core.scratch import scratch_folder
from warpgrade.course import lab
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import LocatedMistake
from warpgrade.student.locate import search, words
from warpgrade.student.locate.search import Effort
from warpgrade.student.locate.wanted import wanted_cases

pytestmark = pytest.mark.long

MISTAKES = Path(__file__).resolve().parents[3] / "fixtures" / "mistakes"
SECONDS = 120.0  # far more than a quiet machine needs


@pytest.fixture(scope="module")
def sessions() -> dict[str, Session]:
    return {}


def located(sessions: dict[str, Session], name: str, text: str, effort: Effort) -> LocatedMistake | None:
    repository, course_lab = here(), lab.named(here(), name)
    if name not in sessions:
        sessions[name] = prepare(repository, [course_lab], Options("emulator", practice=True))
    session = sessions[name]
    handed = handed_in.submission(course_lab, text, repository.labs / name)
    with scratch_folder(repository) as folder:
        result = pipeline.grade_one(handed, session.prepared_labs[0], folder, session)
    about = search.CheckedKernel(handed, session.prepared_labs[0], session, result)
    found = search.locate(about, effort)
    kernels = wanted_cases(course_lab, result).kernels
    return words.located(found, handed.files[0], kernels) if found else None


@pytest.mark.parametrize(
    ("file", "code"),
    sample.sampled(
        [
            ("01-basic/loop-one-too-far.cu", "p <= k"),
            ("02-tiled/both-tiles-transposed.cu", "As[i][ty]"),
            ("02-tiled/no-barrier-after-loading.cu", ""),
            ("02-tiled/row-of-B-by-tx.cu", "tx"),
            ("02-tiled/tile-of-B-stays.cu", "ty"),
            ("06-atomics/compared-with-wanted.cu", "wanted"),
        ],
        one_in=3,
    ),
)
def test_the_line_is_named(sessions: dict[str, Session], file: str, code: str) -> None:
    path = MISTAKES / file
    text = handed_in.with_headers(path.read_bytes(), path.parent).decode()
    found = located(sessions, path.parent.name, text, Effort(SECONDS))
    assert found is not None
    assert found.source == text.splitlines()[found.line - 1]
    if code:
        assert found.source[found.column - 1 :].startswith(code)
    else:  # the barrier is missing before the loop
        assert found.column == 0 and "for (int i" in found.source


def test_two_mistakes_are_not_mended_by_one_edit(
    sessions: dict[str, Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST_EDITS", 160)  # of some 1,000: two compilations
    text = (MISTAKES / "02-tiled" / "row-of-B-by-tx.cu").read_text()
    both = text.replace("float sum = 0.0f", "float sum = 3.0f")
    assert both != text
    assert located(sessions, "02-tiled", both, Effort(SECONDS)) is None


def test_a_right_kernel_has_no_line(sessions: dict[str, Session]) -> None:
    text = (here().solution("02-tiled") / "kernel.cu").read_text()
    assert located(sessions, "02-tiled", text, Effort(SECONDS)) is None


def test_a_kernel_that_cannot_be_launched_has_no_line(sessions: dict[str, Session]) -> None:
    text = (here().solution("12-convolution") / "kernel.cu").read_text()
    begin = text.index("{", text.index("stencil_step(")) + 1
    large = "__shared__ float more[20000]; more[threadIdx.x] = 1; if (more[threadIdx.y] > 2) return;"
    changed = text[:begin] + large + text[begin:]
    assert located(sessions, "12-convolution", changed, Effort(SECONDS)) is None


def test_an_effort_that_is_spent_finds_nothing(sessions: dict[str, Session]) -> None:
    text = (MISTAKES / "02-tiled" / "row-of-B-by-tx.cu").read_text()
    assert located(sessions, "02-tiled", text, Effort(0.0)) is None


def test_progress_reaches_all_edits(sessions: dict[str, Session]) -> None:
    seen: list[tuple[int, int]] = []
    text = (MISTAKES / "01-basic" / "loop-one-too-far.cu").read_text()
    located(sessions, "01-basic", text, Effort(SECONDS, lambda tried, every: seen.append((tried, every))))
    assert seen and all(tried <= every for tried, every in seen)


@pytest.mark.parametrize("name", ["08-occupancy", "10-host-program", "13-debug"])
def test_faults_that_a_lab_asks_for_are_not_looked_for(name: str) -> None:
    assert not search.can_locate(lab.named(here(), name))


def test_two_mistakes_of_which_one_alone_makes_more_right(sessions: dict[str, Session]) -> None:
    text = (here().solution("01-basic") / "kernel.cu").read_text()
    both = text.replace("B[i * n", "B[i * k").replace("row >= m || ", "")
    assert both.count("\n") == text.count("\n")
    lines = both.splitlines()
    found = located(sessions, "01-basic", both, Effort(SECONDS))
    assert found is not None and found.other is not None
    assert {"B[i * k" in found.source, "B[i * k" in found.other.source} == {True, False}
    assert found.other.source == lines[found.other.line - 1]


def test_a_statement_in_the_wrong_place(sessions: dict[str, Session]) -> None:
    text = (here().solution("01-basic") / "kernel.cu").read_text()
    store, loop = "  C[row * n + column] = sum;\n", "  for (int i = 0"
    early = text.replace(store, "").replace(loop, store + loop)
    assert early.index(store) < early.index(loop)
    found = located(sessions, "01-basic", early, Effort(SECONDS))
    assert found is not None and store.strip() in found.source and "another place" in found.sentence


TWO_ROWS = """#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 8, 16, 16)
extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  const int column = blockIdx.x * 16 + threadIdx.x;
  const int first = blockIdx.y * 16 + threadIdx.y;
  float sum = 0.0f;
  for (int row = first; row < first + 16; row += 8) {
    if (row >= m || column >= n) continue;
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
    C[row * n + column] = sum;
  }
}
"""


def test_a_sum_that_is_not_set_to_zero_again(sessions: dict[str, Session]) -> None:
    found = located(sessions, "01-basic", TWO_ROWS, Effort(SECONDS))
    assert found is not None and found.column == 0 and '"sum" set to 0' in found.sentence
