"""What the grader's own process reads of a submission takes linear time, whatever its text repeats."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support import sample_results
from support.long_text import FRAMES, PIECES, SIZES, SUSPICIOUS, is_suspicious, why_not_linear
from warpgrade.answers import answer_file
from warpgrade.build import compiler, diagnostics, ptx, ptxas
from warpgrade.build.headers import cut
from warpgrade.build.ptx import SourceLocations
from warpgrade.build.sass import Code, Instruction, loops_of
from warpgrade.core import toml
from warpgrade.core.errors import SubmissionError
from warpgrade.core.paths import here
from warpgrade.export import lms_sheets, results
from warpgrade.gpu import spec
from warpgrade.judge.causes.races import loop_carried_race
from warpgrade.judge.causes.wrong_answer import wrong_answer
from warpgrade.overview import leaderboard
from warpgrade.records import (
    Fault,
    Finding,
    Grades,
    HostCall,
    LaunchShape,
    Place,
    Problem,
    ProgramRun,
    SourceFile,
    Submission,
    Wrong,
)
from warpgrade.run import compute_sanitizer
from warpgrade.run.programs import facts, printed_times
from warpgrade.submission import admit, collisions, gradescope_metadata
from warpgrade.submission.admit import SubmissionEntry
from warpgrade.submission.roster import People
from warpgrade.tables import finding_kinds

pytestmark = pytest.mark.long


def _submission(text: str) -> Submission:
    return Submission("s", "lab", "s", (SourceFile("k.cu", text),), "")


def _wrong(text: str) -> None:
    wrong = Wrong(1, 16, "C", (4, 4), (1, 2), 1.0, "nan")
    list(wrong_answer.doubts(wrong, LaunchShape((8,), (8,)), _submission(text)))


def _racing(text: str) -> None:
    """A hundred races in one file."""
    submission = _submission(text)
    read = Place("k.cu", 9, access="read", thread=(1, 0, 0))
    for line in range(100):
        write = Place("k.cu", line, access="write", thread=(0, 0, 0))
        race = Finding("c", "race", "race-read-write", "", "error", "", write, other=read)
        loop_carried_race.turned(race, submission)
        diagnostics.source_line({"k.cu": text}, "k.cu", line)


def _answers(text: str) -> None:
    lines = "\n".join(text[at : at + 900] for at in range(0, 1 << 16, 900))
    with contextlib.suppress(SubmissionError):
        answer_file.parse(lines.encode()[: 1 << 16], Path("answers.toml"))


def _sheet(text: str) -> None:
    rows = [["Identifier", "Full name", "Grade"], [text[:100_000], text[:100_000], ""]]
    for row in rows[1:]:
        lms_sheets._last_digits(row[0])
        lms_sheets._plain(row[1])


def _exported(grades: Grades) -> None:
    results.results_json(grades)
    results.gradebook(grades)


def _refused(text: str) -> None:
    problem = Problem(Fault.SUBMISSION, text, text, text)
    student = replace(sample_results.refused_student(), name=text, problem=problem, notes=(text,))
    _exported(replace(sample_results.grades(), students=(student,)))


READERS: dict[str, Callable[[str], object]] = {
    "wrong answer": _wrong,
    "race": _racing,
    "leaderboard": leaderboard.chosen_name,
    "answers": _answers,
    "lines of TOML": lambda text: toml.line_of(text, ("answers",)),
    "headers": lambda text: cut._read(text, frozenset({"a.h"})),
    "compiler's messages": lambda text: diagnostics.of_compiler(text, {"k.cu": text}, frozenset()),
    "assembler's messages": lambda text: diagnostics.of_assembler(
        text, SourceLocations({"1": "k.cu"}, ((1, 1, 3),)), {"k.cu": text}
    ),
    "assembler's errors": lambda text: ptxas.too_much_shared(text, "k"),
    "assembler's report": lambda text: ptxas.resources(text, "k", "sm_90", 0, 0),
    "name of a kernel": ptx.unmangled,
    "inline assembly": lambda text: compiler._ASSEMBLY.search(compiler._SPLICE.sub("", text)),
    "cell of a spreadsheet": results.safe,
    "results of a student": _refused,
    "sheet of Moodle": _sheet,
    "compute-sanitizer": lambda text: compute_sanitizer.parse(
        text, finding_kinds.load(here()), _submission(text)
    ),
    "what a program printed": lambda text: printed_times.printed(ProgramRun("c", printed=text)),
    "first numbers": printed_times.numbers_in,
    "identity": admit.identity,
    "printable name": admit.printable,
    "Gradescope's metadata": gradescope_metadata.read,
    "names of a roster": lambda text: People((), {}).find([text]),
    "source file": lambda text: admit._source_file("k.cu", text.encode("utf-8", "replace")),
}  # fmt: skip


def _timed_calls(count: int) -> ProgramRun:
    calls = [HostCall(name, event=n, other=n, stream=n, pinned=True, direction="to device", bytes=1)
             for n in range(count // 5)
             for name in ("cudaEventRecord", "cudaLaunchKernel", "cudaMemcpyAsync", "cudaEventRecord",
                          "cudaEventElapsedTime")]  # fmt: skip
    return ProgramRun("c", calls=tuple(calls), printed="0.5 " * count)


def _loops(count: int) -> Code:
    """Loops around each other: a branch back from each instruction of the second half."""
    code = [Instruction("branch", 0, 0, 0, -1, 0, target=max(-1, count - 1 - n) if n > count / 2 else -1)
            for n in range(count)]  # fmt: skip
    return Code("k", tuple(code), 0, 0, loops_of(tuple(code)))


def _assembler(count: int) -> str:
    return "".join(f"ptxas k.ptx, line {n}; error   : Unknown symbol 'x{n}'\n" for n in range(count))


def _namesakes(count: int) -> list[SubmissionEntry]:
    return [SubmissionEntry("ann", "ann", Path(f"{n}")) for n in range(count)]


def _findings(count: int) -> Grades:
    student = sample_results.racy_student()
    (result,) = student.results
    assert result.run is not None
    found = replace(result.run, findings=(sample_results.race("c"),) * (count // 16))
    many = replace(student, results=(sample_results.with_records(result, run=found),))
    return replace(sample_results.grades(), students=(many,))


GPU = spec.load(here(), "h200")
# For each name: a function that makes an input with that number of things, and the reader of such inputs.
MANY: dict[str, tuple[Callable[[int], Any], Callable[[Any], object]]] = {
    "calls of a program": (_timed_calls, lambda run: facts.facts(run, GPU)),
    "loops in machine code": (_loops, Code.homes),
    "errors of the assembler": (
        _assembler,
        lambda text: diagnostics.of_assembler(
            text, SourceLocations({"1": "k.cu"}, ((1, 1, 3),)), {"k.cu": "x\n" * len(text)}
        ),
    ),
    "findings of a student": (_findings, _exported),
    "entries with one name": (_namesakes, admit.with_distinct_identities),
    "what entries share": (_namesakes, collisions.notes),
}


@pytest.mark.parametrize("name", READERS)
def test_repetitive_text_takes_linear_time(name: str) -> None:
    slow = []
    for piece in PIECES:
        for before, after in FRAMES:

            def text_of(size: int, piece: str = piece, before: str = before, after: str = after) -> str:
                return before + piece * (size // len(piece)) + after

            if is_suspicious(READERS[name], text_of, SUSPICIOUS):
                why = why_not_linear(READERS[name], text_of, SIZES)
                if why:
                    slow.append(f"{before!r} {piece!r} {after!r}: {why}")
    assert not slow


@pytest.mark.parametrize("name", MANY)
def test_many_things_take_linear_time(name: str) -> None:
    of_size, reader = MANY[name]
    assert not why_not_linear(reader, of_size, SIZES[:-3])
