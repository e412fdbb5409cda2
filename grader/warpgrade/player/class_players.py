"""Pages that step through the findings of a graded class, made on demand: grading records nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..build.compiler import Compiler
from ..core import store
from ..core.errors import WarpgradeError
from ..core.scratch import scratch_folder
from ..feedback import findings, playable
from ..records import Grades, Lab, Result
from ..run.harness import RunnerConfig
from . import choice, page, scene


@dataclass(frozen=True)
class MissingPage:
    """A page that is not there yet. `name`: below the class's output folder."""

    student: str
    lab: Lab
    result: Result
    number: int
    name: str


def missing(grades: Grades, out: Path, student: str = "") -> Iterator[MissingPage]:
    """The pages that are missing for findings on students' pages. `student`: only this one's."""
    for each in grades.students:
        for lab in grades.labs if student in ("", each.id) else ():
            for result in (result for result in each.results if result.lab == lab.name):
                names = playable.page_names(lab, result, each.id)
                shown = (card.number for card in findings.finding_cards(lab, result) if card.number)
                for number in dict.fromkeys(shown):
                    if not (out / names[number]).exists():
                        yield MissingPage(each.id, lab, result, number, names[number])


def make(wanted: MissingPage, compiler: Compiler, runner: RunnerConfig, out: Path) -> str:
    """Write the page. Returns why there is none, "" if it was written."""
    if wanted.result.submission is None:
        return "its source is not saved"
    chosen = choice.choose(wanted.lab, wanted.result, number=wanted.number)
    try:
        with scratch_folder(compiler.repository) as folder:
            made = scene.record(wanted.result.submission, wanted.lab, chosen, compiler, runner, folder)
    except WarpgradeError as error:
        return error.message
    store.write_text(out / wanted.name, page.of_scene(made, wanted.lab.title))
    return ""
