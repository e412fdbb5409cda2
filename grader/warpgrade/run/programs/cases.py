"""A case of a program lab: the files that the program is given, and the result of a run."""

from __future__ import annotations

import base64
import json
import math
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...records import CaseRun, Lab, ProgramRun
from .. import npy
from ..harness import RunnerConfig, judge_outputs

SECONDS = 8.0  # of wall time, of one run; a lab may allow less
DISK, MEMORY = 128 << 20, 4096 << 20  # bytes of all files, and of all processes, of a program
_NO_KERNEL = (
    "the numbers are right, but the program launched no kernel: the host has computed them, and a kernel "
    "must compute them"
)
_NOT_OF_KERNELS = (
    "the numbers are right, but whether kernels compute them could not be judged: a kernel must compute "
    "them, and they must come back from the device in the order of the file, as they are or converted, "
    "without having been sent there"
)
_UNJUDGED = "the numbers are right, but whether kernels compute them from the inputs could not be judged: "
_REARRANGED = (
    "they are numbers of the inputs in another order, and the program rearranges the inputs before it copies "
    "them to the device. Copy them in the order of the files"
)
_OF_THE_HOST = (
    "with other values in the place of the inputs that the program copies to the device, the same calls give "
    "no right numbers, as if something that the host has computed went into them. Let kernels compute it"
)
_NOT_FOUND = (
    "all that the program copies to the device holds {found:.0%} of {array}. Copy inputs as they are in the "
    "files, in pieces of any order, or converted to another type"
)
# Names of element types in cases.json (grader/harness/arrays/element_type.cpp) → NumPy's.
_NUMPY_TYPES = {
    "float": "f4", "double": "f8", "half": "f2", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
    "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
}  # fmt: skip


@dataclass(frozen=True)
class Output:
    """An array that a program must write."""

    name: str
    dtype: str  # "f4"
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.count * int(self.dtype[1:])


@dataclass(frozen=True)
class CaseFiles:
    """A case's arrays: files of the inputs by name, in the order of the program's arguments, and the outputs
    that follow them. An array that the program changes is an input and an output.
    """

    inputs: Mapping[str, Path]
    outputs: tuple[Output, ...]

    @property
    def bytes(self) -> dict[str, int]:
        """Bytes of all arrays, by the direction in which a copy takes them."""
        read = sum(len(npy.read(path.read_bytes()).body) for path in self.inputs.values())
        return {"to device": read, "to host": sum(each.bytes for each in self.outputs)}


def files_of(data: Path, case: str) -> CaseFiles:
    """The case's arrays, as cases.json of the lab's data describes them."""
    about = json.loads((data / "cases.json").read_text(encoding="utf-8"))
    rows = next(row["arrays"] for row in about["cases"] if row["name"] == case)
    read = (row["name"] for row in rows if row["role"] in ("input", "inout"))
    outputs = tuple(
        Output(row["name"], _NUMPY_TYPES[row["type"]], tuple(row["shape"]))
        for row in rows
        if row["role"] in ("output", "inout")
    )
    return CaseFiles({name: data / case / f"{name}.npy" for name in read}, outputs)


def seconds_of(lab: Lab) -> float:
    """Wall time that one run of a program of this lab may take."""
    return min(SECONDS, lab.limits.seconds)


def judge_runs(
    runs: Sequence[ProgramRun], files: Mapping[str, CaseFiles], lab: Lab, data: Path, runner: RunnerConfig
) -> tuple[CaseRun, ...]:
    """The result of each run, which is the first one of its case. Only outputs of programs that claimed
    success are judged: all together, by the lab's harness.
    """
    ended = {run.label: _of_end(run, seconds_of(lab)) for run in runs}
    written: dict[str, dict[str, bytes]] = {}
    for run in runs:
        if ended[run.label] is None:
            ended[run.label], written[run.label] = _read(run, files[run.label].outputs)
    readable = {case: arrays for case, arrays in written.items() if arrays}
    judged = judge_outputs(readable, lab, data, runner) if readable else {}
    return tuple(
        ended[run.label] or _of_outputs(run, judged[run.label], files[run.label].outputs) for run in runs
    )


def judge_twins(
    cases: Sequence[CaseRun], runs: Sequence[ProgramRun], files: Mapping[str, CaseFiles], lab: Lab,
    other_data: Path, runner: RunnerConfig,
) -> tuple[CaseRun, ...]:  # fmt: skip
    """The results, of which those that are right count only if a twin of the device gives the right ones,
    too: it gets all that the program sends, with other inputs in the place of the program's.
    """
    right = {case.name for case in cases if case.status == "pass"}
    written = {
        run.label: {
            output.name: npy.written(npy.NpyArray(output.dtype, output.shape, base64.b64decode(body)))
            for output, body in zip(files[run.label].outputs, run.of_twin, strict=True)
        }
        for run in runs
        if run.label in right
    }
    judged = judge_outputs(written, lab, other_data, runner) if written else {}
    unjudged = {
        run.label: _unjudged(run, files[run.label])
        for run in runs
        if run.label in judged and (run.rearranged or judged[run.label].status != "pass")
    }
    return tuple(
        CaseRun(case.name, "wrong_answer", unjudged[case.name]) if case.name in unjudged else case
        for case in cases
    )


