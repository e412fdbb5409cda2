"""Results for other programs: each output fits its format's schema and reveals no secret to a student."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from support import sample_results
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository, here
from warpgrade.course import lab
from warpgrade.export import check_json, formats, gradescope
from warpgrade.records import Lab, Result

GRADES = sample_results.grades()
PAIRS = [
    (next(each for each in GRADES.labs if each.name == result.lab), result, student.id)
    for student in GRADES.students
    for result in student.results
]
GRADED = [pair for pair in PAIRS if pair[1].score and pair[1].score.total is not None]
WITHHELD = [pair for pair in PAIRS if pair not in GRADED]

VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "anyOf": [{"required": ["score"]}, {"required": ["tests"]}],
    "properties": {
        "score": {"type": "number"}, "execution_time": {"type": "number"}, "output": {"type": "string"},
        "output_format": FORMAT, "test_output_format": FORMAT, "test_name_format": FORMAT,
        "visibility": VISIBILITY, "stdout_visibility": VISIBILITY, "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "score": {"type": "number"}, "max_score": {"type": "number"},
                "status": {"enum": ["passed", "failed"]}, "name": {"type": "string"}, "name_format": FORMAT,
                "number": {"type": "string"}, "output": {"type": "string"}, "output_format": FORMAT,
                "tags": {"type": "array", "items": {"type": "string"}}, "visibility": VISIBILITY,
                "extra_data": {"type": "object"},
            },
        }},
        "leaderboard": {"type": "array", "items": {
            "type": "object", "required": ["name", "value"], "additionalProperties": False,
            "properties": {"name": {"type": "string"}, "value": {}, "order": {"enum": ["asc", "desc"]}},
        }},
    },
}  # fmt: skip


def all_texts(of: Lab, result: Result) -> list[str]:
    texts = [formats.autolab(of, result), formats.junit(of, result)]
    texts.append(check_json.text(of, result))
    if (of, result) in [pair[:2] for pair in GRADED]:
        texts.append(gradescope.results_json(of, result))
    return texts


def test_the_sample_holds_every_kind() -> None:
    assert len(GRADED) > 3 and WITHHELD


@pytest.mark.parametrize(("of", "result", "student"), PAIRS, ids=lambda value: str(value)[:12])
def test_hidden_cases_leave_no_trace(of: Lab, result: Result, student: str) -> None:
    for text in all_texts(of, result):
        assert sample_results.SECRET not in text
        assert f"sentence about {sample_results.NAMED}" not in text


# --- Gradescope --------------------------------------------------------------------------------


@pytest.mark.parametrize(("of", "result", "student"), GRADED, ids=lambda value: str(value)[:12])
def test_gradescope_results(of: Lab, result: Result, student: str) -> None:
    data = json.loads(gradescope.results_json(of, result))
    jsonschema.validate(data, GRADESCOPE)
    assert result.score and data["score"] == result.score.total
    if sum(part.possible for part in result.score.parts) == 100:
        assert sum(test["max_score"] for test in data["tests"]) == pytest.approx(100)
        assert sum(test["score"] for test in data["tests"]) == pytest.approx(result.score.total)
    assert {test["visibility"] for test in data["tests"]} == {"visible"}, "a hidden test would hide the total"


def test_gradescope_gets_no_zero_for_our_fault() -> None:
    of, result, _ = WITHHELD[0]
    with pytest.raises(GraderError):
        gradescope.results_json(of, result)


def test_gradescope_zip_can_build(tmp_path: Path) -> None:
    repository = here()
    name = "02-tiled"
    chosen = lab.named(repository, name)
    content = gradescope.autograder(repository, chosen)
    assert content == gradescope.autograder(repository, chosen), "the same sources give the same bytes"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        assert names[:2] == ["setup.sh", "run_autograder"]
        for script in names[:2]:
            assert (archive.getinfo(script).external_attr >> 16) & stat.S_IXUSR
        archive.extractall(tmp_path)
    for script in names[:2]:
        text = (tmp_path / script).read_text()
        assert text.startswith("#!/usr/bin/env bash\n") and "@LAB@" not in text and name in text
        assert subprocess.run(["bash", "-n", str(tmp_path / script)]).returncode == 0
    assert "/autograder/results/results.json" in (tmp_path / "run_autograder").read_text()
    assert {"labs/02-tiled/harness.cpp", "solutions/02-tiled/kernel.cu", "Makefile"} <= set(names)
    assert not any(name.startswith(("build/", ".venv/", "grader/tests")) for name in names)
    loaded = lab.load(Repository(tmp_path).labs / name)
    assert loaded.cases == chosen.cases
    for command in (
        ["cmake", "--preset", "release"],
        ["ninja", "-C", "build/cmake/release", "-t", "commands", "tools"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "build/harness/02-tiled" in done.stdout and "libcudart.so.13" in done.stdout


# --- Autolab, JUnit ----------------------------------------------------------------------------


@pytest.mark.parametrize(("of", "result", "student"), GRADED, ids=lambda value: str(value)[:12])
def test_autolab_line(of: Lab, result: Result, student: str) -> None:
    line = formats.autolab(of, result)
    data = json.loads(line)
    assert "\n" not in line and set(data) == {"scores", "scoreboard"}
    assert all(isinstance(value, int | float) for value in data["scores"].values())
    assert result.score and sum(data["scores"].values()) == pytest.approx(result.score.total)


@pytest.mark.parametrize(("of", "result", "student"), PAIRS, ids=lambda value: str(value)[:12])
def test_junit(of: Lab, result: Result, student: str) -> None:
    root = ElementTree.fromstring(formats.junit(of, result, student))
    assert root.tag == "testsuites"
    suite = root.find("testsuite")
    assert suite is not None and {"name", "tests", "failures", "errors", "skipped", "time"} <= set(
        suite.attrib
    )
    cases = suite.findall("testcase")
    assert all({"classname", "name", "time"} <= set(case.attrib) for case in cases)
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}"))
    assert int(suite.attrib["tests"]) == len(cases)
    assert all({"message", "type"} <= set(each.attrib) for each in suite.findall("testcase/failure"))


def test_junit_separates_errors_of_the_grader_from_failures() -> None:
    of, result, _ = WITHHELD[0]
    assert (
        ElementTree.fromstring(formats.junit(of, result)).find(".//error[@type='GRADER_ERROR']") is not None
    )


def test_junit_holds_only_what_xml_can() -> None:
    of, result, _ = GRADED[0]
    text = formats.junit(of, result, "a\x00b\x1b]]>&<'\"")
    suite = ElementTree.fromstring(text).find("testsuite")
    assert suite is not None and suite.attrib["name"].startswith("a\N{REPLACEMENT CHARACTER}b")


def test_junit_holds_the_kernels_time() -> None:
    result = sample_results.right_student().results[0]
    assert result.judgement is not None and result.judgement.performance is not None
    wanted = sum(size.student_ms for size in result.judgement.performance.sizes) / 1000
    suite = ElementTree.fromstring(formats.junit(GRADES.labs[0], result))[0]
    assert wanted > 0 and float(suite.attrib["time"]) == pytest.approx(wanted)
