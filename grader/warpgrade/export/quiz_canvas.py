"""A quiz for Canvas: a package of IMS QTI 1.2 with Canvas's question types, for "Import Course Content".

Each question is a group that holds its variants, of which Canvas picks one for each student.
"""

from __future__ import annotations

import io
import zipfile
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .quiz import Quiz, QuizQuestion, Variant, number

_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
_STAMP = (1980, 1, 1, 0, 0, 0)  # the least that a zip can hold


def package(quiz: Quiz) -> bytes:
    """The zip to import. The same quiz gives the same bytes."""
    stream = io.BytesIO()
    file = f"{quiz.name}/{quiz.name}.xml"
    with zipfile.ZipFile(stream, "w") as archive:
        for name, root in (("imsmanifest.xml", _manifest(quiz, file)), (file, assessment(quiz))):
            info = zipfile.ZipInfo(name, _STAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            indent(root)
            archive.writestr(
                info, '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode")
            )
    return stream.getvalue()


def _manifest(quiz: Quiz, file: str) -> Element:
    # An identifier in a manifest is an xs:ID, which begins with a letter; a lab's name begins with a digit.
    root = Element("manifest", xmlns=_PACKAGE, identifier=f"package-{quiz.name}")
    metadata = SubElement(root, "metadata")
    SubElement(metadata, "schema").text = "IMS Content"
    SubElement(metadata, "schemaversion").text = "1.1.3"
    SubElement(root, "organizations")
    resource = SubElement(
        SubElement(root, "resources"), "resource", identifier=f"quiz-{quiz.name}", type="imsqti_xmlv1p2"
    )
    SubElement(resource, "file", href=file)
    return root


def assessment(quiz: Quiz) -> Element:
    """The questions."""
    root = Element("questestinterop", xmlns=_QTI)
    made = SubElement(root, "assessment", ident=quiz.name, title=quiz.title)
    section = SubElement(made, "section", ident="root_section")
    for question in quiz.questions:
        ident = f"{quiz.name}-{question.name}"
        group = SubElement(section, "section", ident=ident, title=question.name)
        selection = SubElement(SubElement(group, "selection_ordering"), "selection")
        SubElement(selection, "selection_number").text = "1"
        extension = SubElement(selection, "selection_extension")
        SubElement(extension, "points_per_item").text = number(float(question.points))
        for count, variant in enumerate(question.variants, 1):
            _item(group, question, variant, f"{ident}-{count}")
    return root


def _item(group: Element, question: QuizQuestion, variant: Variant, ident: str) -> None:
    kind = "essay" if variant.answer is None else "multiple_choice" if variant.options else "numerical"
    item = SubElement(group, "item", ident=ident, title=question.name)
    metadata = SubElement(SubElement(item, "itemmetadata"), "qtimetadata")
    for label, entry in (
        ("question_type", f"{kind}_question"),
        ("points_possible", number(float(question.points))),
    ):
        field = SubElement(metadata, "qtimetadatafield")
        SubElement(field, "fieldlabel").text = label
        SubElement(field, "fieldentry").text = entry
    presentation = SubElement(item, "presentation")
    _material(presentation, variant.text)
    if kind == "multiple_choice":
        _choices(presentation, variant, ident)
    else:
        response = SubElement(presentation, "response_str", ident="response1", rcardinality="Single")
        SubElement(SubElement(response, "render_fib"), "response_label", ident="answer1")
    _processing(item, variant, ident, kind)
    for name, words in (("general_incorrect_fb", variant.feedback), ("general_fb", variant.key)):
        if words:
            _material(SubElement(SubElement(item, "itemfeedback", ident=name), "flow_mat"), words)


def _material(parent: Element, words: str) -> None:
    SubElement(SubElement(parent, "material"), "mattext", texttype="text/html").text = words


def _choices(presentation: Element, variant: Variant, ident: str) -> None:
    response = SubElement(presentation, "response_lid", ident="response1", rcardinality="Single")
    render = SubElement(response, "render_choice")
    for place, option in enumerate(variant.options):
        label = SubElement(render, "response_label", ident=f"{ident}-{place}")
        SubElement(SubElement(label, "material"), "mattext", texttype="text/plain").text = option


def _processing(item: Element, variant: Variant, ident: str, kind: str) -> None:
    processing = SubElement(item, "resprocessing")
    outcomes = SubElement(processing, "outcomes")
    SubElement(outcomes, "decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    if variant.answer is None:
        SubElement(
            SubElement(SubElement(processing, "respcondition", attrib={"continue": "No"}), "conditionvar"),
            "other",
        )
        return
    condition = SubElement(processing, "respcondition", attrib={"continue": "No"})
    test = SubElement(condition, "conditionvar")
    if kind == "multiple_choice":
        SubElement(test, "varequal", respident="response1").text = f"{ident}-{int(variant.answer)}"
    else:
        either = SubElement(test, "or")
        SubElement(either, "varequal", respident="response1").text = number(variant.answer)
        within = SubElement(either, "and")
        SubElement(within, "vargte", respident="response1").text = number(variant.answer - variant.tolerance)
        SubElement(within, "varlte", respident="response1").text = number(variant.answer + variant.tolerance)
    SubElement(condition, "setvar", action="Set", varname="SCORE").text = "100"
    if variant.feedback:
        wrong = SubElement(processing, "respcondition", attrib={"continue": "Yes"})
        SubElement(SubElement(wrong, "conditionvar"), "other")
        SubElement(wrong, "displayfeedback", feedbacktype="Response", linkrefid="general_incorrect_fb")
