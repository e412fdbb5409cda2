"""Moodle XML: what Moodle's importer reads is there, and reading it back gives the questions again."""

from __future__ import annotations

from xml.etree import ElementTree

from warpgrade.export import quiz_moodle
from warpgrade.export.quiz import Quiz, QuizQuestion, Variant, WrongAnswer

SLIP = WrongAnswer(6.0, 0.5, "You forgot <one> & all.")
QUIZ = Quiz(
    "08-q",
    "A/B",
    (
        QuizQuestion("number", 8, (Variant("<p>1 &lt; 2</p>", 12.0, (), 0.5, "No.", "", (SLIP,)),) * 2),
        QuizQuestion("choice", 4, (Variant("<p>?</p>", 1.0, ("no", "yes", "perhaps"), feedback="Wrong."),)),
        QuizQuestion("words", 1, (Variant("<p>Why?</p>", None, key="<p>So.</p>"),)),
    ),
)
COMMON = ("name/text", "questiontext/text", "generalfeedback/text", "defaultgrade", "penalty", "hidden")
NEEDED = {
    "numerical": ("answer/text", "answer/tolerance", "answer/feedback/text"),
    "multichoice": ("single", "shuffleanswers", "answernumbering", "answer/text", "answer/feedback/text"),
    "essay": ("responseformat", "responserequired", "responsefieldlines", "attachments", "graderinfo/text"),
}


def parsed() -> list[ElementTree.Element]:
    root = ElementTree.fromstring(quiz_moodle.xml(QUIZ))
    assert root.tag == "quiz"
    return list(root)


def test_every_element_that_the_importer_reads_is_there() -> None:
    found = [each for each in parsed() if each.get("type") != "category"]
    assert [each.get("type") for each in found] == ["numerical", "numerical", "multichoice", "essay"]
    for each in found:
        for path in (*COMMON, *NEEDED[each.attrib["type"]]):
            assert each.find(path) is not None, path
        assert each.find("questiontext").attrib["format"] == "html"  # type: ignore[union-attr]


def test_a_category_for_each_question() -> None:
    names = [each.findtext("category/text") for each in parsed() if each.get("type") == "category"]
    assert names == [f"$course$/top/A//B/{name}" for name in ("number", "choice", "words")]


def test_answers_come_back() -> None:
    number, _, choice, essay = (each for each in parsed() if each.get("type") != "category")
    rows = [(a.get("fraction"), a.findtext("text"), a.findtext("tolerance")) for a in number.iter("answer")]
    assert rows[0] == ("100", "12", "0.5") and rows[1][:2] == ("50", "6") and rows[2][:2] == ("0", "*")
    assert number.findtext("questiontext/text") == "<p>1 &lt; 2</p>"
    assert [a.findtext("feedback/text") for a in number.iter("answer")][1] == SLIP.feedback
    assert [a.get("fraction") for a in choice.iter("answer")] == ["0", "100", "0"]
    assert essay.findtext("graderinfo/text") == "<p>So.</p>"


def test_only_percentages_that_moodle_allows() -> None:
    slips = tuple(WrongAnswer(float(n), n / 7, "") for n in range(7))
    made = Quiz("q", "t", (QuizQuestion("n", 1, (Variant("", 99.0, slips=slips),)),))
    root = ElementTree.fromstring(quiz_moodle.xml(made))
    allowed = {round(each, 5) for each in quiz_moodle._FRACTIONS}
    assert all(float(each.attrib["fraction"]) in allowed for each in root.iter("answer"))
