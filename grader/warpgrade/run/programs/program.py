"""Run a student's whole program on all cases of its lab.

The program runs in the sandbox. A second process there, the back end of the emulator, serves its calls of the
CUDA runtime and records them (grader/emulator/remoting). The program has the inputs of a case and no expected
result; its output is judged by the lab's harness. Only that output, the program's exit code and the time that
it must print count as evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from ...build.compiler import Compiler
from ...build.diagnostics import source_line
from ...build.program import lines_of
from ...core.serialize import from_data
from ...gpu import spec
from ...records import (
    Build,
    CaseRun,
    Finding,
    HostCall,
    Lab,
    Launch,
    Memory,
    Place,
    ProgramRun,
    Run,
    Submission,
)
from .. import datasets, idle_blocks
from ..harness import RunnerConfig
from . import arrays, backend
from .cases import CaseFiles, files_of, judge_runs, judge_twins
from .facts import ended_by, ends_with_error, facts, failures_of, is_steady, is_unnoticed, place_of
from .printed_times import printed

_ADDRESS = re.compile(r"program\+0x([0-9a-f]{1,16})")
FAILED_CALL = ("failed-call", "WG120")  # the emulator's own finding about a call that failed, kind and code
NOT_NOTICED = "failure-not-noticed"  # cause of such a finding where the call was made to fail
_NO_LINE = "a place without a line"
_ATTEMPTS = 3  # to give a right result on the device's twin
_MOST_REPORTED = 20  # failures that nobody noticed
_RIGHT = "Make this call right: the program noticed that it failed, as it should, and ended."
_ANOTHER_WAY = "The program noticed that the call failed, as it should, and ended: find another way."
_REPEAT = "Let a loop or a function of your own do what the program does again and again."
_LOOK = (
    "Look at what each call of CUDA returns, and at cudaGetLastError() after a launch; say which call failed "
    "and end the program with an exit code that is not 0."
)


def run_program(build: Build, program: Path, submission: Submission, lab: Lab, runner: RunnerConfig,
                compiler: Compiler, data: Path) -> Run:  # fmt: skip
    """Run all cases. If a technique counts failures, each place that calls the runtime fails once, and in a
    loop again in the last iteration and in one in between: in the first case that reaches it, hidden ones
    left out.
    """
    gpu = spec.load(runner.repository, runner.gpu_model)
    measured = {technique.case for technique in lab.techniques}
    files = {case.name: files_of(data, case.name) for case in lab.cases}
    runs, cases = _run_and_judge(program, lab, runner, files, data)
    findings: list[Finding] = []
    launches: list[Launch] = []
    failures = failures_of(runs)
    addresses = [address for run in runs for address in _addresses(json.dumps(run.findings))]
    addresses += [run.failed.caller for run in runs if run.failed]
    addresses += [caller for run in runs if run.findings for caller in arrays.makers(run.calls)]
    firsts = _first_of_each(runs)
    idle = {label: tuple(idle_blocks.found(run)) for label, run in firsts.items()}
    addresses += [call.caller for found in idle.values() for call, _ in found]
    for call in filter(None, map(ended_by, runs)):
        addresses += [call.caller, *_addresses(call.why)]
    addresses += [run.calls[-1].caller for run in runs if run.timed_out and run.calls]
    lines = lines_of(program, addresses, submission, compiler)
    for case in lab.cases:
        mine = [run for run in runs if run.label == case.name]
        first, others = mine[0], mine[1:]
        findings += _findings(first, submission, lines)
        findings += _ended_by(first, submission, lines)
        findings += _idle_blocks(case.name, idle[case.name], submission, lines)
        if others or case.name in measured:
            findings += _unnoticed(first, others, submission, lines)
            counted = facts(first, gpu, files[case.name].bytes) | failures | first.counters
            launches.append(Launch(case.name, "", (), (), counted))
    return Run(
        device="emulator", device_name=runner.gpu_model,
        cases=tuple(_of_last_call(each, firsts[each.name], lines) for each in cases),
        findings=tuple(finding for finding in findings if finding.code not in lab.forgives),
        launches=tuple(launches), reference=build.resources,
        printed=next((printed(run) for run in runs if run.printed), ""),
    )  # fmt: skip


def _run_and_judge(
    program: Path, lab: Lab, runner: RunnerConfig, files: Mapping[str, CaseFiles], data: Path
) -> tuple[list[ProgramRun], tuple[CaseRun, ...]]:
    """The runs of all cases, and their results.

    All is run again where only the device's twin says that a result is wrong: the twin gets what a thread of
    the program writes into shared memory when the back end looks there, which may be at a bad moment. Who
    computes on the host is found out each time.
    """
    other_data = None if lab.steered else datasets.others(data)
    unseen = {name: files_of(other_data, name) for name in files} if other_data else {}
    for _ in range(_ATTEMPTS):
        runs = backend.run_all(program, lab, runner, files, unseen)
        firsts = _first_of_each(runs)
        of_cases = [firsts[case.name] for case in lab.cases]
        cases = judge_runs(of_cases, files, lab, data, runner)
        if other_data is None:
            break
        own, cases = cases, judge_twins(cases, of_cases, files, lab, other_data, runner)
        if cases == own:
            break
    return runs, cases


# --- findings ----------------------------------------------------------------------------------


def _findings(
    run: ProgramRun, submission: Submission, lines: Mapping[int, tuple[str, int]]
) -> Iterator[Finding]:
    """The back end's findings, with lines of the program in place of addresses."""
    for row in run.findings:
        message = str(row.get("message", ""))
        calls = (_in_words(call, lines) for call in _addresses(message))
        named = tuple(dict.fromkeys(words for words in calls if words))
        message = _with_lines(message, lines)
        other = row.get("other")
        found = Finding(
            run.label, row["check"], row["kind"], row["code"], row["severity"], message,
            _side(row, submission, lines), launch=row["launch"], kernel=row["kernel"], times=row["times"],
            lanes=row["lanes"], help=row["help"], memory=_memory(row.get("memory") or {}, lines),
            other=_side(other, submission, lines) if other else None, named=named or None,
            cause=row.get("cause", ""), update=row.get("update"),
        )  # fmt: skip
        maker = next(iter(_addresses(json.dumps(row.get("memory")))), 0)
        making = arrays.making_of(found.memory, maker, run.calls, lines)
        yield arrays.named(found, _line_of(found.memory, submission), making)


