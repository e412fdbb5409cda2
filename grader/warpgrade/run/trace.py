"""Recordings of a kernel's accesses: which lane of which warp accesses which address, in order.

The emulator writes them for one block (WARPGRADE_TRACE) while the harness runs one case. Recordings for
handouts are kept in build/recorded/ under the hash of all that they depend on.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ..build import toolkit
from ..build.compiler import FATBIN, Compiler, build
from ..core import store
from ..core.code_hash import code_hash
from ..core.errors import GraderError, InstructorError
from ..core.paths import Repository, file_hash, need, text_hash, typed
from ..records import BuildStatus, Case, Lab, Submission
from ..submission.admit import from_file
from ..tables.hardware import FLOAT, SECTOR, WARP
from . import datasets, harness
from .datasets import CaseArray
from .harness import HarnessJob, RecordRequest, RunnerConfig

BARRIER = "barrier"
_WIDEST_VECTOR = 4  # elements: float4


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
    """The place of an array in the block's shared memory. `bytes`: 0 means up to the end."""

    name: str
    offset: int
    bytes: int


@dataclass(frozen=True)
class GlobalArray:
    """An array of the case in global memory. `shape`: its extents, the slowest dimension first."""

    name: str
    address: int
    shape: tuple[int, ...]
    element: int = FLOAT  # bytes

    @property
    def bytes(self) -> int:
        return self.element * math.prod(self.shape)

    def as_accessed(self, bytes: int) -> GlobalArray:
        """This array with vectors as its elements, if a lane's access of so many bytes spans the last
        dimension: an image of `uchar4` has the shape (rows, columns, 4) in bytes.
        """
        is_vector = len(self.shape) > 1 and 1 < self.shape[-1] <= _WIDEST_VECTOR
        if not is_vector or bytes != self.element * self.shape[-1]:
            return self
        return replace(self, shape=self.shape[:-1], element=bytes)


@dataclass(frozen=True)
class Recording:
    """One block's accesses in the order in which the emulator ran them, and the arrays that they touch."""

    arrays: tuple[GlobalArray, ...]
    warps: int
    accesses: tuple[Access, ...]
    shared: tuple[SharedArray, ...] = ()
    kernel: str = ""

    def array(self, access: Access) -> str:
        """The name of the array in global or shared memory that an access touches, else ""."""
        first = min(access.lanes.values(), default=-1)
        if access.kind.startswith("shared"):
            below = [each for each in self.shared if each.offset <= first]
            return max(below, key=lambda each: each.offset).name if below else ""
        touched = self.touched(access)
        return touched.name if touched else ""

    def touched(self, access: Access) -> GlobalArray | None:
        """The array in global memory that an access touches, with elements as this access has them."""
        first = min(access.lanes.values(), default=-1)
        if not access.kind.startswith("global"):
            return None
        found = (each for each in self.arrays if each.address <= first < each.address + each.bytes)
        return next((each.as_accessed(access.bytes) for each in found), None)

    def of(self, warp: int, kind: str, array: str = "") -> tuple[Access, ...]:
        """The accesses of one kind by one warp; with a name, only those to that array."""
        return tuple(
            access
            for access in self.accesses
            if access.warp == warp and access.kind == kind and array in ("", self.array(access))
        )


def record(
    repository: Repository,
    lab: Lab,
    source: str,
    case: str,
    *,
    block: tuple[int, ...] = (0, 0),
    kernel: str = "",
) -> Recording:
    """Run `source` (a kernel of that lab, by course staff) on one case and record one block.

    `kernel`: whose first launch is recorded; by default the first launch of the case. InstructorError where
    the source does not compile, GraderError where a tool is missing.
    """
    chosen = next((item for item in lab.cases if item.name == case), None)
    if chosen is None:
        raise InstructorError(f"has no case {case!r} to record", file=Path(lab.folder) / "lab.toml")
    tool_files = (repository.emulator, repository.harness(lab.name))
    emulator, harness_hash = (file_hash(need(file, "type `make tools`")) for file in tool_files)
    key = text_hash(
        source,
        repr(lab.kernels),
        repr(chosen),
        repr((block, kernel)),
        code_hash(__name__),
        emulator,
        harness_hash,
    )
    folder = repository.root / "build" / "recorded" / f"{lab.name}-{key[:16]}"
    known = store.load(folder, "recording", key, Recording)
    if known is not None:
        return known
    recordings = _built_and_traced(repository, lab, source, chosen, block)
    made = next((each for each in recordings if kernel in ("", each.kernel)), None)
    if made is None:
        raise GraderError(f"recorded nothing of {kernel or ', '.join(lab.kernels)}", remedy=typed("doctor"))
    store.save(folder, "recording", key, made)
    return made


