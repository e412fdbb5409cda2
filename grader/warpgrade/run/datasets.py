"""Each lab's inputs and expected results: made once, kept under build/datasets/<lab>/."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from ..core.errors import GraderError, InstructorError
from ..core.paths import Repository, file_hash, need, text_hash
from ..core.scratch import scratch_folder
from ..records import Case, Lab, Visibility
from ..sandbox import process

PUBLIC_SALT = "public"
DEFAULT_SALT = "default"
_SHOWN = (Visibility.VISIBLE, Visibility.NAME, Visibility.HIDDEN)
_LIMITS = process.ResourceLimits(seconds=600, address_bytes=None)
_DIGITS = 16


def secret(repository: Repository) -> str:
    """The instructor's salt for hidden cases: WARPGRADE_SALT, else datasets/.salt, else "default"."""
    given = os.environ.get("WARPGRADE_SALT", "")
    if given:
        return given
    try:
        kept = repository.salt.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return DEFAULT_SALT
    if not kept:
        raise InstructorError(
            "is empty", file=repository.salt, remedy="write one secret line, or remove the file"
        )
    return kept


def seed(lab: str, case: Case, salt: str, fresh: bool = False) -> int:
    """Seed of a case's values, 0 … 2⁶⁴−1.

    At home only hidden cases depend on the secret, so that visible ones can be looked into. Where a
    class is graded all do (`fresh`): else a kernel could hold the answers to the values it knows.
    """
    known = salt if fresh or case.visibility == Visibility.HIDDEN else PUBLIC_SALT
    return _seed(f"warpgrade|{known}|{lab}|{case.name}")


def timing_seed(lab: str, submission: str, salt: str) -> int:
    """Seed of the values that a submission (its hash) is timed with: the same each time, known to nobody."""
    return _seed(f"warpgrade-time|{salt}|{lab}|{submission}")


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def prepare(repository: Repository, lab: Lab, salt: str, fresh: bool = False) -> Path:
    """The folder with the lab's data, made if it is not there yet. `fresh`: see seed().

    It is named after what its content depends on, so stale data is never found. GraderError
    where the generator is missing or fails.
    """
    generator = need(repository.generator, "type `make tools`")
    cases = json.dumps(_cases(lab, salt, fresh), indent=1, sort_keys=True)
    folder = repository.datasets / lab.name / text_hash(cases, file_hash(generator))[:_DIGITS]
    if not folder.is_dir():
        _make(generator, cases, folder, repository)
    return folder


def _cases(lab: Lab, salt: str, fresh: bool) -> dict[str, object]:
    """In the order in which they are run: what a kernel keeps of a hidden case finds no visible one after it
    that could show it."""
    in_order = sorted(lab.cases, key=lambda case: _SHOWN.index(case.visibility))
    rows = [
        {"name": case.name, "m": case.m, "n": case.n, "k": case.k, "values": case.values,
         "seed": str(seed(lab.name, case, salt, fresh))}
        for case in in_order
    ]  # fmt: skip
    return {"lab": lab.name, "cases": rows}


def _make(generator: Path, cases: str, folder: Path, repository: Repository) -> None:
    """Made elsewhere and renamed into its place: never half there, also with two graders at once."""
    with scratch_folder(repository) as work:
        wanted = work / "wanted.json"
        wanted.write_text(cases, encoding="utf-8")
        command = [str(generator), "--cases", str(wanted), "--out", str(work / "data")]
        outcome = process.run_trusted(command, {"LD_LIBRARY_PATH": library_path(repository)}, _LIMITS)
        if outcome.status != 0:
            words = (outcome.stderr or outcome.stdout).strip()[:500]
            raise GraderError(f"failed: {words}", file=generator, remedy="type `make clean tools`")
        folder.parent.mkdir(parents=True, exist_ok=True)
        (work / "data").chmod(0o755)
        with contextlib.suppress(OSError):  # another grader was quicker
            (work / "data").rename(folder)
        need(folder, "see whether the disk is full")


def library_path(repository: Repository) -> str:
    """For programs of ours that stand on libraries which could only be unpacked, not installed."""
    libraries = repository.libraries
    return f"{libraries}:{libraries / 'openblas-pthread'}"
