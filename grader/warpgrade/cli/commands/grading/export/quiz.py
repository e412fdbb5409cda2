"""`warpgrade export quiz`: questions for the quizzes of Moodle and Canvas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .....core.errors import UsageError
from .....core.paths import Repository, here
from ....command_groups import ListedCommand
from ....error_reports import EXIT_CODES
from ....parameters import File

if TYPE_CHECKING:
    from .....export.quiz import Quiz


@click.command(cls=ListedCommand, position=9, epilog=EXIT_CODES)
@click.argument("system", type=click.Choice(("moodle", "canvas")))
@click.argument("name", metavar="LAB|PAGE|all")
@click.option("--variants", type=click.IntRange(1, 200), default=10, help="of each question; default: 10")
@click.option("--out", type=File(), help="a folder; default: build/quizzes")
def command(system: str, name: str, variants: int, out: Path | None) -> int:
    """Write questions with variants for a quiz.

    A lab of questions is marked by the system, with tolerance and a sentence for each usual slip. The
    questions of a handout are marked by a person, who sees the answer. `all` writes one file for each.
    """
    from .....core import store
    from .....export import quiz_canvas, quiz_moodle

    repository = here()
    out = out or repository.output / "quizzes"
    found = _quizzes(repository, name, variants)
    if not found:
        raise UsageError(f"{name!r} asks nothing", remedy="name a lab, a page of handouts/, or `all`")
    for kind, quiz in found:
        path = out / f"{quiz.name}{kind}-{system}.{'xml' if system == 'moodle' else 'zip'}"
        if system == "moodle":
            store.write_text(path, quiz_moodle.xml(quiz))
        else:
            store.write_bytes(path, quiz_canvas.package(quiz))
        count = sum(len(question.variants) for question in quiz.questions)
        click.echo(f"wrote {path}: {len(quiz.questions)} questions, {count} variants")
    return 0


def _quizzes(repository: Repository, name: str, variants: int) -> list[tuple[str, Quiz]]:
    """The quizzes of labs, and those of handouts, whose files have "-handout" in their names."""
    from .....answers import questions
    from .....course import lab
    from .....export import quiz
    from .....handouts import quizzes
    from .....records import LabKind

    of_answers = [each for each in lab.find(repository) if each.kind is LabKind.ANSWERS]
    wanted = [each for each in of_answers if name in ("all", each.name, each.name.partition("-")[0])]
    found = [
        ("", quiz.of_questions(each.name, each.title, questions.of_lab(repository, each.name), variants))
        for each in wanted
    ]
    pages = quizzes.of_handouts(repository, variants)
    chosen = [page for page in pages if name in ("all", page.name, page.name.partition("-")[0])]
    return found + [("-handout", page) for page in chosen]
