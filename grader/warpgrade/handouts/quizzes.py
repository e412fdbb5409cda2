"""The questions of the handouts as quizzes. A person marks the answers; the answer key stands beside."""

from __future__ import annotations

from ..core.paths import Repository
from ..export.quiz import Quiz, QuizQuestion, Variant
from . import markdown, pages

_POINTS = 1.0


def of_handouts(repository: Repository, variants: int) -> tuple[Quiz, ...]:
    """A quiz for each page that asks something. Variants differ in their numbers."""
    drawn = [
        pages.handouts(repository, seed=f"quiz-{number}" if number else "") for number in range(variants)
    ]
    quizzes = []
    for same in zip(*drawn, strict=True):
        page = same[0]
        if page.questions:
            found: dict[str, dict[Variant, None]] = {}
            for each in same:
                for question in each.questions:
                    text, key = (
                        str(markdown.to_html(words, root=repository.root).html)
                        for words in (question.text, question.answer)
                    )
                    found.setdefault(question.name, {})[Variant(text, None, key=key)] = None
            questions = tuple(QuizQuestion(name, _POINTS, tuple(kept)) for name, kept in found.items())
            quizzes.append(Quiz(page.name, page.title, questions))
    return tuple(quizzes)
