"""Each lab's inputs and expected results: made once, kept under build/datasets/<lab>/."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..core import handwritten, store, toml
from ..core.errors import GraderError, InstructorError
from ..core.paths import Repository, file_hash, need, need_harness, text_hash
from ..core.scratch import scratch_folder
from ..course import draws
from ..records import ArrayShape, Case, Lab, LabKind, Visibility
from ..sandbox import process

PUBLIC_SALT = "public"
DEFAULT_SALT = "default"
_OTHERS = "_others"  # folder in a lab's data; a case's name has no such letter
_SHOWN = (Visibility.VISIBLE, Visibility.NAME, Visibility.HIDDEN)
_LIMITS = process.ResourceLimits(seconds=600, address_bytes=None)
_DIGITS = 16
_DISAGREES = 2  # exit code of a harness that needs a parameter or the like that lab.toml lacks
_SAYS = "harness: "  # prefix of a harness's messages (grader/harness/lab.cpp)
_MATRIX = 2  # dimensions
_NARROW_AND_WIDE = {"half": 2, "bfloat16": 2, "float": 4, "double": 8}  # bytes; integers are u8 … i64


@dataclass(frozen=True)
class CaseArray:
    """An array of a case. `shape`: its extents, the slowest dimension first."""

    name: str
    shape: tuple[int, ...]
    element: int  # bytes


def secret(repository: Repository) -> str:
    """The instructor's salt for hidden cases: WARPGRADE_SALT, else datasets/.salt, else "default"."""
    given = os.environ.get("WARPGRADE_SALT", "")
    if any("\ud800" <= letter <= "\udfff" for letter in given):  # how Python shows bytes that are no text
        raise InstructorError("is not UTF-8", file="WARPGRADE_SALT", remedy="set it to plain text")
    if given:
        return given
    salt, remedy = repository.salt, "write one secret line of plain text, or remove it"
    try:
        kept = handwritten.text(salt, remedy).strip()
    except FileNotFoundError:
        return DEFAULT_SALT
    if not kept:
        raise InstructorError("is empty", file=salt, remedy=remedy)
    return kept


def seed(lab: str, case: Case, salt: str, fresh: bool = False) -> int:
    """Seed of a case's values, 0 … 2⁶⁴−1.

    When students check their own kernel, only hidden cases depend on the secret, so that visible ones
    can be examined. When a class is graded, all cases do (`fresh`): otherwise a kernel could contain
    the answers to known values.
    """
    known = salt if fresh or case.visibility == Visibility.HIDDEN else PUBLIC_SALT
    return _seed(f"warpgrade|{known}|{lab}|{case.name}")


def timing_seed(lab: str, submission: str, salt: str) -> int:
    """The seed of the values with which a submission is timed. It depends on the submission's hash and on a
    secret, so it is always the same and students cannot know it.
    """
    return _seed(f"warpgrade-time|{salt}|{lab}|{submission}")


def drawn(lab: Lab, salt: str) -> Lab:
    """The lab with the sizes that this course draws; without a secret, the least ones."""
    if salt == DEFAULT_SALT:
        return lab
    values = {
        draw.name: draw.first
        + _seed(f"warpgrade-size|{salt}|{lab.name}|{draw.name}") % (draw.last - draw.first + 1)
        for draw in lab.draws
    }
    return draws.resolved(lab, values)


def needs_secret(lab: Lab) -> bool:
    """Whether the lab has sizes or values that no student may know."""
    return bool(lab.draws) or any(case.visibility == Visibility.HIDDEN for case in lab.cases)


def _seed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def prepare(repository: Repository, lab: Lab, salt: str, fresh: bool = False) -> Path:
    """The folder with the lab's data, made if it does not exist. `fresh`: see seed().

    Its name is a hash of what the data depends on, so stale data is never used. GraderError where the
    generator is missing or fails.
    """
    generator = need_harness(repository, lab.name)
    wanted = {".": _text(_cases(lab, salt, fresh))}
    if lab.kind is LabKind.PROGRAM:
        wanted[_OTHERS] = _text(_cases(lab, f"others|{salt}", fresh=True))
    folder = repository.datasets / lab.name / text_hash(*wanted.values(), file_hash(generator))[:_DIGITS]
    if not folder.is_dir():
        _make(generator, wanted, folder, repository, lab.name)
    return folder


def others(folder: Path) -> Path | None:
    """For a lab of programs, the folder with the same cases with other, secret values. None if the data was
    not made by prepare(). `folder`: the result of prepare().
    """
    found = folder / _OTHERS
    return found if found.is_dir() else None


def need_known_arrays(lab: Lab, folder: Path, repository: Repository) -> None:
    """InstructorError if [arrays] of lab.toml declares an array that harness.cpp makes in no case. `lab` must
    have all its cases, since an array may be missing in some. `folder`: the result of prepare().
    """
    made = {name: None for case in lab.cases if lab.arrays for name in _names(folder, case)}
    for array in (array for array in lab.arrays if made and array.name not in made):
        file = repository.labs / lab.name / "lab.toml"
        line = toml.line_of(file.read_text(encoding="utf-8"), ("arrays", array.name))
        message = f"arrays.{array.name}: harness.cpp makes no array of this name"
        raise InstructorError(message, file=file, line=line, remedy=f"its arrays are {', '.join(made)}")


