"""Right kernels of a lab in unlike styles: solutions/<lab>/styles/*.cu, and the variants of variants.toml."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from warpgrade.core import toml
from warpgrade.core.paths import Repository
from warpgrade.records import Lab, Submission
from warpgrade.submission.admit import from_file

VARIANTS = "variants.toml"
_TEXT = {"type": "string"}
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["variant"],
    "properties": {
        "variant": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "of", "find", "replace"],
                "properties": {"name": _TEXT, "of": _TEXT, "find": _TEXT, "replace": _TEXT},
            },
        }
    },
}


@dataclass(frozen=True)
class RightKernel:
    label: str
    submission: Submission


def files(repository: Repository, lab: Lab) -> list[Path]:
    """The styles of a lab; empty if it has none."""
    return sorted((repository.solution(lab.name) / "styles").glob("*.cu"))


def kernels(repository: Repository, lab: Lab) -> Iterator[RightKernel]:
    """The lab's styles, then its variants."""
    for file in files(repository, lab):
        yield RightKernel(file.stem, from_file(file, lab, file.stem))
    table = repository.solution(lab.name) / VARIANTS
    rows = toml.load(table, _SCHEMA).data["variant"] if table.is_file() else []
    for row in rows:
        yield RightKernel(row["name"], _changed(repository.solution(lab.name) / row["of"], row, lab))


def _changed(file: Path, row: dict[str, str], lab: Lab) -> Submission:
    found = from_file(file, lab, row["name"])
    main = found.files[0]
    times = main.text.count(row["find"])
    assert times == 1, f"{row['name']}: the text that it replaces occurs {times} times in {file.name}"
    text = main.text.replace(row["find"], row["replace"])
    return replace(
        found, hash=f"{found.hash}-{row['name']}", files=(replace(main, text=text), *found.files[1:])
    )