def _side(row: Mapping[str, Any], submission: Submission, lines: Mapping[int, tuple[str, int]]) -> Place:
    """One side of a finding: a line of a kernel, or the call that the host made."""
    access = row.get("access") or ""
    if call := _ADDRESS.fullmatch(row.get("call", "")):
        return _place(int(call[1], 16), access, submission, lines)
    file, line = PurePosixPath(row.get("file") or "").name, int(row.get("line") or 0)
    block, thread = tuple(row.get("block") or ()), tuple(row.get("thread") or ())
    source = source_line(_sources(submission), file, line)
    return Place(file, line, source=source, block=block, thread=thread, access=access)


def _memory(row: Mapping[str, Any], lines: Mapping[int, tuple[str, int]]) -> Memory | None:
    """Device addresses are the same on every run. An address far from every allocation may be a host address,
    which is not, so it is left out."""
    if not row.get("relation"):
        return None
    memory = from_data(Memory, {key: value for key, value in row.items() if value is not None})
    made_at = next((_in_words(call, lines) for call in _addresses(memory.made_at or "")), memory.made_at)
    return replace(memory, made_at=made_at or None)


def _line_of(memory: Memory | None, submission: Submission) -> str:
    """The source of the call that made this memory; empty where it is not known."""
    file, _, line = (memory.made_at or "").rpartition(":") if memory else ("", "", "")
    return source_line(_sources(submission), file, int(line)) if line.isdecimal() else ""


def _sources(submission: Submission) -> dict[str, str]:
    return {file.name: file.text for file in submission.files}


def _place(address: int, access: str, submission: Submission, lines: Mapping[int, tuple[str, int]]) -> Place:
    file, line = lines.get(address, ("", 0))
    return Place(file, line, source=source_line(_sources(submission), file, line), access=access)


def _addresses(text: str) -> list[int]:
    """Addresses of the program's code in the back end's text."""
    return [int(number, 16) for number in _ADDRESS.findall(text)]


def _with_lines(text: str, lines: Mapping[int, tuple[str, int]]) -> str:
    """The back end's text, with source lines in place of addresses."""
    return _ADDRESS.sub(lambda match: _in_words(int(match[1], 16), lines) or _NO_LINE, text)


