"""A translated page says what the original says: the same questions, figures, topics, code and numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from support.pages import rendered
from warpgrade.core import messages
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.handouts import template_names, translation
from warpgrade.handouts.pages import Edition, Handout
from warpgrade.handouts.translation import Translation
from warpgrade.solution import planted_bugs

ROOT = Path(__file__).parents[4]
REPOSITORY = Repository(ROOT)
BASIC = lab.named(REPOSITORY, "01-basic")
NAMES = sorted(
    (name, code)
    for path in (ROOT / "handouts").glob(f"*.*{translation.TEXT}")
    for name, code in [path.name.removesuffix(translation.TEXT).split(".")]
)
# Staff editions hold what the other two do.
PAGES = {
    code: rendered.of_edition(REPOSITORY, Edition.STAFF, "seed", code)
    for code in sorted({messages.BASE, *(code for _, code in NAMES)})
}
EACH = pytest.mark.parametrize(("name", "code"), NAMES)


def both(name: str, code: str) -> tuple[Handout, Handout]:
    return PAGES[messages.BASE][name], PAGES[code][name]


def numbers(page: Handout, code: str) -> list[float]:
    """The numbers in all table cells that hold nothing else."""
    words = messages.load(ROOT, code)
    cells = [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", page.html)]
    plain = (
        cell.replace(words("number.thousands"), "").replace(words("number.decimal"), ".") for cell in cells
    )
    return [float(cell) for cell in plain if re.fullmatch(r"\d+(\.\d+)?", cell)]


def test_a_whole_course_is_there_in_german() -> None:
    """A lab that an instructor has just begun may wait: its page stands in English, and says so."""
    german = {name for name, code in NAMES if code == "de"}
    assert len(german) >= 8
    fallback = messages.load(ROOT, "de")("layout.fallback")
    assert {name for name, page in PAGES["de"].items() if fallback in page.html} == set(PAGES["en"]) - german


@EACH
def test_the_same_questions_figures_topics_and_steps(name: str, code: str) -> None:
    original, translated = both(name, code)
    assert [question.name for question in translated.questions] == [
        question.name for question in original.questions
    ]
    for pattern in (r'<figure id="([^"]+)"', r"<strong>TODO (\d+)\."):
        assert re.findall(pattern, translated.html) == re.findall(pattern, original.html)
    topics = [[reference.topic for reference in page.topic_references] for page in (original, translated)]
    assert topics[0] == topics[1]
    for tag in ("h2", "h3", "table", "blockquote", "math", "ol"):
        assert translated.html.count(f"<{tag}") == original.html.count(f"<{tag}"), tag


@EACH
def test_the_same_code(name: str, code: str) -> None:
    original, translated = both(name, code)
    assert re.findall(r"<pre.*?</pre>", translated.html, re.DOTALL) == re.findall(
        r"<pre.*?</pre>", original.html, re.DOTALL
    )


@EACH
def test_the_same_numbers_in_every_table(name: str, code: str) -> None:
    original, translated = both(name, code)
    expected, found = numbers(original, messages.BASE), numbers(translated, code)
    assert found == pytest.approx(expected) and len(found) >= 4


@EACH
def test_nothing_of_the_lab_stays_in_english(name: str, code: str) -> None:
    item = next((each for each in lab.find(REPOSITORY) if each.name == name), None)
    own = translation.load(ROOT, name, code)
    if item is None:
        assert own == Translation()
        return
    translated = translation.of_lab(item, own, "")
    assert translated.title != item.title and translated.sizes != item.sizes
    assert not set(translated.teaches) & set(item.teaches)
    assert not {hint.text for hint in translated.hints} & {hint.text for hint in item.hints}
    assert set(own.mistakes) == {mutant.name for mutant in planted_bugs.load(REPOSITORY, item.name)}
    assert set(own.techniques) == {technique.name for technique in item.techniques}
    page = PAGES[code][name].html
    assert f"<h1>{translated.title}</h1>" in page
    assert messages.load(ROOT, code)("layout.fallback") not in page


def test_lines_of_the_text_below_keep_their_numbers() -> None:
    assert translation.body('+++\ntitle = "T"\n+++\ntext\n') == "\n\n\ntext\n"
    assert translation.body("text\n+++\n") == "text\n+++\n"


def test_a_key_that_is_left_out_stays_in_english() -> None:
    assert translation.of_lab(BASIC, Translation(title="T"), "") == replace(BASIC, title="T")


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("titel = 1", ".de.md.j2:2: unknown key 'titel'"),
        ("title = 1", ".de.md.j2:2: title: 1 is not of type 'string'"),
        ("title =", ".de.md.j2:2: Invalid value"),
    ],
)
def test_a_mistake_above_a_text_is_named(tmp_path: Path, front: str, message: str) -> None:
    (tmp_path / "handouts").mkdir()
    (tmp_path / "handouts" / "x.de.md.j2").write_text(f"+++\n{front}\n+++\n")
    with pytest.raises(InstructorError, match=re.escape(message)) as caught:
        translation.load(tmp_path, "x", "de")
    assert "handouts/x.de.md.j2" in str(caught.value) and caught.value.remedy


def test_a_list_of_another_length_is_named() -> None:
    with pytest.raises(InstructorError, match="'hints' has 1 entries"):
        translation.of_lab(BASIC, Translation(hints=("one",)), "handouts/01-basic.de.md.j2")


def test_points_are_written_in_the_pages_language() -> None:
    german = messages.load(ROOT, "de")
    assert template_names.points(german, 2.5) == "2,5" and template_names.points(german, 10.0) == "10"
    halved = replace(BASIC, build_points=2.5)
    assert "| 2,5 |" in template_names.points_table(halved, german)
