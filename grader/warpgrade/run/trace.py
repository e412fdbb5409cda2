"""Recordings of a kernel's accesses: which lane of which warp accesses which address, in order.

The emulator writes them for one block (WARPGRADE_TRACE) while the harness runs one case. Recordings for
handouts are kept in build/recorded/ under the hash of all that they depend on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..build import toolkit
from ..build.compiler import FATBIN, Compiler, build
from ..core import store
from ..core.code_hash import code_hash
from ..core.errors import GraderError, InstructorError
from ..core.hardware import FLOAT, SECTOR, WARP
from ..core.paths import Repository, file_hash, need, text_hash, typed
from ..course import arrays
from ..records import BuildStatus, Case, Lab, Submission
from ..submission.admit import from_file
from . import datasets, harness
from .harness import HarnessJob, RunnerConfig

BARRIER = "barrier"


@dataclass(frozen=True)
class Access:
    """One access of one warp: an address for each lane, None for an inactive lane.

    A barrier belongs to all warps (`warp` is -1, no addresses) and is recorded when it opens.
    """

    kind: str  # "global load", "global store", "shared load", "shared store", "barrier", …
    file: str
    line: int
    bytes: int  # of each lane
    warp: int
    addresses: tuple[int | None, ...]

    @property
    def lanes(self) -> dict[int, int]:
        """Address by lane, for the active lanes."""
        return {lane: at for lane, at in enumerate(self.addresses) if at is not None}


@dataclass(frozen=True)
class SharedArray:
    """An array's place in the block's shared memory; `bytes` 0: up to the end."""

    name: str
    offset: int
    bytes: int


@dataclass(frozen=True)
class Recording:
    """One block's accesses in the order in which the emulator ran them, and where the global arrays begin."""

    bases: dict[str, int]
    shapes: dict[str, tuple[int, ...]]  # of these arrays, where the lab declares them
    warps: int
    accesses: tuple[Access, ...]
    shared: tuple[SharedArray, ...] = ()

    def array(self, access: Access) -> str:
        """The name of the array in global or shared memory that an access touches, else ""."""
        first = min(access.lanes.values(), default=-1)
        if access.kind.startswith("shared"):
            below = [each for each in self.shared if each.offset <= first]
            return max(below, key=lambda each: each.offset).name if below else ""
        if not access.kind.startswith("global"):
            return ""
        names = [name for name, base in self.bases.items() if base <= first]
        return max(names, key=lambda name: self.bases[name]) if names else ""

    def width(self, array: str) -> int:
        """Elements in a row of an array in global memory; of an array without a shape, in one sector."""
        return self.shapes[array][-1] if array in self.shapes else SECTOR // FLOAT

    def of(self, warp: int, kind: str, array: str = "") -> tuple[Access, ...]:
        """The accesses of that warp and kind and, if named, of that array."""
        return tuple(
            access
            for access in self.accesses
            if access.warp == warp and access.kind == kind and array in ("", self.array(access))
        )


def record(
    repository: Repository, lab: Lab, source: str, case: str, *, block: tuple[int, int] = (0, 0)
) -> Recording:
    """Run `source` (a kernel of that lab, by course staff) on one case and record one block.

    InstructorError where the source does not compile, GraderError where a tool is missing.
    """
    chosen = next((item for item in lab.cases if item.name == case), None)
    if chosen is None:
        raise InstructorError(f"has no case {case!r} to record", file=Path(lab.folder) / "lab.toml")
    emulator = file_hash(need(repository.emulator, "type `make tools`"))
    key = text_hash(
        source, repr((lab.kernels, lab.arrays)), repr(chosen), repr(block), code_hash(__name__), emulator
    )
    folder = repository.root / "build" / "recorded" / f"{lab.name}-{key[:16]}"
    known = store.load(folder, "recording", key, Recording)
    if known is not None:
        return known
    tools = toolkit.find(repository)
    with tempfile.TemporaryDirectory(prefix="warpgrade-record-") as name:
        file = Path(name) / lab.files[0]
        file.write_text(source, encoding="utf-8")
        submission = from_file(file, lab, "staff")
        built = build(submission, lab, Compiler(repository, tools, "none"), Path(name))
        if built.status != BuildStatus.BUILT:
            raise InstructorError(f"cannot be recorded: {built.summary}", file=repository.solution(lab.name))
        runner = RunnerConfig(repository, tools, "none", threads=1)
        made = traced(runner, lab, submission, Path(name) / FATBIN, chosen, block)
    if not made.accesses:
        raise GraderError(f"recorded nothing of {', '.join(lab.kernels)}", remedy=typed("doctor"))
    store.save(folder, "recording", key, made)
    return made


def traced(
    runner: RunnerConfig,
    lab: Lab,
    submission: Submission,
    fatbin: Path,
    case: Case,
    block: tuple[int, int] = (0, 0),
) -> Recording:
    """Record one block of a built kernel in one case, with the public values, in the runner's sandbox."""
    one = replace(lab, cases=(case,))
    data = datasets.prepare(runner.repository, one, datasets.PUBLIC_SALT)
    job = HarnessJob(one, fatbin, data, ("--mode", "check"), trace=block)
    rows = harness.start(job, runner, submission).trace
    launch = next((row for row in rows if row["kind"] == "launch"), None)
    if launch is None:
        return Recording({}, {}, 0, ())
    threads = launch["block"][0] * launch["block"][1] * launch["block"][2]
    shared = [SharedArray(row["name"], row["offset"], row["bytes"]) for row in launch["shared"]]
    return Recording(
        bases=_bases(lab, launch),
        shapes=arrays.shapes(lab, case),
        warps=-(-threads // WARP),
        accesses=tuple(_accesses(row for row in rows if row["launch"] == launch["launch"])),
        shared=tuple(shared),
    )


def _bases(lab: Lab, launch: Mapping[str, Any]) -> dict[str, int]:
    """Address by array: the named allocations, else the kernel's first parameters in the lab's order."""
    if named := launch.get("arrays"):
        return {row["name"]: int(row["address"], 16) for row in named}
    addresses = [int(text, 16) for text in launch["parameters"][: len(lab.arrays)] if text]
    return dict(zip([array.name for array in lab.arrays], addresses, strict=False))


def _accesses(rows: Iterable[Mapping[str, Any]]) -> Iterator[Access]:
    for row in rows:
        if row["kind"] != "launch":
            lanes = (int(text, 16) if text else None for text in row["addresses"])
            warp = -1 if row["warp"] is None else row["warp"]
            file = PurePosixPath(row["file"] or "").name
            yield Access(row["kind"], file, row["line"] or 0, row["bytes"], warp, tuple(lanes))


def sectors(addresses: Iterable[int]) -> frozenset[int]:
    """Numbers of the 32-byte sectors that contain these addresses."""
    return frozenset(address // SECTOR for address in addresses)
