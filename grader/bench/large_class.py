"""Memory and time of `warpgrade report` for a class of many submissions, and of opening its page.

    make bench-class [COUNT=100000]

Needs the grades that `make grade` has written. The class has COUNT submissions: those that were graded in
turn, each with a student of its own. The pages of students are left out, as each is written and forgotten
by itself. One line of JSON: submissions, seconds, the most memory of the process in MiB, MiB of
class.json, results.json and index.html, and the milliseconds in which headless Chromium opens index.html.
Exit code 1 where the process took 300 MiB or more, or the page two seconds.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

from page_probe import OPENING, measured

from warpgrade.cli import class_output
from warpgrade.grading import saved_grades, saved_students
from warpgrade.records import Student
from warpgrade.report import html

MOST_MIB, MOST_MS = 300, 2000


def invented(students: tuple[Student, ...], grades: Path, count: int) -> Iterator[Student]:
    """So many students with one result each; its stages lie where they were graded."""
    handed_in = [replace(each, results=(one,)) for each in students for one in each.results]
    for number, student in enumerate(islice(cycle(handed_in), count)):
        (one,) = student.results
        name = f"student-{number:06}"
        moved = replace(one, folder=str(saved_grades.folder_of(grades, student.id, one)))
        yield replace(student, id=name, name=name, entry=name, results=(moved,), earlier=())


def prepare(grades: Path, out: Path, count: int) -> None:
    """Write the class's records. In a process of its own, whose memory is not measured."""

    def write() -> None:
        old = saved_grades.load(grades)
        saved_students.save(old, invented(tuple(old.students), grades, count), out)

    writer = multiprocessing.get_context("fork").Process(target=write)
    writer.start()
    writer.join()
    if writer.exitcode != 0:
        sys.exit("bench: the class could not be written")


def report(out: Path) -> None:
    """What `warpgrade report` does, without the pages of students."""
    html._student_page = lambda *_, **__: ""  # type: ignore[assignment]
    with saved_grades.reopened(out) as grades:
        class_output.write(saved_grades.saved(grades, out, lambda student: student), out)


def mib(size: float) -> float:
    return round(size / 2**20, 1)


def main(grades: Path, count: int) -> int:
    with tempfile.TemporaryDirectory(dir=grades.parent) as folder:
        out = Path(folder)
        prepare(grades, out, count)
        begun = time.monotonic()
        report(out)
        seconds = time.monotonic() - begun
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        names = ("class.json", "results.json", "index.html")
        files = {name: mib((out / name).stat().st_size) for name in names}
        opened = measured((out / "index.html").read_text(encoding="utf-8"), OPENING)
    took = {"submissions": count, "seconds": round(seconds, 1), "memory_mib": round(used)}
    print(json.dumps({**took, **files, **opened}))
    return int(used >= MOST_MIB or float(str(opened["open_ms"])) >= MOST_MS)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000))
