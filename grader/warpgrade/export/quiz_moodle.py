"""A quiz as Moodle XML (docs.moodle.org, "Moodle XML format"): Question bank, Import.

Each question is a category that holds its variants. A quiz with one random question from each category gives
everybody a variant.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .quiz import Quiz, QuizQuestion, Variant, number

# Moodle refuses other percentages (lib/questionlib.php, get_grade_options).
_FRACTIONS = (
    0.0, 5.0, 10.0, 11.11111, 12.5, 14.28571, 16.66667, 20.0, 25.0, 30.0, 33.33333, 40.0, 50.0, 60.0,
    66.66667, 70.0, 75.0, 80.0, 83.33333, 90.0, 100.0,
)  # fmt: skip


def xml(quiz: Quiz) -> str:
    """The file to import."""
    root = Element("quiz")
    for question in quiz.questions:
        category = SubElement(SubElement(root, "question", type="category"), "category")
        _text(category, f"$course$/top/{_name(quiz.title)}/{_name(question.name)}")
        for count, variant in enumerate(question.variants, 1):
            _question(root, question, variant, f"{quiz.name} {question.name} {count}")
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _name(words: str) -> str:
    """A slash would begin a category below."""
    return words.replace("/", "//")


def _question(root: Element, question: QuizQuestion, variant: Variant, name: str) -> None:
    kind = "essay" if variant.answer is None else "multichoice" if variant.options else "numerical"
    made = SubElement(root, "question", type=kind)
    _text(SubElement(made, "name"), name)
    _text(SubElement(made, "questiontext", format="html"), variant.text)
    _text(SubElement(made, "generalfeedback", format="html"), "")
    SubElement(made, "defaultgrade").text = number(float(question.points))
    SubElement(made, "penalty").text = "0"
    SubElement(made, "hidden").text = "0"
    if kind == "essay":
        _essay(made, variant)
    elif kind == "multichoice":
        _choices(made, variant)
    else:
        _numbers(made, variant)


def _essay(made: Element, variant: Variant) -> None:
    for key, value in {"responseformat": "editor", "responserequired": "1", "responsefieldlines": "10",
                       "attachments": "0", "attachmentsrequired": "0"}.items():  # fmt: skip
        SubElement(made, key).text = value
    _text(SubElement(made, "graderinfo", format="html"), variant.key)


def _choices(made: Element, variant: Variant) -> None:
    SubElement(made, "single").text = "true"
    SubElement(made, "shuffleanswers").text = "false"
    SubElement(made, "answernumbering").text = "abc"
    slips = {slip.answer: slip for slip in variant.slips}
    for place, option in enumerate(variant.options):
        slip = slips.get(float(place))
        if place == variant.answer:
            _answer(made, option, 100.0, "")
        else:
            _answer(
                made, option, 100 * slip.share if slip else 0.0, slip.feedback if slip else variant.feedback
            )


def _numbers(made: Element, variant: Variant) -> None:
    """The first answer that fits counts, so the right one comes first and any other one last."""
    assert variant.answer is not None
    SubElement(_answer(made, number(variant.answer), 100.0, ""), "tolerance").text = number(variant.tolerance)
    for slip in variant.slips:
        answer = _answer(made, number(slip.answer), 100 * slip.share, slip.feedback)
        SubElement(answer, "tolerance").text = number(abs(slip.answer) * 1e-9)
    SubElement(_answer(made, "*", 0.0, variant.feedback), "tolerance").text = "0"


def _answer(made: Element, words: str, percent: float, feedback: str) -> Element:
    nearest = min(_FRACTIONS, key=lambda each: abs(each - percent))
    answer = SubElement(made, "answer", fraction=f"{nearest:g}" if nearest.is_integer() else f"{nearest:.5f}")
    SubElement(answer, "text").text = words
    _text(SubElement(answer, "feedback", format="html"), feedback)
    return answer


def _text(parent: Element, words: str) -> None:
    SubElement(parent, "text").text = words
