"""A class of three labs over three weeks in one folder, graded by imitated tools."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from support.fake_repository import GOOD, LAB, write
from warpgrade.course import lab, policy
from warpgrade.grading import batch
from warpgrade.grading.progress import Pace
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.judge import late_policy
from warpgrade.records import Grades, Result
from warpgrade.submission import downloads, hand_in_times
from warpgrade.submission.roster import People

LABS = (LAB, "08-second", "09-third")
RULES = f"""\
[due]
{LABS[0]} = 2026-10-01T12:00:00+00:00
{LABS[1]} = 2026-10-08T12:00:00+00:00
{LABS[2]} = 2026-10-15T12:00:00+00:00

[late]
free_days = 3
percent_a_day = 10
"""


class TermFolder:
    """A folder of grades, and Blackboard's downloads, which have times."""

    def __init__(self, root: Path, session: Session) -> None:
        self.root, self.session, self.out = root, session, root / "term"
        self.rules = policy.load(write(root / "policy.toml", RULES))
        repository = session.repository
        for name in LABS[1:]:
            shutil.copytree(repository.labs / LAB, repository.labs / name)
            shutil.copytree(repository.solution(LAB), repository.solution(name))
            shutil.copyfile(repository.harness(LAB), repository.harness(name))
            repository.harness(name).chmod(0o755)

    def hand_in(self, week: str, student: str, at: str, comment: str = "") -> None:
        source = GOOD + (f"// {comment}\n" if comment else "")
        write(self.root / week / f"Lab_{student}_attempt_{at}_kernel.cu", source)

    def grade(
        self, week: str, name: str, rules: policy.Policy | None = None, stop: bool = False,
        sheet: Path | None = None, people: People | None = None,
    ) -> Grades:  # fmt: skip
        repository = self.session.repository
        session = prepare(repository, [lab.named(repository, name)], Options("emulator", "none", jobs=2))
        adjust = partial(late_policy.adjusted, policy=rules or self.rules)

        def interrupt(pace: Pace) -> None:
            if stop and pace.done:
                raise KeyboardInterrupt

        download = downloads.read(self.root / week, people=people)
        download = hand_in_times.added(download, sheet) if sheet else download
        return batch.grade_class(download, self.out, session, interrupt, adjust)


def points(grades: Grades) -> dict[str, dict[str, float | None]]:
    return {
        student.id: {result.lab: result.score.total if result.score else None for result in student.results}
        for student in grades.students
    }


def attempts(grades: Grades, id: str, name: str) -> list[Result]:
    student = next(student for student in grades.students if student.id == id)
    return [result for result in student.attempts if result.lab == name]
