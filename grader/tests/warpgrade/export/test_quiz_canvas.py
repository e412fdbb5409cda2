"""A QTI package: its manifest names what it holds, and each question is a group with its points."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

from warpgrade.export import quiz_canvas
from warpgrade.export.quiz import Quiz, QuizQuestion, Variant

QUIZ = Quiz(
    "08-q",
    "Occupancy & more",
    (
        QuizQuestion("number", 8, (Variant("<p>1</p>", 12.0, (), 0.5, "No."), Variant("<p>2</p>", 4.0))),
        QuizQuestion("choice", 4, (Variant("<p>?</p>", 1.0, ("no", "yes")),)),
        QuizQuestion("words", 1, (Variant("<p>Why?</p>", None, key="<p>So.</p>"),)),
    ),
)
QTI = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"


def files() -> dict[str, ElementTree.Element]:
    with zipfile.ZipFile(io.BytesIO(quiz_canvas.package(QUIZ))) as archive:
        assert archive.testzip() is None
        return {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}


def items() -> list[ElementTree.Element]:
    return list(files()["08-q/08-q.xml"].iter(f"{QTI}item"))


def fields(item: ElementTree.Element) -> dict[str | None, str | None]:
    rows = item.iter(f"{QTI}qtimetadatafield")
    return {row.findtext(f"{QTI}fieldlabel"): row.findtext(f"{QTI}fieldentry") for row in rows}


def test_the_manifest_names_the_files() -> None:
    found = files()
    hrefs = [each.attrib["href"] for each in found["imsmanifest.xml"].iter() if "href" in each.attrib]
    assert set(found) == {"imsmanifest.xml", *hrefs}


def test_identifiers_of_the_manifest_are_names_of_xml() -> None:
    with zipfile.ZipFile(io.BytesIO(quiz_canvas.package(Quiz("08-occupancy", "Occupancy", ())))) as archive:
        root = ElementTree.fromstring(archive.read("imsmanifest.xml"))
    identifiers = [each.attrib["identifier"] for each in root.iter() if "identifier" in each.attrib]
    assert len(set(identifiers)) == len(identifiers) == 2
    assert all(name[0].isalpha() for name in identifiers)


def test_each_question_is_a_group_of_which_one_is_picked() -> None:
    root = files()["08-q/08-q.xml"]
    groups = root.findall(f"{QTI}assessment/{QTI}section/{QTI}section")
    assert [len(group.findall(f"{QTI}item")) for group in groups] == [2, 1, 1]
    for group, points in zip(groups, ("8", "4", "1"), strict=True):
        selection = f"{QTI}selection_ordering/{QTI}selection/"
        assert group.findtext(f"{selection}{QTI}selection_number") == "1"
        assert group.findtext(f"{selection}{QTI}selection_extension/{QTI}points_per_item") == points
    identifiers = [item.attrib["ident"] for item in items()]
    assert len(set(identifiers)) == len(identifiers)


def test_the_keys_come_back() -> None:
    number, _, choice, essay = items()
    assert fields(number) == {"question_type": "numerical_question", "points_possible": "8"}
    assert [number.findtext(f".//{QTI}{name}") for name in ("varequal", "vargte", "varlte")] == [
        "12",
        "11.5",
        "12.5",
    ]
    labels = {
        each.attrib["ident"]: each.findtext(f".//{QTI}mattext")
        for each in choice.iter(f"{QTI}response_label")
    }
    assert labels[choice.findtext(f".//{QTI}varequal") or ""] == "yes"
    assert fields(essay)["question_type"] == "essay_question" and essay.find(f".//{QTI}setvar") is None
    assert "So." in "".join(essay.itertext())


def test_every_feedback_that_is_shown_exists() -> None:
    for item in items():
        known = {each.attrib["ident"] for each in item.iter(f"{QTI}itemfeedback")}
        assert {each.attrib["linkrefid"] for each in item.iter(f"{QTI}displayfeedback")} <= known


def test_the_same_quiz_gives_the_same_bytes() -> None:
    assert quiz_canvas.package(QUIZ) == quiz_canvas.package(QUIZ)
