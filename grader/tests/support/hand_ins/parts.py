"""The points that a submission earns for each part, and those that its file says it loses."""

from __future__ import annotations

from pathlib import Path

from warpgrade.core.paths import Repository
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, prepare
from warpgrade.records import Lab, Submission

_LOSES = "// Loses: "


def earned(repository: Repository, item: Lab, submission: Submission, folder: Path) -> dict[str, float]:
    """Points by part, on the emulator."""
    session = prepare(repository, [item], Options("emulator"))
    (prepared,) = session.prepared_labs
    result = pipeline.grade_one(submission, prepared, folder, session)
    assert result.score is not None, result.problem
    return {part.name: part.earned for part in result.score.parts}


def lost(file: Path) -> list[str]:
    """The parts that the file's line "// Loses: …" names."""
    line = next(line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith(_LOSES))
    return line.removeprefix(_LOSES).rstrip(".").split(", ")
