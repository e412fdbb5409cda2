"""Pictures of a course's own stand in the page itself, whose policy forbids to load any."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.handouts.markdown import to_html

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "labs" / "60-scan"
    folder.mkdir(parents=True)
    (folder / "tree.svg").write_text(SVG, encoding="utf-8")
    (folder / "tree.txt").write_text("a tree", encoding="utf-8")
    (folder / "large.png").write_bytes(bytes((2 << 20) + 1))
    return tmp_path


def test_a_picture_is_part_of_the_page(root: Path) -> None:
    html = to_html("A row.\n\n![Three steps of a *tree*](labs/60-scan/tree.svg)", root=root).html
    data = base64.b64encode(SVG.encode()).decode()
    assert f'src="data:image/svg+xml;base64,{data}" alt="Three steps of a tree"' in html


def test_a_title_stands_below_it(root: Path) -> None:
    html = to_html('![A tree](labs/60-scan/tree.svg "Picture A & B")', root=root).html
    assert '<span class="caption">Picture A &amp; B</span>' in html


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("![A tree](tree.svg)", "is no picture of the course"),
        ("![A tree](../outside.svg)", "is no picture of the course"),
        ("![A tree](labs/60-scan/tree.txt)", "of a kind that not every browser shows"),
        ("![](labs/60-scan/tree.svg)", "has no words for readers who cannot see it"),
        ("![A tree](labs/60-scan/large.png)", "has 2,097,153 bytes"),
    ],
)
def test_a_picture_that_would_be_missing_stops_with_its_name(root: Path, text: str, words: str) -> None:
    (root.parent / "outside.svg").write_text(SVG, encoding="utf-8")
    with pytest.raises(InstructorError, match=words) as caught:
        to_html(text, root=root)
    assert caught.value.file and caught.value.remedy