def _built_and_traced(
    repository: Repository, lab: Lab, source: str, case: Case, block: tuple[int, ...]
) -> tuple[Recording, ...]:
    tools = toolkit.find(repository)
    with tempfile.TemporaryDirectory(prefix="warpgrade-record-") as name:
        file = Path(name) / lab.files[0]
        file.write_text(source, encoding="utf-8")
        submission = from_file(file, lab, "staff")
        built = build(submission, lab, Compiler(repository, tools, "none"), Path(name))
        if built.status != BuildStatus.BUILT:
            raise InstructorError(f"cannot be recorded: {built.summary}", file=repository.solution(lab.name))
        runner = RunnerConfig(repository, tools, "none", threads=1)
        return traced(runner, lab, submission, Path(name) / FATBIN, case, block)


def traced(
    runner: RunnerConfig,
    lab: Lab,
    submission: Submission,
    fatbin: Path,
    case: Case,
    block: tuple[int, ...] = (0, 0),
) -> tuple[Recording, ...]:
    """Record one block of a built submission in one case, with the public values, in the runner's sandbox.

    There is one recording for each kernel in which the block accesses memory: that of the kernel's first
    launch, in the order of the launches.
    """
    one = replace(lab, cases=(case,))
    data = datasets.prepare(runner.repository, one, datasets.PUBLIC_SALT)
    job = HarnessJob(one, fatbin, data, ("--mode", "check"), trace=block)
    rows = harness.start(job, runner, submission).trace
    known = {array.name: array for array in datasets.arrays_of(data, case)}
    firsts: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["kind"] == "launch":
            firsts.setdefault(row["kernel"], row)
    return tuple(_recording(launch, rows, known) for launch in firsts.values())


def recorded(
    runner: RunnerConfig, lab: Lab, submission: Submission, fatbin: Path, case: Case, wanted: RecordRequest
) -> bytes:
    """One block of a built submission in one case, step by step, with the public values, in the runner's
    sandbox: what the emulator wrote, empty where no launch has the block. For visible cases only.
    """
    one = replace(lab, cases=(case,))
    data = datasets.prepare(runner.repository, one, datasets.PUBLIC_SALT)
    job = HarnessJob(one, fatbin, data, ("--mode", "check"), record=wanted)
    return harness.start(job, runner, submission).recording


def arrays_of_case(runner: RunnerConfig, lab: Lab, case: Case) -> tuple[CaseArray, ...]:
    """The arrays of a case with the public values."""
    data = datasets.prepare(runner.repository, replace(lab, cases=(case,)), datasets.PUBLIC_SALT)
    return datasets.arrays_of(data, case)


def _recording(
    launch: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], known: Mapping[str, CaseArray]
) -> Recording:
    threads = math.prod(launch["block"])
    return Recording(
        arrays=tuple(
            GlobalArray(
                row["name"], int(row["address"], 16), known[row["name"]].shape, known[row["name"]].element
            )
            for row in launch["arrays"]
            if row["name"] in known
        ),
        warps=-(-threads // WARP),
        accesses=tuple(_accesses(row for row in rows if row["launch"] == launch["launch"])),
        shared=tuple(SharedArray(row["name"], row["offset"], row["bytes"]) for row in launch["shared"]),
        kernel=launch["kernel"],
    )


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
