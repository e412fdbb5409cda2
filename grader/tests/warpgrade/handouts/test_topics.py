from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.pages import rendered
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.handouts import pages, topics
from warpgrade.handouts.topics import Topic, TopicReference

ROOT = Path(__file__).resolve().parents[4]
TOPICS = topics.load(ROOT)
PAGES = rendered.of_edition(Repository(ROOT))
TWO = (Topic("warp", ("L2",), "Warps"), Topic("map", ("L1", "L2"), "A map"))


def test_topics_are_many_unlike_and_of_every_lecture() -> None:
    names = [topic.name for topic in TOPICS]
    assert len(names) == len(set(names)) >= 60
    assert {lecture for topic in TOPICS for lecture in topic.lectures} == {"L1", "L2", "L3", "L4", "L5"}


def test_no_topic_is_missing() -> None:
    references = [reference for page in PAGES.values() for reference in page.topic_references]
    assert topics.missing(TOPICS, references) == ()


def test_the_table_is_fresh() -> None:
    assert (ROOT / pages.TOPICS).read_text() == pages.topics_table(Repository(ROOT)), "type: make handouts"


def test_no_tag_is_left_on_a_page() -> None:
    assert not [page.name for page in PAGES.values() if "covers:" in page.html]


def test_sections_of_the_table_exist() -> None:
    for page in PAGES.values():
        headings = {re.sub(r"<[^>]+>", "", text) for text in re.findall(r"<h2[^>]*>(.*?)</h2>", page.html)}
        assert {reference.section for reference in page.topic_references} <= headings


def test_a_tag_belongs_to_the_section_above_it() -> None:
    text = f"## One\n\n{topics.tag(TWO, ['warp'])}\n\ntext\n\n```\n## no heading\n```\n\n## Two\n\n"
    text += f"{topics.tag(TWO, ['map', 'warp'])}\nmore\n"
    left, references = topics.extract_tags(text, "page")
    assert "covers" not in left and "more" in left and "## no heading" in left
    assert references == (
        TopicReference("warp", "page", "One"),
        TopicReference("map", "page", "Two"),
        TopicReference("warp", "page", "Two"),
    )  # fmt: skip


def test_a_missing_topic_is_listed() -> None:
    references = [TopicReference("map", "01-basic", "Maps")]
    assert topics.missing(TWO, references) == ("warp",)
    table = topics.table(TWO, references)
    assert "| Warps | L2 | **nowhere** |" in table and "| A map | L1, L2 | 01-basic: Maps |" in table


def test_an_unknown_topic_and_a_broken_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no topic 'wrap'"):
        topics.tag(TWO, ["wrap"])
    with pytest.raises(InstructorError, match=r"handouts/topics\.toml"):
        topics.load(tmp_path)
