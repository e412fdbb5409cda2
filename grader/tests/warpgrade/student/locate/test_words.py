"""An edit in words: the line and what to change, not how."""

from __future__ import annotations

import pytest

from warpgrade.records import SourceFile
from warpgrade.student.locate import words
from warpgrade.student.locate.edits import candidates
from warpgrade.student.locate.edits.edit import Edit, Kind, Replacement
from warpgrade.student.locate.reading.source import Span

TEXT = "__global__ void f(float* C, int a, int b) {\n  C[a +\n    1] = b;\n}\n"


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_sentence_that_quotes_the_code(kind: Kind) -> None:
    sentence = words.sentence([Edit(kind, 1, "row", ())])
    is_quoted = kind not in (Kind.BARRIER, Kind.RETURN)
    assert sentence.startswith("look here: ") and ('"row"' in sentence) == is_quoted


def test_long_code_is_cut() -> None:
    assert len(words.sentence([Edit(Kind.REMOVED, 1, "a + " * 100, ())])) < 160


def test_the_place_is_that_of_the_part_to_change() -> None:
    file = SourceFile("kernel.cu", TEXT)
    edit = next(
        each for each in candidates.of_file(TEXT) if each.kind is Kind.VARIABLE and each.subject == "b"
    )
    found = words.located([edit], file)
    assert (found.line, found.column, found.length, found.source) == (3, 10, 1, "    1] = b;")
    assert "answer" not in found.sentence and '"a"' not in found.sentence


def test_a_part_on_two_lines_ends_with_the_first() -> None:
    edit = Edit(Kind.DROPPED, 2, "a + 1", (Replacement(Span(TEXT.index("a +"), TEXT.index("]")), "a"),))
    assert words.located([edit], SourceFile("kernel.cu", TEXT)).length == len("a +")


def test_a_missing_barrier_has_no_column() -> None:
    edit = next(each for each in candidates.of_file(TEXT) if each.kind is Kind.BARRIER)
    assert words.located([edit], SourceFile("kernel.cu", TEXT)).column == 0


def test_two_places_are_shown_together() -> None:
    made = [each for each in candidates.of_file(TEXT) if each.kind in (Kind.VARIABLE, Kind.REMOVED)]
    other, one = made[0], made[-1]
    found = words.located([one, other], SourceFile("kernel.cu", TEXT))
    assert found.line == one.line and found.other is not None and found.other.line == other.line
    assert ", and with " in found.sentence and f"in line {other.line}" in found.sentence
    assert found.other.other is None
    missing = Edit(Kind.RETURN, 4, "", one.replacements)
    assert words.sentence([other, missing]).endswith("and with some threads that return before line 4")
