from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.handouts.printing import page_references
from warpgrade.handouts.printing.page_references import INSTALL_COMMAND, fill, page_of, settled


def test_marks_are_filled_with_what_is_known() -> None:
    text = f"see {page_of('a')} and {page_of('b')}"
    assert fill(text, {"a": 7}) == "see 7 and 00"


def test_pages_are_printed_until_two_prints_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number with three digits moves the element once more."""
    pages = {b"00": {"a": 99}, b"99": {"a": 100}, b"100": {"a": 100}}
    monkeypatch.setattr(page_references, "destinations", pages.__getitem__)

    def write(known: Mapping[str, int]) -> str:
        return fill(page_of("a"), known)

    assert settled(write, str.encode) == b"100"


def test_pages_that_never_settle_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    count = iter(range(1, 99))
    monkeypatch.setattr(page_references, "destinations", lambda pdf: {"a": next(count)})
    with pytest.raises(GraderError, match="'a'") as caught:
        settled(lambda known: "", str.encode)
    assert caught.value.remedy


def test_without_pypdf_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(GraderError, match="pypdf") as caught:
        page_references.destinations(b"%PDF-1.4")
    assert caught.value.remedy == INSTALL_COMMAND
