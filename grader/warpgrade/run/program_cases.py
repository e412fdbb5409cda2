"""A case of a program lab: the files that the program is given, and the result of a run."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..records import Case, CaseRun, Lab, ProgramRun
from . import npy

SECONDS = 8.0  # of wall time, of one run; a lab may allow less
DISK, MEMORY = 128 << 20, 4096 << 20  # bytes of all files, and of all processes, of a program
# Names of element types in cases.json (grader/harness/arrays/element_type.cpp) → NumPy's.
_NUMPY_TYPES = {
    "float": "f4", "double": "f8", "half": "f2", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
    "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
}  # fmt: skip
_EXPECTED = ".expected"  # in the file's name of what an array must become that has values before


@dataclass(frozen=True)
class CaseFiles:
    """A case's arrays: inputs by name in the order of the program's arguments, what must come out, and the
    types of the outputs: expected values may be stored more precisely. An array that the program changes is
    an input and an output.
    """

    inputs: Mapping[str, Path]
    outputs: Mapping[str, Path]
    types: Mapping[str, str]


def files_of(data: Path, case: str) -> CaseFiles:
    """The case's files, as cases.json of the lab's data describes its arrays."""
    about = json.loads((data / "cases.json").read_text(encoding="utf-8"))
    rows = next(row["arrays"] for row in about["cases"] if row["name"] == case)
    roles = {row["name"]: row["role"] for row in rows}
    inputs = {name: data / case / f"{name}.npy" for name in roles if roles[name] in ("input", "inout")}
    outputs = {
        name: data / case / f"{name}{_EXPECTED if roles[name] == 'inout' else ''}.npy"
        for name in roles
        if roles[name] in ("output", "inout")
    }
    types = {row["name"]: _NUMPY_TYPES[row.get("type", "float")] for row in rows}
    return CaseFiles(inputs, outputs, types)


def seconds_of(lab: Lab) -> float:
    """Wall time that one run of a program of this lab may take."""
    return min(SECONDS, lab.limits.seconds)


def judge_run(first: ProgramRun, case: Case, files: CaseFiles, seconds: float) -> CaseRun:
    """The result of a case whose run might take `seconds`. The output is compared only if the program
    claimed success.
    """
    if first.not_begun:
        return CaseRun(case.name, "not_run", "the program did not end in other cases")
    if first.too_much:
        most = {"files": DISK, "memory": MEMORY}[first.too_much] >> 20
        what = f"all processes of the program took more than {most:,} MiB of {first.too_much}"
        return CaseRun(case.name, "resources", what)
    if first.lost and not first.timed_out:
        return CaseRun(case.name, "crash", "the program ended the process that serves its CUDA calls")
    if first.timed_out:
        return CaseRun(case.name, "timeout", f"the program did not end within {seconds:g} seconds")
    if first.signal:
        what = f"signal {first.signal} ended the program"
        return CaseRun(case.name, "crash", what, said=_last_line(first.errors))
    if first.exit_code != 0:
        what = f"the program ended with exit code {first.exit_code}"
        return CaseRun(case.name, "crash", what, said=_last_line(first.errors))
    for (name, expected), output in zip(files.outputs.items(), first.outputs, strict=True):
        wrong = _compare(base64.b64decode(output), expected, files.types[name])
        if wrong:
            left_out = _left_out(first, [_extent(files, each) for each in files.outputs])
            return CaseRun(case.name, "wrong_answer", f"{name}.npy {wrong}{left_out}")
    if not first.from_device:
        return CaseRun(
            case.name, "wrong_answer",
            "the numbers are right, but they are not what the program copied from the device: a kernel must "
            "compute them",
        )  # fmt: skip
    return CaseRun(case.name, "pass")


def _extent(files: CaseFiles, name: str) -> tuple[int, int]:
    """How many elements an output has, and how many bytes."""
    count = math.prod(npy.read(files.outputs[name].read_bytes()).shape)
    return count, count * int(files.types[name][1:])  # "f4"


def _left_out(run: ProgramRun, extents: Sequence[tuple[int, int]]) -> str:
    """The step without which no output can be right, if the program left one out; or copies back of as many
    bytes as the outputs have elements.
    """
    done = [call for call in run.calls if call.code == 0]
    if not any(call.kernel or call.executable for call in done):
        return "; the program launched no kernel"
    managed = any(call.function == "cudaMallocManaged" for call in done)
    if not managed and not any(call.direction == "to host" for call in done):
        return "; the program copied nothing from the device to the host"
    back = sum(call.bytes for call in done if call.direction == "to host")
    elements, size = (sum(each) for each in zip(*extents, strict=True))
    if back == elements < size and not any(call.executable for call in done):
        return (
            f"; the program copied {back:,} bytes back, as many as the results have elements: these have "
            f"{size:,} bytes"
        )
    return ""


def _last_line(errors: str) -> str | None:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    words = "".join(c if c.isprintable() else " " for c in lines[-1])[:200] if lines else ""
    return words or None


def _compare(output: bytes, expected: Path, dtype: str) -> str:
    """The difference between an output file and the expected one, in words; empty if they agree."""
    right = npy.read(expected.read_bytes())
    bounds = expected.with_name(f"{expected.stem.removesuffix(_EXPECTED)}.tolerance.npy")
    try:
        got = npy.read(output)
    except npy.NotNpy as error:
        return str(error)
    if got.dtype != dtype or got.shape != right.shape:
        return f"holds {got.dtype} of shape {got.shape}; it must be {dtype} of shape {right.shape}"
    wrong = npy.compare(got, right, npy.read(bounds.read_bytes()) if bounds.is_file() else None)
    if wrong is None:
        return ""
    place = "".join(f"[{at}]" for at in wrong.index)
    elements = "element" if wrong.count == 1 else "elements"
    return (
        f"has {wrong.count:,} wrong {elements} of {wrong.total:,}; the first is {place}: "
        f"{wrong.got:g} instead of {wrong.expected:g}{_others(wrong)}"
    )


def _others(wrong: npy.Difference) -> str:
    """What holds of the other wrong elements."""
    alike = f"each of the others is {wrong.got:g}, too" if wrong.are_alike else ""
    end = "all from there on are wrong" if wrong.to_the_end else ""
    return "".join(f"; {each}" for each in (alike, end) if each)
