"""SARIF: our output keeps the rules of the standard, names the right lines, and says nothing of hidden cases.

The standard's own schema comes from a package (support/documents/sarif_schema.py). It allows every key of the
standard; the one here holds its constraints on the objects that we write, and refuses any other key.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from support import sample_results
from support.documents import sarif_schema
from warpgrade.core.paths import here
from warpgrade.core.serialize import dumps
from warpgrade.export import sarif
from warpgrade.records import Lab, Result, SourceFile, StageRecords, Submission, Verdict


def _object(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required.split(),
            "properties": properties}  # fmt: skip


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


TEXT = {"type": "string", "minLength": 1}
ADDRESS = {"type": "string", "pattern": "^([a-z]+://)?[A-Za-z0-9._~/%-]+$"}  # RFC 3986, as we use it
FROM_ONE = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = _object("text", text=TEXT)
LOCATION = _object(
    "physicalLocation",
    id={"type": "integer", "minimum": 0},
    message=MESSAGE,
    physicalLocation=_object(
        "artifactLocation",
        artifactLocation=_object("uri", uri=ADDRESS, uriBaseId=TEXT),
        region=_object("startLine", startLine=FROM_ONE, startColumn=FROM_ONE),
    ),
)
RULE = _object(
    "id",
    id=TEXT,
    name=TEXT,
    shortDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=_object(level=LEVEL),
)
SARIF = _object(
    "version runs",
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs=_list(_object(
        "tool results",
        tool=_object("driver", driver=_object("name", name=TEXT, version=TEXT, rules=_list(RULE))),
        originalUriBaseIds={"type": "object", "additionalProperties":
                            _object("uri", uri=ADDRESS | {"pattern": "/$"})},
        columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        invocations=_list(_object(
            "executionSuccessful", executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=_list(_object("message", level=LEVEL, message=MESSAGE)),
        )),
        results=_list(_object(
            "message", ruleId=TEXT, level=LEVEL, message=MESSAGE, locations=_list(LOCATION),
            relatedLocations=_list(LOCATION) | {"uniqueItems": True},
        )),
    )) | {"minItems": 1},
)  # fmt: skip

GRADES = sample_results.grades()
PAIRS = [(GRADES.labs[0], result) for student in GRADES.students for result in student.results]


def log(of: Lab, result: Result, path: Path | None = None) -> dict[str, Any]:
    return sarif.data(here(), of, result, path or here().labs / "02-tiled" / "kernel.cu")


def rows(of: Lab, result: Result, rule: str) -> list[dict[str, Any]]:
    run = log(of, result)["runs"][0]
    known = {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert {row["ruleId"] for row in run["results"]} == known
    return [row for row in run["results"] if row["ruleId"] == rule]


def line_of(location: dict[str, Any]) -> int:
    return int(location["physicalLocation"]["region"]["startLine"])


@pytest.mark.parametrize(("of", "result"), PAIRS, ids=lambda value: str(value)[:12])
def test_the_standard_is_kept(of: Lab, result: Result) -> None:
    found = log(of, result)
    jsonschema.validate(found, SARIF)
    sarif_schema.validate(found)
    assert dumps(found) == dumps(log(of, result)), "the same bytes"
    worked = found["runs"][0]["invocations"][0]["executionSuccessful"]
    assert worked is (result.status != "withheld")


def test_the_schema_of_the_standard_refuses_what_it_should() -> None:
    found = log(*PAIRS[0])
    found["runs"][0]["tool"] = {"driver": {}}
    with pytest.raises(jsonschema.ValidationError):
        sarif_schema.validate(found)


@pytest.mark.parametrize(("of", "result"), PAIRS, ids=lambda value: str(value)[:12])
def test_hidden_cases_leave_no_trace(of: Lab, result: Result) -> None:
    text = dumps(log(of, result))
    assert sample_results.SECRET not in text
    assert f"sentence about {sample_results.NAMED}" not in text


def test_a_race_has_both_places_once() -> None:
    found = rows(GRADES.labs[0], sample_results.racy_student().results[0], "WG201")
    assert len(found) == 1, "however many cases show it"
    assert line_of(found[0]["locations"][0]) == 12
    sides = found[0]["relatedLocations"]
    assert [line_of(side) for side in sides] == [12, 15]
    assert "(9,0,0)" in sides[1]["message"]["text"] and "read" in sides[1]["message"]["text"]


def test_a_wrong_answer_stands_at_the_kernels_line() -> None:
    found = rows(GRADES.labs[0], sample_results.racy_student().results[0], "wrong-answer")
    start = next(number for number, line in enumerate(sample_results.KERNEL.split("\n"), 1)
                 if "__global__" in line)  # fmt: skip
    assert found and {line_of(row["locations"][0]) for row in found} == {start}


def test_a_wrong_answer_to_a_question_stands_at_its_line() -> None:
    file = SourceFile("answers.toml", 'student = "a"\n[answers]\n# How many?\nblocks = 3\n')
    handed = Submission("a", "lab", "a", (file,), "")
    result = Result("lab", "graded", StageRecords(handed))
    assert sarif._answer_place(result, "blocks") == ("answers.toml", 4)
    assert sarif._answer_place(result, "warps") == ("answers.toml", 2)  # the table that lacks it


def test_a_compilers_message_stands_at_its_line() -> None:
    (row,) = rows(GRADES.labs[0], sample_results.failed_build_student().results[0], "compiler")
    assert line_of(row["locations"][0]) == 12 and row["level"] == "error" and "rov" in row["message"]["text"]


def test_a_file_is_named_from_the_checkout_or_whole(tmp_path: Path) -> None:
    result = sample_results.failed_build_student().results[0]

    def artifact(path: Path) -> dict[str, Any]:
        row = log(GRADES.labs[0], result, path)["runs"][0]["results"][0]
        return dict(row["locations"][0]["physicalLocation"]["artifactLocation"])

    assert artifact(here().labs / "02-tiled" / "kernel.cu") == {
        "uri": "labs/02-tiled/kernel.cu",
        "uriBaseId": "ROOT",
    }
    assert artifact(tmp_path / "my kernel.cu") == {"uri": (tmp_path / "my kernel.cu").as_uri()}


@pytest.mark.parametrize("sentence", ["sums[0] should be 1 but is 2", "d_sums was freed twice", "y: 0"])
def test_a_name_of_the_program_stays_as_it_is(sentence: str) -> None:
    result = sample_results.racy_student().results[0]
    assert result.judgement is not None
    cases = tuple(
        replace(case, sentence=sentence) if case.verdict is Verdict.WRONG_ANSWER else case
        for case in result.judgement.cases
    )
    changed = replace(result, judgement=replace(result.judgement, cases=cases))
    found = rows(GRADES.labs[0], changed, "wrong-answer")
    assert found and all(f": {sentence}" in row["message"]["text"] for row in found)
