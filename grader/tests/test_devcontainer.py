"""The development container: it starts from a stage of the Containerfile and calls targets that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / ".devcontainer" / "devcontainer.json"
DATA: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def test_a_gpu_is_no_condition() -> None:
    assert DATA["hostRequirements"]["gpu"] == "optional"


def test_its_stage_is_the_first_one_of_the_containerfile() -> None:
    file = (FILE.parent / DATA["build"]["dockerfile"]).resolve()
    stages = re.findall(r"^FROM \S+(?: AS (\S+))?$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert file == ROOT / "Containerfile" and stages[0] == DATA["build"]["target"]


@pytest.mark.parametrize("makefile", ["Makefile", "grader/release/Makefile"])
def test_what_it_calls_is_there_also_in_the_students_archive(makefile: str) -> None:
    commands = [*DATA["onCreateCommand"].split(" && "), DATA["postAttachCommand"]]
    targets = [command.removeprefix("make ") for command in commands if command.startswith("make ")]
    assert targets and len(commands) > len(targets)
    for target in targets:
        assert re.search(rf"^{target}:", (ROOT / makefile).read_text(encoding="utf-8"), re.MULTILINE)
    for command in set(commands) - {f"make {target}" for target in targets}:
        assert (ROOT / "grader/warpgrade/cli/commands/labs" / f"{command.split()[1]}.py").is_file()


def test_it_asks_for_no_right_that_a_sandbox_would_need() -> None:
    """Codespaces grants none: `--sandbox auto` then takes Landlock's backend."""
    assert not {"runArgs", "privileged", "capAdd", "securityOpt"} & DATA.keys()


# Of the published schema of devcontainer.json: the fields that this file has. Others are added with them.
_TEXT = {"type": "string"}
_COMMAND = {"type": ["string", "array", "object"]}
_SIZE = {"type": "string", "pattern": r"^\d+([tgmk]b)?$"}
SCHEMA = {
    "type": "object",
    "required": ["build"],
    "additionalProperties": False,
    "properties": {
        "name": _TEXT,
        "build": {
            "type": "object",
            "required": ["dockerfile"],
            "additionalProperties": False,
            "properties": {"dockerfile": _TEXT, "context": _TEXT, "target": _TEXT},
        },
        "hostRequirements": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "cpus": {"type": "integer", "minimum": 1},
                "memory": _SIZE,
                "storage": _SIZE,
                "gpu": {"enum": [True, False, "optional"]},
            },
        },
        "onCreateCommand": _COMMAND,
        "postAttachCommand": _COMMAND,
        "customizations": {"type": "object"},
    },
}


def test_it_is_valid_by_the_published_schema() -> None:
    jsonschema.validate(DATA, SCHEMA)
    for change in ({"onCreate": "make"}, {"hostRequirements": {"memory": "4 GB"}}, {"build": {}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(DATA | change, SCHEMA)