def _unjudged(run: ProgramRun, files: CaseFiles) -> str:
    """Why the twin says nothing about the device. A right program may prepare its inputs in ways that cannot
    be followed, so this blames nobody.
    """
    if run.rearranged:
        return _UNJUDGED + _REARRANGED
    parts = zip(run.followed, files.inputs, strict=False)
    found, array = min(parts, default=(1.0, ""))
    return _UNJUDGED + (_OF_THE_HOST if found == 1 else _NOT_FOUND.format(found=found, array=array))


# Why the system sends a signal, in a program with kernels; what a program prints beside it says more.
_OF_SIGNAL: dict[int, str] = {
    signal.SIGSEGV: ": on the host it read or wrote memory that is none of its own, as behind a pointer of "
    "the device, a null pointer or an index past the end",
    signal.SIGFPE: ": on the host it divided an integer by 0",
}


def _of_end(run: ProgramRun, seconds: float) -> CaseRun | None:
    """The result of a run that did not claim success; None if it did. `seconds`: its time limit."""
    if run.not_begun:
        return CaseRun(run.label, "not_run", "the program did not end in other cases")
    if run.too_much:
        most = {"files": DISK, "memory": MEMORY}[run.too_much] >> 20
        what = f"all processes of the program took more than {most:,} MiB of {run.too_much}"
        return CaseRun(run.label, "resources", what)
    if run.lost and not run.timed_out:
        return CaseRun(run.label, "crash", "the program ended the process that serves its CUDA calls")
    if run.timed_out:
        return CaseRun(run.label, "timeout", f"the program did not end within {seconds:g} seconds")
    if run.more_calls:
        what = f"the program makes more than {len(run.calls):,} calls of CUDA: let each do more"
        return CaseRun(run.label, "resources", what)
    if run.signal:
        what = f"signal {run.signal} ended the program{_OF_SIGNAL.get(run.signal, '')}"
        return CaseRun(run.label, "crash", what, said=_last_line(run.errors))
    if run.exit_code != 0:
        what = f"the program ended with exit code {run.exit_code}"
        return CaseRun(run.label, "crash", what, said=_last_line(run.errors))
    return None


def _read(run: ProgramRun, outputs: Sequence[Output]) -> tuple[CaseRun | None, dict[str, bytes]]:
    """The outputs as files that the harness reads; or the result, if one of them is not such an array."""
    arrays: dict[str, bytes] = {}
    for output, text in zip(outputs, run.outputs, strict=True):
        try:
            arrays[output.name] = npy.written(_array(base64.b64decode(text), output))
        except npy.NotNpy as error:
            message = f"{output.name}.npy {error}{_left_out(run, outputs)}"
            return CaseRun(run.label, "wrong_answer", message), {}
    return None, arrays


def _array(content: bytes, output: Output) -> npy.NpyArray:
    got = npy.read(content)
    if (got.dtype, got.shape) == (output.dtype, output.shape):
        return got
    wanted = f"{npy.name_of(output.dtype)} of shape {output.shape}"
    raise npy.NotNpy(f"holds {npy.name_of(got.dtype)} of shape {got.shape}; it must be {wanted}")


def _of_outputs(run: ProgramRun, judged: CaseRun, outputs: Sequence[Output]) -> CaseRun:
    """The harness's result, with what the calls of the program say about it."""
    if judged.status == "pass" and not run.from_device:
        return CaseRun(run.label, "wrong_answer", _NOT_OF_KERNELS if _has_launched(run) else _NO_KERNEL)
    left_out = _left_out(run, outputs)
    if judged.status == "pass" or not left_out:
        return judged
    message = f"{judged.message.removesuffix('.')}{left_out}."
    wrong = replace(judged.wrong, explanation=message) if judged.wrong else None
    return replace(judged, message=message, wrong=wrong)


def _has_launched(run: ProgramRun) -> bool:
    """Whether a kernel was launched, or a graph, which may hold one."""
    return any(call.code == 0 and (call.kernel or call.executable) for call in run.calls)


def _left_out(run: ProgramRun, outputs: Sequence[Output]) -> str:
    """A step that every right program needs and this one lacks; or copies to the host that count elements
    instead of bytes.
    """
    if not _has_launched(run):
        return "; the program launched no kernel"
    done = [call for call in run.calls if call.code == 0]
    managed = any(call.function == "cudaMallocManaged" for call in done)
    if not managed and not any(call.direction == "to host" for call in done):
        return "; the program copied nothing from the device to the host"
    back = sum(call.bytes for call in done if call.direction == "to host")
    elements, size = sum(each.count for each in outputs), sum(each.bytes for each in outputs)
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