def with_arrays(lab: Lab, folder: Path) -> Lab:
    """The lab with the shapes of arrays that lab.toml does not declare: arrays of several dimensions, of
    which each extent equals the same parameter in every case. `folder`: the result of prepare().
    """
    if lab.kind is LabKind.PROGRAM:  # a program makes arrays of its own
        return lab
    declared, made = {array.name for array in lab.arrays}, dict[str, list[tuple[Case, tuple[int, ...]]]]()
    for case in lab.cases:
        for array in arrays_of(folder, case):
            if len(array.shape) >= _MATRIX and array.name not in declared:
                made.setdefault(array.name, []).append((case, array.shape))
    found = ((name, _extents(lab, shapes)) for name, shapes in made.items())
    known = (ArrayShape(name, extents) for name, extents in found if all(extents))
    return replace(lab, arrays=(*lab.arrays, *known))


def _extents(lab: Lab, shapes: Sequence[tuple[Case, tuple[int, ...]]]) -> tuple[str, ...]:
    """For each dimension the parameter that it equals in every case; "" if there is none."""

    def stated(axis: int) -> str:
        fit = (
            name
            for name in lab.parameter_names
            if all(case.parameters[name] == shape[axis] for case, shape in shapes)
        )
        return next(fit, "")

    ranks = {len(shape) for _, shape in shapes}
    return tuple(stated(axis) for axis in range(ranks.pop())) if len(ranks) == 1 else ("",)


def _names(folder: Path, case: Case) -> list[str]:
    return [array.name for array in arrays_of(folder, case)]


def arrays_of(folder: Path, case: Case) -> tuple[CaseArray, ...]:
    """The arrays of a case, from the folder that prepare() returned."""
    listed = json.loads((folder / "cases.json").read_text(encoding="utf-8"))["cases"]
    rows = next(row["arrays"] for row in listed if row["name"] == case.name)
    return tuple(CaseArray(row["name"], tuple(row["shape"]), _bytes_of(row["type"])) for row in rows)


def _bytes_of(type: str) -> int:
    """The size of an element type as cases.json names it: "float", "u8", …"""
    return _NARROW_AND_WIDE[type] if type in _NARROW_AND_WIDE else int(type[1:]) // 8


def _cases(lab: Lab, salt: str, fresh: bool) -> dict[str, object]:
    """The cases in the order in which they run: hidden ones last, so that a kernel cannot keep data
    of a hidden case and show it in a visible one.
    """
    in_order = sorted(lab.cases, key=lambda case: _SHOWN.index(case.visibility))
    rows = [
        {"name": case.name, "parameters": case.parameters, "values": case.values,
         "seed": str(seed(lab.name, case, salt, fresh))}
        for case in in_order
    ]  # fmt: skip
    return {"lab": lab.name, "cases": rows}


def _text(cases: Mapping[str, object]) -> str:
    return json.dumps(cases, indent=1, sort_keys=True)


def _make(generator: Path, wanted: Mapping[str, str], folder: Path, repository: Repository, lab: str) -> None:
    """Generate the data in a temporary folder and rename it: `folder` is complete or absent, even if two
    graders run at once. `wanted`: cases by the folder in it.
    """
    with scratch_folder(repository) as work:
        for place, cases in wanted.items():
            _generate(generator, cases, work / "data" / place, work, repository, lab)
        folder.parent.mkdir(parents=True, exist_ok=True)
        (work / "data").chmod(0o755)
        with contextlib.suppress(OSError):  # another grader was quicker
            store.publish(work / "data", folder)
        need(folder, "see whether the disk is full")


def _generate(generator: Path, cases: str, out: Path, work: Path, repository: Repository, lab: str) -> None:
    wanted = work / "wanted.json"
    wanted.write_text(cases, encoding="utf-8")
    command = [str(generator), "--mode", "make", "--cases", str(wanted), "--out", str(out)]
    # The generator launches nothing, but the loader has to find the CUDA runtime.
    environment = {"LD_LIBRARY_PATH": str(repository.emulator.parent)}
    outcome = process.run_trusted(command, environment, _LIMITS)
    if outcome.status == _DISAGREES and outcome.stderr.startswith(_SAYS):  # not a shell's error
        words = outcome.stderr.strip().removeprefix(_SAYS)[:500]
        remedy = "repair it or lab.toml, which must agree; then type `make tools`"
        raise InstructorError(words, file=repository.labs / lab / "harness.cpp", remedy=remedy)
    if outcome.status != 0 or not out.is_dir():
        words = (outcome.stderr or outcome.stdout).strip()[:500] or "it wrote no data"
        raise GraderError(f"failed: {words}", file=generator, remedy="type `make clean tools`")
