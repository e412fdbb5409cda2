"""From a submission to a recording that a page or a text can be made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..build.compiler import FATBIN, Compiler, build
from ..core.errors import UsageError
from ..records import BuildStatus, Case, Lab, Submission
from ..run import trace
from ..run.harness import RecordRequest, RunnerConfig
from . import memory, moments, recording
from .choice import Choice
from .recording import BlockRecording

_WINDOWS = 6  # of a long run that are tried until one holds the finding
_NAMES = (
    "Values and steps are those of a build without optimisation (-G), which has the names of your variables; "
    "findings are those of the build that is judged."
)
_NO_NAMES = "This is the build that is judged, without names of variables: it does not compile with -G."


@dataclass(frozen=True)
class Scene:
    """`head`: of the recording, with source, shapes and findings (docs/player.md)."""

    recording: BlockRecording
    head: dict[str, Any]
    notes: tuple[str, ...]


def record(
    submission: Submission, lab: Lab, choice: Choice, compiler: Compiler, runner: RunnerConfig, folder: Path
) -> Scene:
    """Compile with names, run the case and record the block. `folder`: an empty one for the build.

    UsageError where the kernel does not compile, or has no such block.
    """
    note = _NAMES
    named = replace(compiler, optimised=False)
    built = build(submission, lab, named, folder)
    if built.status is not BuildStatus.BUILT:
        note = _NO_NAMES
        built = build(submission, lab, replace(compiler, machine_code=False), folder)
    if built.status is not BuildStatus.BUILT:
        raise UsageError(f"does not compile: {built.summary}")

    def run(first: int) -> bytes:
        wanted = RecordRequest(choice.block, choice.kernel, choice.launch, first)
        return trace.recorded(runner, lab, submission, folder / FATBIN, choice.case, wanted)

    made = _with_finding(choice, run, submission)
    head = with_shapes(made.head, runner, lab, choice.case)
    made.head = head
    memory.complete(made)
    head["findings"] = moments.rows(choice.findings, made)
    head["start"] = _start(choice, made)
    return Scene(made, head, tuple(filter(None, (note, cut_note(made)))))


def _with_finding(choice: Choice, run: Callable[[int], bytes], submission: Submission) -> BlockRecording:
    """The window of the run that holds the first finding, else the first window."""
    first_made = None
    first = 0
    for _ in range(_WINDOWS):
        content = run(first)
        if not content:
            x, y, z = (*choice.block, 0, 0)[:3]
            raise UsageError(
                f"{choice.case.name} has no launch {choice.launch} with a block ({x},{y},{z})",
                remedy="--block X,Y, and --launch 1",
            )
        made = recording.read(content)
        with_source(made, submission.files[0].name, submission.files[0].text)
        first_made = first_made or made
        if not choice.findings or moments.moment_of(choice.findings[0], made).step is not None:
            return made
        if made.head["complete"] or not made.steps:
            break
        first += len(made.steps)
    assert first_made is not None
    return first_made


def with_source(made: BlockRecording, name: str, text: str) -> None:
    """Add the text of the file that is shown, and its number."""
    names = [Path(file).name for file in made.head["files"]]
    made.head["source"] = text
    made.head["source_name"] = name
    made.head["source_file"] = names.index(name) if name in names else 0


def with_shapes(head: dict[str, Any], runner: RunnerConfig, lab: Lab, case: Case) -> dict[str, Any]:
    """The head with shapes and elements of the case's arrays."""
    known = {array.name: array for array in trace.arrays_of_case(runner, lab, case)}
    arrays = [
        row
        | (
            {"shape": list(known[row["name"]].shape), "element": known[row["name"]].element}
            if row["name"] in known
            else {}
        )
        for row in head["arrays"]
    ]
    return head | {"arrays": arrays}


def _start(choice: Choice, made: BlockRecording) -> str:
    """The fragment of the address at which the page opens."""
    found = made.head["findings"]
    if found and (found[0]["step"] >= 0 or found[0]["other_step"] >= 0):
        return "#finding=1"
    return f"#step=1&thread={moments.linear(choice.thread, made.head['block'])}"


def cut_note(made: BlockRecording) -> str:
    """A sentence where the recording does not hold all steps of the block."""
    head = made.head
    if head["complete"] and head["first"] == 0:
        return ""
    last = head["first"] + head["steps"]
    return (
        f"The recording is cut: it holds steps {head['first'] + 1:,} to {last:,} of the {head['all']:,} "
        "that the block executes."
    )
