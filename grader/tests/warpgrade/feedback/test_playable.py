"""Numbers of findings, and names of their pages."""

from dataclasses import replace

from support import sample_results
from support.sample_results import NAMED, SECRET
from warpgrade.feedback import findings, playable
from warpgrade.records import LabKind

LAB = sample_results.lab()
BOB = sample_results.racy_student().results[0]
PLAYED = playable.findings(LAB, BOB)


def test_only_findings_of_visible_cases_have_a_number() -> None:
    assert BOB.run
    assert {each.label for each in PLAYED}.isdisjoint({SECRET, NAMED})
    hidden = [each for each in BOB.run.findings if each.label in (SECRET, NAMED)]
    assert hidden and playable.number(PLAYED, hidden) == 0
    assert playable.number(PLAYED, [*hidden, PLAYED[2]]) == 3
    assert playable.findings(replace(LAB, kind=LabKind.PROGRAM), BOB) == ()


def test_each_card_has_the_number_of_one_of_its_findings() -> None:
    numbers = [card.number for card in findings.finding_cards(LAB, BOB)]
    assert len(numbers) == len(set(numbers)) == 2 and all(numbers)
    for card, number in zip(findings.finding_cards(LAB, BOB), numbers, strict=True):
        assert PLAYED[number - 1].code == card.code


def test_a_page_belongs_to_one_kernel_and_one_finding() -> None:
    names = playable.page_names(LAB, BOB, "bob")
    assert len(set(names.values())) == len(PLAYED) and names == playable.page_names(LAB, BOB, "bob")
    other = replace(BOB, stages=replace(BOB.stages, submission=sample_results.submission("bob", "int x;")))
    assert set(names.values()).isdisjoint(playable.page_names(LAB, other, "bob").values())
