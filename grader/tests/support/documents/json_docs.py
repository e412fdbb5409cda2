"""The tables of docs/json-formats.md, made from the records that the grader writes."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator

from warpgrade import records
from warpgrade.records import LocatedMistake, Setting, StageRecords, Student

MARK = "<!-- Made from grader/warpgrade/records by: WARPGRADE_REBASE=1 pytest -k json_docs -->\n"


def tables() -> str:
    """One table for each record that a result can hold, in the order in which one leads to the next."""
    return "\n".join(_table(record) for record in _reachable(Setting, Student, StageRecords, LocatedMistake))


def _reachable(*first: type) -> Iterator[type]:
    waiting, seen = [*first], {*first}
    while waiting:
        record = waiting.pop(0)
        yield record
        for field in _saved_fields(record):
            for name in re.findall(r"[A-Z]\w+", str(field.type)):
                other = getattr(records, name, None)
                if dataclasses.is_dataclass(other) and isinstance(other, type) and other not in seen:
                    seen.add(other)
                    waiting.append(other)


def _saved_fields(record: type) -> list[dataclasses.Field[object]]:
    return [field for field in dataclasses.fields(record) if field.metadata.get("saved", True)]


def _table(record: type) -> str:
    about = inspect.cleandoc(record.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    lines = [f"## {record.__name__}", ""]
    if not about.startswith(f"{record.__name__}("):  # dataclass's own, where there is none
        lines += [about, ""]
    lines += ["| field | type | meaning |", "|---|---|---|"]
    source = inspect.getsource(record)
    for field in _saved_fields(record):
        said = re.search(rf"^    {field.name}: [^#\n]*(?:# (.*))?$", source, re.MULTILINE)
        kind = str(field.type).replace(" | ", " or ")
        lines.append(f"| `{field.name}` | {kind} | {(said and said[1]) or ''} |")
    return "\n".join([*lines, ""])
