"""Forms of names: equal ones become equal, enormous ones are cut."""

from __future__ import annotations

from warpgrade.core.unicode import ascii_letters, normalized


def test_forms_of_one_name_become_equal() -> None:
    assert normalized("NFKC", "e\u0301") == normalized("NFKC", "é") == "é"
    assert normalized("NFKD", "ﬁ") == "fi"


def test_an_enormous_name_is_cut() -> None:
    assert normalized("NFKC", "a" * 10_000) == "a" * 1000


def test_letters_of_names_in_ascii() -> None:
    names = {"Groß": "Gross", "GROẞ": "GROSS", "Søren Łysy": "Soren Lysy", "Æthel Œuvre đ": "AEthel OEuvre d"}
    assert {name: ascii_letters(name) for name in names} == names
    assert ascii_letters("Zoë 日ŋ") == "Zoe "
