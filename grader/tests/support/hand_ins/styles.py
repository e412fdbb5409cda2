"""Right kernels in unlike styles: a lab's own, solutions/<lab>/styles/*.cu and the variants of variants.toml,
and the collection that many labs share, grader/tests/fixtures/submissions/styles/*.cu.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from warpgrade.core import toml
from warpgrade.core.paths import Repository
from warpgrade.records import Lab, SourceFile, Submission
from warpgrade.submission.admit import from_file

VARIANTS = "variants.toml"
COLLECTION = Path(__file__).resolve().parents[2] / "fixtures" / "submissions" / "styles"
_PARAMETERS = "const float* A, const float* B, float* C, int m, int n, int k)"
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


def shared(repository: Repository, lab: Lab) -> Iterator[RightKernel]:
    """Those of the collection that have the lab's parameters and are right at its sizes."""
    skeleton = " ".join((repository.labs / lab.name / lab.files[0]).read_text(encoding="utf-8").split())
    if _PARAMETERS not in skeleton:
        return
    of_tiles = all(size % 32 == 0 for case in lab.cases for size in case.size)
    for path in sorted(COLLECTION.glob("*.cu")):
        text = path.read_text(encoding="utf-8")
        if of_tiles or text.splitlines()[1] == "// Fits: any size.":
            file = SourceFile(lab.files[0], text.replace("KERNEL", lab.kernel))
            yield RightKernel(path.stem, Submission(path.stem, lab.name, path.stem, (file,), path.stem))


def _changed(file: Path, row: dict[str, str], lab: Lab) -> Submission:
    found = from_file(file, lab, row["name"])
    main = found.files[0]
    times = main.text.count(row["find"])
    assert times == 1, f"{row['name']}: the text that it replaces occurs {times} times in {file.name}"
    text = main.text.replace(row["find"], row["replace"])
    return replace(
        found, hash=f"{found.hash}-{row['name']}", files=(replace(main, text=text), *found.files[1:])
    )
