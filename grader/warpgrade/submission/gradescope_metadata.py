"""submission_metadata.yml of a Gradescope export: who handed in which folder, and when.

Only the few lines that say so are read, at their fixed indentation; everything else of the file
(results, history, answers) is passed by. So no YAML library, with tags that build objects, ever
sees a file that students' text stands in.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

FILE = "submission_metadata.yml"
_TOP = re.compile(r"""^(?P<quote>['"]?)(?P<key>[^\s'":#-][^'"]*)(?P=quote):\s*$""")
_FIELD = re.compile(r"^  :(?P<name>\w+):\s*(?P<value>.*)$")
_ITEM = re.compile(r"^(?P<indent>\s+)(?P<dash>- )?:(?P<name>\w+):\s*(?P<value>.*)$")


@dataclass(frozen=True)
class Submitter:
    name: str
    sid: str = ""
    email: str = ""


@dataclass(frozen=True)
class Handed:
    """One folder of the export; a group has several submitters."""

    folder: str
    submitters: tuple[Submitter, ...]
    created_at: str  # as written: "2026-11-20 10:00:00.123456000 Z"


def read(text: str) -> tuple[Handed, ...]:
    """Every folder in the order of the file; one without submitters has none."""
    found: list[Handed] = []
    block: list[str] = []
    folder = ""
    for line in [*text.replace("\r", "").split("\n"), "end:"]:
        top = _TOP.match(line)
        if top:
            if folder:
                found.append(_handed(folder, block))
            folder, block = top["key"], []
        else:
            block.append(line)
    return tuple(found)


def _handed(folder: str, block: list[str]) -> Handed:
    created, people, within = "", list[dict[str, str]](), False
    for line in block:
        field = _FIELD.match(line)
        if field:
            within = field["name"] == "submitters"
            if field["name"] == "created_at":
                created = _scalar(field["value"])
        item = _ITEM.match(line)
        if within and item and not (field and not item["dash"]):
            if item["dash"]:
                people.append({})
            if people:
                people[-1][item["name"]] = _scalar(item["value"])
    submitters = (
        Submitter(person.get("name", ""), person.get("sid", ""), person.get("email", "")) for person in people
    )
    return Handed(folder, tuple(submitters), created)


def _scalar(text: str) -> str:
    text = text.strip()
    if text in ("", "~", "null"):
        return ""
    if text.startswith("'") and text.endswith("'") and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        try:
            return str(json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text)))
        except ValueError:
            return text.strip('"')
    return text.split(" #", 1)[0].strip()
