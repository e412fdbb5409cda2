"""Memory of `warpgrade grade` itself for a class of many submissions.

    make bench-class [COUNT=100000]

Needs the grades that `make grade` has written. Hands in the solution of one lab COUNT times, each with a line
of its own, and grades them with an executor that gives each the largest result of the sample class at once.
Reading the class, admission, class.json and results.json are those of `grade`. One line of JSON: submissions,
seconds until class.json is there, the most memory of the process in MiB. Exit code 1 where it is 300 or more.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.export import results
from warpgrade.grading import batch, saved_grades
from warpgrade.grading.executors.local import LocalExecutor
from warpgrade.grading.jobs import Job
from warpgrade.grading.progress import Meter
from warpgrade.grading.result_file import ResultFile
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Result, StageRecords
from warpgrade.submission import downloads

MOST_MIB = 300


class InstantExecutor(LocalExecutor):
    """Gives every job the same result."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def grade(self, jobs: Sequence[Job], out: Path, session: Session, meter: Meter) -> ResultFile:
        results = ResultFile(out)
        for job in jobs:
            results.add(job.about.folder, self._result)
        return results


def graded_ones(grades: Path) -> Iterator[Result]:
    for student in saved_grades.load(grades).students:
        for result in student.results:
            if result.judgement and result.score:
                yield replace(result, stages=StageRecords())


def hand_in(folder: Path, name: str, source: str, count: int) -> None:
    for number in range(count):
        file = folder / f"student-{number:06}" / name
        file.parent.mkdir(parents=True)
        file.write_text(f"{source}// {number}\n", encoding="utf-8")


def main(grades: Path, count: int) -> int:
    repository = here()
    result = max(graded_ones(grades), key=lambda result: len(repr(result.judgement)))
    (graded,) = (each for each in lab.find(repository) if each.name == result.lab)
    source = (repository.solution(graded.name) / graded.files[0]).read_text(encoding="utf-8")
    session = prepare(repository, (graded,), Options("emulator", fresh=True))
    with tempfile.TemporaryDirectory(dir=grades.parent) as place:
        handed_in, out = Path(place) / "class", Path(place) / "grades"
        hand_in(handed_in, graded.files[0], source, count)
        begun = time.monotonic()
        grades = batch.grade_class(downloads.read(handed_in), out, session, executor=InstantExecutor(result))
        seconds = time.monotonic() - begun
        results.write(grades, out)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"submissions": count, "seconds": round(seconds, 1), "memory_mib": round(used)}))
    return int(used >= MOST_MIB)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000))
