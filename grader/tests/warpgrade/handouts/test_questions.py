from __future__ import annotations

import jinja2
import pytest

from warpgrade.handouts.questions import Questions, QuestionSheet

TEXT = """\
{% question "loads", size=(64, 128, 256), tile=(8, 16) %}
<!-- covers: reuse -->
Width {{ q.size }}, tile {{ q.tile }}?
{% answer %}
{{ q.size // q.tile }} times.
{% endquestion %}
"""


def render(text: str, sheet: QuestionSheet) -> str:
    environment = jinja2.Environment(
        extensions=[Questions], undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["sheet"] = sheet
    return environment.from_string(text).render()


def test_a_question_and_its_answer() -> None:
    sheet = QuestionSheet("02-tiled")
    shown = render(TEXT, sheet)
    assert "**1.** Width 64, tile 8?" in shown and "8 times" not in shown
    (question,) = sheet.asked
    assert (question.text, question.answer) == ("Width 64, tile 8?", "8 times.")
    assert 'class="answer"' in sheet.to_markdown(question, with_answer=True)
    assert "8 times." in sheet.to_markdown(question, with_answer=True)


def test_tags_of_topics_stand_before_the_question() -> None:
    assert render(TEXT, QuestionSheet("02-tiled")).startswith("<!-- covers: reuse -->\n<div")


def test_a_seed_varies_numbers_and_always_gives_the_same() -> None:
    def asked(seed: str) -> str:
        sheet = QuestionSheet("02-tiled", seed)
        render(TEXT, sheet)
        return sheet.asked[0].text + sheet.asked[0].answer

    sheets = {seed: asked(seed) for seed in ("alice", "bob", "carol", "dave", "erin", "frank")}
    assert len(set(sheets.values())) > 2
    assert all(asked(seed) == text for seed, text in sheets.items())


def test_text_and_answer_have_the_same_numbers() -> None:
    for seed in map(str, range(20)):
        sheet = QuestionSheet("02-tiled", seed)
        render(TEXT, sheet)
        size, tile = (int(word.strip("?,")) for word in sheet.asked[0].text.split()[1::2])
        assert sheet.asked[0].answer == f"{size // tile} times."


@pytest.mark.parametrize(
    "text",
    [
        '{% question "a" %}x{% endquestion %}',
        '{% question "a" %}x{% answer %}y',
        '{% question "a", size %}x{% answer %}y{% endquestion %}',
    ],
)
def test_a_question_without_its_parts_is_a_mistake_of_syntax(text: str) -> None:
    with pytest.raises(jinja2.TemplateSyntaxError):
        render(text, QuestionSheet("p"))


def test_two_questions_of_one_name_and_empty_choices_are_refused() -> None:
    one = '{% question "a" %}x{% answer %}y{% endquestion %}'
    with pytest.raises(ValueError, match="two questions are named 'a'"):
        render(one + one, QuestionSheet("p"))
    with pytest.raises(ValueError, match="is empty"):
        render('{% question "a", size=() %}x{% answer %}y{% endquestion %}', QuestionSheet("p"))


def test_an_unknown_number_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render('{% question "a", size=(1,) %}{{ q.siez }}{% answer %}y{% endquestion %}', QuestionSheet("p"))
