"""Gradescope: results.json for one submission, and the zip that makes its autograder.

The zip holds this repository's own sources: setup.sh builds them once, when the image is made, and
run_autograder grades /autograder/submission with them. Where the grader itself fails, no results.json is
written: Gradescope then says that the autograder failed, and no student gets a zero for it.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.build_sources import build_sources, files_below
from ..core.errors import GraderError
from ..core.formatting import points
from ..core.paths import Repository, need, typed
from ..records import Lab, LabKind, Result
from .checks import Check, checks

_STAMP = (2020, 1, 1, 0, 0, 0)  # the same sources give the same bytes
_SETUP = """\
#!/usr/bin/env bash
# Run once, when Gradescope makes the image: packages, compiler, emulator, data of the lab.
set -euo pipefail
apt-get update -qq && apt-get install -y -qq make python3 python3-venv g++
make -C /autograder/source tools
cd /autograder/source
.venv/bin/python -m warpgrade export gradescope @LAB@ @FIRST@ --out /tmp/first.json
"""
_RUN = """\
#!/usr/bin/env bash
# Run for each submission. Without a results.json Gradescope says that the autograder failed.
set -uo pipefail
cd /autograder/source
rm -f /autograder/results/results.json
.venv/bin/python -m warpgrade export gradescope @LAB@ /autograder/submission@BY@ \\
  --out /autograder/results/results.json
"""


# Gradescope's own metadata of one submission: the name of the first who handed it in.
_SUBMITTER = (
    "python3 -c 'import json; "
    'print(json.load(open("/autograder/submission_metadata.json"))["users"][0]["name"])\''
)


# --- results.json ------------------------------------------------------------------------------


def results_json(lab: Lab, result: Result) -> str:
    """The text of results.json. GraderError if the score is withheld: Gradescope must get no result then."""
    if result.score is None or result.score.total is None:
        words = result.problem.message if result.problem else "the grader failed"
        raise GraderError(f"no points for {lab.name}: {words}", remedy=typed("doctor"))
    ratio = result.judgement.performance.ratio if result.judgement and result.judgement.performance else None
    data: dict[str, Any] = {
        "score": result.score.total,
        "output": _headline(lab, result),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(number, test) for number, test in enumerate(checks(lab, result), 1)],
    }
    if ratio is not None:
        data["leaderboard"] = [{"name": "Speed, reference = 1", "value": round(ratio, 2), "order": "desc"}]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _test(number: int, test: Check) -> dict[str, Any]:
    name = test.name if test.kind in ("case", "build", "performance") else f"{test.kind}: {test.name}"
    return {
        "name": name,
        "number": str(number),
        "score": test.earned,
        "max_score": test.possible,
        "status": "passed" if test.passed else "failed",
        "output": test.output or test.message,
        "visibility": "visible",
        "tags": [test.kind],
    }


def _headline(lab: Lab, result: Result) -> str:
    score = result.score
    total = (
        f"{points(score.total)} of {points(score.possible)} points"
        if score and score.total is not None
        else ""
    )
    problem = f"\n{result.problem}" if result.problem else ""
    return f"{lab.name}, {lab.title}: {total}{problem}"


# --- the autograder's zip ----------------------------------------------------------------------


def autograder(repository: Repository, lab: Lab) -> bytes:
    """setup.sh and run_autograder at the top, the sources beside them. For staff: it holds the solution."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", _SETUP), ("run_autograder", _RUN)):
            _add(archive, name, _script(text, lab).encode(), executable=True)
        for name, path in sorted(_sources(repository, lab)):
            _add(archive, name, path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
    return stream.getvalue()


def _script(text: str, lab: Lab) -> str:
    """The script for that lab. The values of questions depend on who handed them in."""
    questions = lab.kind is LabKind.ANSWERS
    first = f"{'labs' if questions else 'solutions'}/{lab.name}/{lab.files[0]}"
    by = f' --by "$({_SUBMITTER})"' if questions else ""
    return text.replace("@LAB@", lab.name).replace("@FIRST@", first).replace("@BY@", by)


def _sources(repository: Repository, lab: Lab) -> Iterator[tuple[str, Path]]:
    folders = ("grader/warpgrade", "datasets", f"labs/{lab.name}", f"solutions/{lab.name}")
    found = {*build_sources(repository), need(repository.root / "pyproject.toml", "get a whole copy")}
    for folder in folders:
        found.update(files_below(repository.root / folder))
    for path in found:
        yield path.relative_to(repository.root).as_posix(), path


def _add(archive: zipfile.ZipFile, name: str, content: bytes, executable: bool) -> None:
    entry = zipfile.ZipInfo(name, _STAMP)
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