def _in_words(address: int, lines: Mapping[int, tuple[str, int]]) -> str:
    """ "program.cu:55"; empty where the program has no line there."""
    file, line = lines.get(address, ("", 0))
    return f"{file}:{line}" if line else ""


def _ended_by(
    run: ProgramRun, submission: Submission, lines: Mapping[int, tuple[str, int]]
) -> Iterator[Finding]:
    """The call at whose error the program ended, and why it failed."""
    call = ended_by(run)
    if call is not None:
        message = (
            f"{call.function} returned {call.error}, and the program ended with exit code {run.exit_code}: "
            f"{_with_lines(call.why, lines)}"
        )
        place = _place(call.caller, f"{call.function} fails", submission, lines)
        advice = _ANOTHER_WAY if call.error == "cudaErrorNotSupported" else _RIGHT
        yield replace(_of_host(run.label, *FAILED_CALL, message, place), help=advice)


def _of_last_call(case: CaseRun, run: ProgramRun, lines: Mapping[int, tuple[str, int]]) -> CaseRun:
    """The case, for a program that did not end with the last place of its code that is known."""
    place = _in_words(run.calls[-1].caller, lines) if run.timed_out and run.calls else ""
    if not place:
        return case
    words = f"; its last call of CUDA was {run.calls[-1].function} in {place}"
    return replace(case, message=case.message + words)


def _first_of_each(runs: Sequence[ProgramRun]) -> Mapping[str, ProgramRun]:
    """The run of each case in which no call was made to fail."""
    return {run.label: run for run in reversed(runs)}


def _idle_blocks(
    label: str, launches: Iterable[tuple[HostCall, str]], submission: Submission,
    lines: Mapping[int, tuple[str, int]],
) -> Iterator[Finding]:  # fmt: skip
    """Costs no points: the result is right, and copies take longer than the idle blocks."""
    for call, words in launches:
        place = _place(call.caller, "launches", submission, lines)
        found = _of_host(label, idle_blocks.KIND, "", words, place)
        yield replace(found, severity="warning", help=idle_blocks.HELP)


def _unnoticed(
    first: ProgramRun, others: Sequence[ProgramRun], submission: Submission,
    lines: Mapping[int, tuple[str, int]],
) -> Iterator[Finding]:  # fmt: skip
    """One finding for each place in the program whose call failed without its notice."""
    if not is_steady(first, [run for run in others if run.failed is None]):
        if not all(first.outputs):  # which are compared: the case says that one was not written
            return
        message = (
            "the program does not make the same calls and end the same on every run: its exit code says "
            "nothing about errors"
        )
        yield _of_host(first.label, "unsteady-program", "", message, Place())
        return
    if first.untried:
        message = (
            f"the program calls CUDA at more places than are made to fail one after the other; the last "
            f"{first.untried:,} count as not noticed"
        )
        yield replace(_of_host(first.label, "places-without-end", "", message, Place()), help=_REPEAT)
    failures = sorted((run for run in others if is_unnoticed(run)), key=lambda run: _order(run, lines))
    places: set[tuple[str, int]] = set()
    for run in failures:
        if place_of(run) in places or len(places) == _MOST_REPORTED:
            continue
        places.add(place_of(run))
        assert run.failed is not None
        turn = " in a later turn of a loop" if run.again else ""
        message = (
            f"{run.failed.function} was made to fail here{turn}, to see whether the program notices: it "
            f"{_ended(run)}"
        )
        place = _place(run.failed.caller, "", submission, lines)
        yield replace(_of_host(first.label, *FAILED_CALL, message, place), cause=NOT_NOTICED)


def _order(run: ProgramRun, lines: Mapping[int, tuple[str, int]]) -> tuple[tuple[str, int], int, bool]:
    caller = run.failed.caller if run.failed else 0
    return lines.get(caller, ("", 0)), caller, run.again


def _ended(run: ProgramRun) -> str:
    if run.timed_out:
        return "did not end"
    if ends_with_error(run):
        return "ended without a word: nobody learns which call failed"
    if run.signal:
        return f"went on until signal {run.signal} ended it"
    same = " and wrote the same output" if run.same_output else ""
    return f"went on{same}: its exit code was 0"


def _of_host(label: str, kind: str, code: str, message: str, place: Place) -> Finding:
    return Finding(label, "host", kind, code, "error", message, place, help=_LOOK)
