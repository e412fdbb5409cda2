"""The leaderboard: chosen names, shares, ranks; and never a student's own name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from support import sample_results
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.ladder_file import Ladder, LadderTiming
from warpgrade.overview import leaderboard
from warpgrade.overview.leaderboard import Board
from warpgrade.records import (  # fmt: skip
    BuildStatus,
    Grades,
    Judgement,
    PerformanceVerdict,
    Result,
    SizeTime,
    SourceFile,
    StageRecords,
    Student,
    Submission,
)
from warpgrade.report import html as report

REPOSITORY = Repository(Path(__file__).resolve().parents[4])
CARD = spec.load(REPOSITORY, "h200")
SIZE = (4096, 4096, 4096)
LADDER = Ladder({}, (LadderTiming("cuBLAS", SIZE, 2.75, 0.0, 21, 4096, 2.0 * 4096**3),))
SAMPLE = sample_results.grades()
LAB = replace(
    SAMPLE.labs[0], leaderboard=True, performance=replace(SAMPLE.labs[0].performance, gpu_sizes=(SIZE,))
)


def student(
    number: int, milliseconds: float | None, head: str = "", times: tuple[SizeTime, ...] = ()
) -> Student:
    """Somebody whose kernel takes so long; None: it is not right."""
    if milliseconds is not None:
        times = times or (SizeTime(SIZE, milliseconds, 2.7, 2.7 / milliseconds),)
    performance = PerformanceVerdict(milliseconds is not None, "", sizes=times)
    judgement = Judgement(BuildStatus.BUILT, performance=performance)
    file = SourceFile(LAB.files[0], f"// a kernel\n{head}\nint x;\n")
    submission = Submission(f"s{number}", LAB.name, "", (file,), "")
    result = Result(LAB.name, "graded", StageRecords(submission), judgement)
    return Student(f"s{number}", f"Secret Name {number}", "", (result,))


def board(*students: Student, ladder: Ladder | None = LADDER) -> list[Board]:
    return list(leaderboard.boards(graded(*students), CARD, ladder))


def graded(*students: Student) -> Grades:
    return replace(SAMPLE, labs=(LAB,), students=students)


def test_right_kernels_stand_by_speed_with_their_shares() -> None:
    (found,) = board(student(1, 5.5), student(2, 2.75, "// leaderboard: Ada"), student(3, None))
    first, second = found.entries
    assert (first.rank, first.name, second.rank, second.name) == (1, "Ada", 2, "anonymous")
    assert first.tflops == pytest.approx(49.98, abs=0.01) and first.of_library == pytest.approx(1)
    assert first.ratio == pytest.approx(0.98, abs=0.01) and first.of_roof == pytest.approx(0.747, abs=0.001)
    assert second.of_library == pytest.approx(0.5)


def test_a_size_that_the_course_draws_is_not_shown(tmp_path: Path) -> None:
    performance = replace(
        LAB.performance, gpu_sizes=((4224, 4096, 4352),), gpu_drawn=(("4096", "4096", "4096"),)
    )
    grades = replace(graded(student(1, 5.5)), labs=(replace(LAB, performance=performance),))
    (found,) = leaderboard.boards(grades, CARD, LADDER)
    assert found.library_size == SIZE and found.entries[0].of_library is not None
    report.render(grades, tmp_path)
    page = (tmp_path / leaderboard.page_name(LAB)).read_text(encoding="utf-8")
    assert "drawn" in page and "4224" not in page and "4352" not in page and "4,224" not in page


def test_equal_times_share_a_rank() -> None:
    (found,) = board(student(1, 3.0), student(2, 3.0), student(3, 4.0))
    assert [entry.rank for entry in found.entries] == [1, 1, 3]


def test_without_a_measured_library_that_share_is_left_out() -> None:
    (found,) = board(student(1, 3.0), ladder=None)
    assert found.entries[0].of_library is None


def test_products_on_tensor_cores_have_their_own_roof_and_no_library_in_single_precision() -> None:
    on_tensor_cores = replace(LAB, work=replace(LAB.work, tensor_cores=True))
    grades = replace(graded(student(1, 2.75)), labs=(on_tensor_cores,))
    (found,) = leaderboard.boards(grades, CARD, LADDER)
    (entry,) = found.entries
    assert entry.of_library is None
    assert entry.of_roof == pytest.approx(49.98 / 1070.5, abs=0.001)


def test_a_lab_that_does_not_ask_or_has_no_right_kernel_has_none() -> None:
    assert not board(student(1, None))
    others = replace(SAMPLE, labs=(replace(LAB, leaderboard=False),), students=(student(1, 3.0),))
    assert not list(leaderboard.boards(others, CARD, LADDER))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("// leaderboard: Ada Lovelace", "Ada Lovelace"),
        ("//leaderboard:Ada", "Ada"),
        ("// leaderboard:   ", "anonymous"),
        ("/* leaderboard: Ada */", "anonymous"),
        ("// leaderboard: a\u202eb", "ab"),
        ("// leaderboard: " + "x" * 99, "x" * 32),
    ],
)
def test_names_are_chosen(line: str, name: str) -> None:
    assert leaderboard.chosen_name(f"int a;\n{line}\nint b;\n") == name


def test_the_page_escapes_and_names_nobody() -> None:
    pages = report.pages(graded(student(1, 3.0, "// leaderboard: <b>Ada</b> & Co"), student(2, 4.0)))
    page = pages[leaderboard.page_name(LAB)]
    assert "&lt;b&gt;Ada&lt;/b&gt; &amp; Co" in page and "<b>Ada" not in page
    assert "Secret Name" not in page and "anonymous" in page
    assert re.search(rf'href="{leaderboard.page_name(LAB)}"', pages["index.html"])


def test_cublas_is_compared_at_the_size_that_the_times_stand_for() -> None:
    small = Ladder(
        {}, (LadderTiming("cuBLAS", (512, 512, 512), 0.01, 0.0, 21, 512, 2.0 * 512**3), *LADDER.timings)
    )
    part = SizeTime((512, 512, 512), 0.01, 0.01, 1.0)  # modelled, for a part of SIZE
    (modelled,) = board(student(1, 2.75, times=(part,)), ladder=small)
    assert modelled.modelled and modelled.whole == SIZE
    assert modelled.entries[0].of_library == pytest.approx(0.537, abs=0.001)  # 26.8 of 50.0 TFLOP/s
    on_gpu = replace(graded(student(1, 2.75)), setting=replace(SAMPLE.setting, device="gpu"))
    (measured,) = leaderboard.boards(on_gpu, CARD, small)
    assert measured.entries[0].of_library == pytest.approx(1)  # of the step at SIZE, not of the first one
    elsewhere = Ladder({}, small.timings[:1])
    (without,) = leaderboard.boards(on_gpu, CARD, elsewhere)
    assert without.entries[0].of_library is None
