import re

from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.handouts import templates


def test_a_text_of_a_style_sheet_keeps_its_letters_and_ends_no_string() -> None:
    environment = templates.environment(here(), messages.load(here().root, "de"))
    style = environment.from_string('"{{ text | css }}"').render(text='Übung "2" & <b>\\')
    assert style == r'"Übung \22 2\22  \26  \3c b\3e \5c "'


def test_texts_name_another_lab_by_a_link() -> None:
    """A link is the number of a page in the book, and plain words in a course without that lab."""
    bare = re.compile(
        r"(?<!\[)\b[Ll]abs? \d\d|\b(?:next|last) lab\b"
        r"|\b(?:nächste|letzte)[ns]? Labs?\b|\bLab davor"
    )
    texts = sorted((here().root / "handouts").glob("*.md.j2"))
    found = {text.name: bare.findall(text.read_text().rpartition("\n+++\n")[2]) for text in texts}
    assert {name: words for name, words in found.items() if words} == {} and len(texts) >= 30
