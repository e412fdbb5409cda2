from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from warpgrade.core import messages
from warpgrade.core.errors import InstructorError

ROOT = Path(__file__).resolve().parents[4]
ENGLISH = messages.load(ROOT, "en")
OTHERS = [code for code in messages.codes(ROOT) if code != messages.BASE]


def written(folder: Path, code: str, text: str) -> None:
    (folder / "handouts" / "languages").mkdir(parents=True, exist_ok=True)
    (folder / "handouts" / "languages" / f"{code}.toml").write_text(text)


def test_there_is_a_second_language() -> None:
    assert "de" in OTHERS


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_is_complete_and_fills_the_same_places(code: str) -> None:
    words = messages.load(ROOT, code)
    assert words.missing == ()
    for key, text in ENGLISH.strings.items():
        assert messages.places(words.strings[key]) == messages.places(text), key


def test_every_key_in_a_template_exists() -> None:
    templates = [*(ROOT / "handouts").rglob("*.j2")]
    keys = {key for file in templates for key in re.findall(r'\bt\("([^"]+)"[,)]', file.read_text())}
    assert len(keys) > 20
    assert keys <= ENGLISH.strings.keys()


@pytest.mark.parametrize(
    ("code", "count", "number", "date"),
    [("en", "1,234,567", "1,382.4", "5 March 2027"), ("de", "1.234.567", "1.382,4", "5. März 2027")],
)
def test_numbers_and_dates(code: str, count: str, number: str, date: str) -> None:
    words = messages.load(ROOT, code)
    assert words.count(1234567) == count
    assert words.number(1382.40) == number
    assert words.date(datetime.date(2027, 3, 5)) == date


def test_numbers_lose_zeros_behind_the_point_only() -> None:
    assert [ENGLISH.number(value) for value in (4800.0, 21.6, 0.25)] == ["4,800", "21.6", "0.2"]
    assert ENGLISH.number(0.25, 2) == "0.25"
    assert ENGLISH.number(1200.0, 0) == "1,200"


def test_a_missing_message_falls_back_and_is_reported(tmp_path: Path) -> None:
    written(tmp_path, "en", '[a]\none = "one {x}"\ntwo = "two"\n')
    written(tmp_path, "eo", '[a]\none = "unu {x}"\n')
    words = messages.load(tmp_path, "eo")
    assert (words("a.one", x=1), words("a.two"), words.missing) == ("unu 1", "two", ("a.two",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[a]\nthree = "tri"\n', "handouts/languages/eo.toml:2: has the key 'a.three'"),
        ("[a\n", "handouts/languages/eo.toml:1: "),
    ],
)
def test_a_wrong_catalogue_is_named(tmp_path: Path, text: str, says: str) -> None:
    written(tmp_path, "en", '[a]\none = "one"\n')
    written(tmp_path, "eo", text)
    with pytest.raises(InstructorError, match=re.escape(says)):
        messages.load(tmp_path, "eo")


def test_an_unknown_key_place_or_language_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, "en", '[a]\none = "one {x}"\n')
    words = messages.load(tmp_path, "en")
    for wrong in (lambda: words("a.two"), lambda: words("a.one"), lambda: messages.load(tmp_path, "fr")):
        with pytest.raises(InstructorError) as caught:
            wrong()
        assert caught.value.remedy
