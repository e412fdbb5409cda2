"""The leaderboard of an open lab: right kernels by speed, under names that their authors chose.

A class may see it, so it contains no student's name: a line `// leaderboard: NAME` in the first file
puts that name on it, and every other kernel is anonymous.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..course import draws, work
from ..gpu.ladder_file import LIBRARY, Ladder
from ..gpu.spec import GpuSpec
from ..records import Grades, Lab, Result, Size, SizeTime, Student
from . import class_overview

ANONYMOUS = "anonymous"
_NAME = re.compile(r"^//[ \t]*leaderboard:[ \t]*(\S.*)", re.MULTILINE)
_LONGEST = 32  # characters of a name


@dataclass(frozen=True)
class LeaderboardEntry:
    """One right kernel. `ratio`: t_reference / t_student. `of_roof`, `of_library`: fractions, not percent."""

    rank: int
    name: str
    milliseconds: float
    tflops: float
    ratio: float
    of_roof: float
    of_library: float | None  # None if cuBLAS was not measured on this GPU


@dataclass(frozen=True)
class Board:
    lab: Lab
    size: Size
    modelled: bool  # whether times are modelled, each as a part of a product of the size `whole`
    whole: Size
    library_size: Size  # for which cuBLAS was measured
    gpu: str
    entries: tuple[LeaderboardEntry, ...]


def page_name(lab: Lab) -> str:
    return f"leaderboard-{lab.name}.html"


class BoardBuilder:
    """Takes the students one by one and keeps the entries of those whose kernel was timed."""

    def __init__(self, grades: Grades, gpu: GpuSpec, ladder: Ladder | None) -> None:
        self._gpu, self._ladder = gpu, ladder
        self._modelled = grades.setting.device != "gpu"
        self._labs = [lab for lab in grades.labs if lab.leaderboard]
        self._found: dict[str, list[tuple[SizeTime, LeaderboardEntry]]] = {lab.name: [] for lab in self._labs}

    def add(self, student: Student) -> None:
        for lab in self._labs:
            result = class_overview.result_of(student, lab.name)
            time = _time(result)
            if time is not None:
                library = None if lab.work.tensor_cores else _library(self._ladder, _library_size(lab))
                entry = _entry(lab, chosen_name(_text(result, lab)), time, self._gpu, library)
                self._found[lab.name].append((time, entry))

    def boards(self) -> Iterator[Board]:
        """The leaderboard of each lab that asks for one and has a timed kernel."""
        for lab in self._labs:
            found = sorted(self._found[lab.name], key=lambda pair: (pair[1].milliseconds, pair[1].name))
            if found:
                timed, _ = found[0]
                entries = tuple(replace(entry, rank=_rank(found, entry)) for _, entry in found)
                whole = work.whole(lab)
                yield Board(
                    lab, timed.size, self._modelled, whole, _library_size(lab), self._gpu.name, entries
                )


def boards(grades: Grades, gpu: GpuSpec, ladder: Ladder | None) -> Iterator[Board]:
    builder = BoardBuilder(grades, gpu, ladder)
    for student in grades.students:
        builder.add(student)
    return builder.boards()


def _rank(found: list[tuple[SizeTime, LeaderboardEntry]], entry: LeaderboardEntry) -> int:
    """The entry's rank. Equal times share one."""
    return 1 + sum(other.milliseconds < entry.milliseconds for _, other in found)


def _time(result: Result | None) -> SizeTime | None:
    """The time of the largest size; None if the kernel was not timed."""
    performance = result.judgement.performance if result and result.judgement else None
    return performance.sizes[-1] if performance and performance.judged and performance.sizes else None


def _text(result: Result | None, lab: Lab) -> str:
    return (result.submission.source(lab.files[0]) if result and result.submission else None) or ""


def _library_size(lab: Lab) -> Size:
    """The largest that everybody knows: the library's rate hardly changes with what the course adds to it."""
    return work.whole(draws.public(lab))


def _library(ladder: Ladder | None, size: Size) -> float | None:
    """GFLOP/s of cuBLAS for exactly that size; None if it was not measured."""
    timing = ladder.timing(LIBRARY, size) if ladder else None
    return timing.gflops if timing else None


def _entry(lab: Lab, name: str, time: SizeTime, gpu: GpuSpec, library: float | None) -> LeaderboardEntry:
    rate = work.rate(lab, time.size, time.student_ms)
    peak = gpu.peak_gflops_of(lab.work.tensor_cores)
    roof = peak if lab.work.rate == work.FLOPS else gpu.memory_bytes_per_second / 1e9
    return LeaderboardEntry(
        rank=0,
        name=name,
        milliseconds=time.student_ms,
        tflops=rate / 1e3,
        ratio=time.ratio,
        of_roof=rate / roof,
        of_library=rate / library if library else None,
    )


def chosen_name(text: str) -> str:
    """The name that the file asks for, in printable characters; "anonymous" if it asks for none."""
    options = _NAME.search(text)
    name = "".join(each for each in options[1] if each.isprintable()).strip() if options else ""
    return name[:_LONGEST] or ANONYMOUS
